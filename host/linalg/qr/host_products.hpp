#pragma once
/// What least squares compute with matrices in host memory, in f64.

#include <clgauss/matrix.hpp>

namespace clgauss {

/// A^T, by all cores.
[[nodiscard]] Matrix transposed_in_parallel(const Matrix& a);

/// A X or A^T X, by all cores.
[[nodiscard]] Matrix product(const Matrix& a, const Matrix& x, bool transpose);

/// from <- from - what.
void subtract(Matrix& from, const Matrix& what);

/// Infinity norm of a column, NaN if it holds one.
[[nodiscard]] double largest_in_column(const Matrix& x, Index c);

/// 2-norm of a column, without overflow and underflow of squares.
[[nodiscard]] double norm2_of_column(const Matrix& x, Index c);

/// Largest sums of magnitudes: of a row, and of a column.
struct MatrixNorms {
  double inf = 0, one = 0;
};
[[nodiscard]] MatrixNorms norms_of(const Matrix& a);

}  // namespace clgauss
