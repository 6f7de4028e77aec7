#pragma once
/// Operations of least squares on matrices in host memory, in f64.

#include <clgauss/matrix.hpp>

namespace clgauss {

/// A^T, on all cores.
[[nodiscard]] Matrix transposed_in_parallel(const Matrix& a);

/// A X or A^T X, on all cores.
[[nodiscard]] Matrix product(const Matrix& a, const Matrix& x, bool transpose);

/// from <- from - what
void subtract(Matrix& from, const Matrix& what);

/// Infinity norm of a column; NaN if it contains a NaN.
[[nodiscard]] double largest_in_column(const Matrix& x, Index c);

/// 2-norm of a column. Squares do not overflow or underflow.
[[nodiscard]] double norm2_of_column(const Matrix& x, Index c);

/// Largest row sum of magnitudes, on all cores; NaN if A contains a NaN.
[[nodiscard]] double norm_inf_of(const Matrix& a);

}  // namespace clgauss
