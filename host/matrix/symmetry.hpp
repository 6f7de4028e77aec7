#pragma once
/// What a matrix must be for the methods that are not for every one.

#include <clgauss/complex.hpp>
#include <clgauss/matrix.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace clgauss {

/// Row and column, row > column, of the first element of a square A that is not the one across the
/// diagonal, to the bit but for NaN; the first by rows. One pass over A, by all cores, that ends
/// where such an element is found.
[[nodiscard]] std::optional<std::pair<Index, Index>> asymmetric_element(const Matrix& a);

/// Whether two elements across the diagonal are the same, to the bit but for NaN.
[[nodiscard]] bool same_across(double u, double v);
/// What is said of a matrix where they are not: elements (i, j) and (j, i), counted from 0.
/// `method` is the one that asks.
[[nodiscard]] std::string asymmetry(Index i, Index j, double below, double above,
                                    std::string_view method = "cholesky");

/// Throws ValueError, which names that element.
void require_symmetric(const Matrix& a, std::string_view method = "cholesky");

/// The same of a Hermitian A, whose diagonal is real.
void require_hermitian(const ComplexMatrix& a, std::string_view method = "cholesky");

/// Whether a square A is symmetric, its diagonal positive, and no element larger than positive
/// definite matrices have it, |a_ij|^2 <= a_ii a_jj. One pass over A, by all cores, that ends at
/// the first element that is not so.
[[nodiscard]] bool may_be_positive_definite(const Matrix& a);

}  // namespace clgauss
