#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/matrix.hpp>
#include <numeric>

namespace clgauss {

Matrix::Matrix(Index rows, Index cols, Values values)
    : rows_(rows), cols_(cols), values_(std::move(values)) {
  if (values_.size() != rows_ * cols_)
    throw DimensionError(
        fmt::format("{} values cannot fill a {} x {} matrix", values_.size(), rows_, cols_));
}

Matrix row_sums(const Matrix& a) {
  Matrix sums(a.rows(), 1);
  for (Index i = 0; i < a.rows(); ++i) {
    const auto row = a.row(i);
    sums(i, 0) = std::accumulate(row.begin(), row.end(), 0.0);
  }
  return sums;
}

}  // namespace clgauss
