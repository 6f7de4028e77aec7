#pragma once
/// Encloses a determinant from the pivots of L U and from norms that say how near L U is to P A.

#include <clgauss/certify.hpp>
#include <complex>
#include <span>
#include <string>
#include <utility>
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
/// Bounds of a complex matrix E: of the row sums of its moduli, or of its real_operator()'s, which
/// are twice as many, and of the moduli on its diagonal.
struct RowBounds {
  std::span<const double> sums, diagonal;
};

/// The same for a complex A, whose real_operator() `scaled` scales; of E and of F.
[[nodiscard]] ComplexDeterminantCertificate complex_determinant_certificate(
    std::span<const std::complex<double>> pivots, std::vector<Index> rows,
    const ExactScaling& scaled, const RowBounds& of_e, const RowBounds& of_f);

/// Of a real or complex A.
template <typename OfDeterminant>
[[nodiscard]] OfDeterminant unproven_determinant(double norm_bound, std::string reason) {
  OfDeterminant certificate;
  certificate.norm_bound = norm_bound;
  certificate.reason = std::move(reason);
  return certificate;
}

/// The determinant of a matrix without rows: 1.
[[nodiscard]] DeterminantCertificate empty_determinant();
[[nodiscard]] ComplexDeterminantCertificate empty_complex_determinant();

}  // namespace clgauss
