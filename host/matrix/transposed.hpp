#pragma once
/// Row-major numbers and matrices turned over.

#include <clgauss/matrix.hpp>
#include <span>

namespace clgauss {

/// The columns of rows x columns row-major numbers, one after the other.
[[nodiscard]] inline Values transposed(std::span<const double> values, Index rows, Index columns) {
  Values turned(values.size());
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) turned[j * rows + i] = values[i * columns + j];
  return turned;
}

[[nodiscard]] inline Matrix transposed(const Matrix& matrix) {
  return {matrix.cols(), matrix.rows(), transposed(matrix.values(), matrix.rows(), matrix.cols())};
}

}  // namespace clgauss
