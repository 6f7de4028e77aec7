#include "kernels/common/known_answers.hpp"

#include <fmt/format.h>
#include <clgauss/residual.hpp>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>

#include "matrix/transfer.hpp"

namespace clgauss {

Matrix random_of(RealType type, Index rows, Index cols, std::uint64_t seed) {
  Matrix matrix = random_matrix(rows, cols, seed);
  if (type == RealType::f32)
    for (double& value : matrix.values()) value = static_cast<double>(static_cast<float>(value));
  return matrix;
}

MatrixView question_of(Context& context, RealType type, const Matrix& matrix, Index gap) {
  return to_device(context, type, matrix, matrix.cols() + gap, kKnownAnswer);
}

Matrix answer_in(Context& context, RealType type, const MatrixView& view, Index rows, Index cols) {
  const Values all = download(context.queue(), view.buffer, type, rows * view.ld);
  Matrix matrix(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) matrix(i, j) = all[i * view.ld + j];
  return matrix;
}

std::vector<Index> rows_in(Context& context, const cl::Buffer& pivots, Index count) {
  std::vector<cl_int> rows(count);
  context.queue().enqueueReadBuffer(pivots, CL_TRUE, 0, count * sizeof(cl_int), rows.data());
  return {rows.begin(), rows.end()};
}

void require_error(double error, double bound, const char* what) {
  if (!(error <= bound))
    throw WrongAnswer(fmt::format("wrong answer: {} is off by {:.3g}, at most {:.3g} is right",
                                  what, error, bound));
}

Matrix columns_of(const Matrix& a, Index first, Index count) {
  Matrix some(a.rows(), count);
  for (Index i = 0; i < a.rows(); ++i)
    std::ranges::copy(a.row(i).subspan(first, count), some.row(i).begin());
  return some;
}

void exchange_rows(Matrix& matrix, const std::vector<Index>& pivots) {
  for (Index j = 0; j < pivots.size(); ++j) {
    if (pivots[j] < j || pivots[j] >= matrix.rows())
      throw WrongAnswer(fmt::format("wrong answer: row {} is exchanged with row {} of {}", j,
                                    pivots[j], matrix.rows()));
    if (pivots[j] != j) std::ranges::swap_ranges(matrix.row(j), matrix.row(pivots[j]));
  }
}

void require_factors(const Matrix& a, const Matrix& lu, RealType type, bool bounded) {
  const Index m = a.rows(), width = a.cols();
  double error = 0, largest_l = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < width; ++j) {
      double sum = a(i, j);
      for (Index p = 0; p <= std::min(i, j); ++p) sum -= (p == i ? 1.0 : lu(i, p)) * lu(p, j);
      // Written so that NaN is caught, too.
      if (!(std::abs(sum) <= error)) error = std::abs(sum);
      if (j < i && !(std::abs(lu(i, j)) <= largest_l)) largest_l = std::abs(lu(i, j));
    }
  require_error(error, 30 * static_cast<double>(m) * unit_roundoff(type), "P A - L U");
  // The quotient of two equal magnitudes may be rounded above 1.
  if (bounded)
    require_error(largest_l, 1 + 4 * unit_roundoff(type),
                  "the largest multiplier, which should be 1,");
}

Matrix random_triangle(RealType type, Index n, std::uint64_t seed) {
  Matrix t = random_of(type, n, n, seed);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t(i, j) = i == j ? t(i, j) + (t(i, j) < 0 ? -1 : 1)
                       : std::ldexp(t(i, j), -static_cast<int>(std::log2(static_cast<double>(n))));
  return t;
}

Matrix solved_on_host(const Matrix& t, const Matrix& b, Index n, bool upper, bool unit) {
  Matrix x = b;
  for (Index step = 0; step < n; ++step) {
    const Index i = upper ? n - 1 - step : step;
    for (Index c = 0; c < b.cols(); ++c) {
      double sum = x(i, c);
      for (Index k = upper ? i + 1 : 0; k < (upper ? n : i); ++k) sum -= t(i, k) * x(k, c);
      x(i, c) = unit ? sum : sum / t(i, i);
    }
  }
  return x;
}

double largest_in(const Matrix& matrix) {
  return max_difference(matrix, Matrix(matrix.rows(), matrix.cols()));
}

}  // namespace clgauss
