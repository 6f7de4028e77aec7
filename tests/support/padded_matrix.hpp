#pragma once
/// Matrices on the device with canaries around them, and measures of what came back.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <cmath>

#include "matrix/transfer.hpp"

namespace clgauss::test {

/// `matrix` as `type` holds it.
inline Matrix rounded(Matrix matrix, RealType type) {
  if (type == RealType::f32)
    for (double& value : matrix.values()) value = static_cast<float>(value);
  return matrix;
}

inline Matrix product(const Matrix& a, const Matrix& x) {
  Matrix y(a.rows(), x.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = 0; k < a.cols(); ++k)
      for (Index c = 0; c < x.cols(); ++c) y(i, c) += a(i, k) * x(k, c);
  return y;
}

/// The largest column sum; NaN if there is one.
inline double norm1(const Matrix& a) {
  double norm = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    double sum = 0;
    for (Index i = 0; i < a.rows(); ++i) sum += std::abs(a(i, j));
    norm = sum > norm || std::isnan(sum) ? sum : norm;
  }
  return norm;
}

/// A matrix in a larger buffer, with canaries before it, behind every row and at the end.
struct PaddedMatrix {
  static constexpr double kCanary = 7777;
  static constexpr Index kBehind = 16;
  Index rows, cols;
  MatrixView view;

  PaddedMatrix(const Context& context, RealType type, const Matrix& matrix, Index offset, Index gap)
      : rows(matrix.rows()), cols(matrix.cols()) {
    const Index ld = cols + gap;
    Matrix flat(1, offset + rows * ld + kBehind);
    std::ranges::fill(flat.values(), kCanary);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) flat(0, offset + i * ld + j) = matrix(i, j);
    view = {context.allocate(flat.cols() * bytes_of(type), "a test's matrix"), offset, ld};
    upload_rows(context, view.buffer, flat.cols(), type, {&flat});
  }

  /// The matrix as it is now; checks that the canaries are alive.
  [[nodiscard]] Matrix read(const Context& context, RealType type) const {
    const Index count = view.offset + rows * view.ld + kBehind;
    const auto flat = download(context.queue(), view.buffer, type, count);
    Matrix result(rows, cols);
    bool alive = true;
    for (Index at = 0; at < count; ++at) {
      const bool in_rows = at >= view.offset && at < view.offset + rows * view.ld;
      const Index i = in_rows ? (at - view.offset) / view.ld : 0;
      const Index j = in_rows ? (at - view.offset) % view.ld : 0;
      if (in_rows && j < cols)
        result(i, j) = flat[at];
      else
        alive = alive && flat[at] == kCanary;
    }
    CHECK(alive);
    return result;
  }
};

}  // namespace clgauss::test
