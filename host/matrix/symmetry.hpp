#pragma once
/// Checks that a matrix is symmetric, Hermitian or possibly positive definite.

#include <clgauss/complex.hpp>
#include <clgauss/matrix.hpp>
#include <optional>
#include <string_view>
#include <utility>

namespace clgauss {

/// Row and column, row > column, of the first element (by rows) of a square A that differs from the
/// element across the diagonal. Elements are compared to the bit, except that NaN equals NaN. One
/// pass over A on all cores, which stops at such an element.
[[nodiscard]] std::optional<std::pair<Index, Index>> asymmetric_element(const Matrix& a);

/// Throws ValueError, naming the first asymmetric element and the `method` that requires symmetry.
void require_symmetric(const Matrix& a, std::string_view method = "cholesky");

/// The same for a Hermitian A, whose diagonal must be real.
void require_hermitian(const ComplexMatrix& a, std::string_view method = "cholesky");

/// Whether a square A may be positive definite: symmetric, with a positive diagonal and
/// |a_ij|^2 <= a_ii a_jj for every element. One pass over A on all cores, which stops at the first
/// element that fails.
[[nodiscard]] bool may_be_positive_definite(const Matrix& a);

}  // namespace clgauss
