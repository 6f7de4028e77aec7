#pragma once
/// Encloses a determinant from the pivots of L U and from norms that say how near L U is to P A.

#include <clgauss/certify.hpp>
#include <span>
#include <string>
#include <vector>

#include "linalg/estimates/exact_scaling.hpp"

namespace clgauss {

/// The certificate for an A whose rows in the order `rows`, scaled, are P A. `pivots` are U's,
/// exactly. Row sums of magnitudes: `of_e` bounds those of I - R P A, and `of_f` those of I - R M
/// for every M on the straight way from P A to L U. NaN proves nothing.
[[nodiscard]] DeterminantCertificate determinant_certificate(std::span<const double> pivots,
                                                             std::vector<Index> rows,
                                                             const ExactScaling& scaled,
                                                             std::span<const double> of_e,
                                                             std::span<const double> of_f);
[[nodiscard]] DeterminantCertificate unproven_determinant(double norm_bound, std::string reason);
/// The determinant of a matrix without rows: 1.
[[nodiscard]] DeterminantCertificate empty_determinant();

}  // namespace clgauss
