#include "kernels/known_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "matrix/max_or_nan.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// Uniform in [-1, 1), rounded to `type`, so that the device gets the numbers that the host has.
Matrix random_of(RealType type, Index rows, Index cols, std::uint64_t seed) {
  Matrix matrix = random_matrix(rows, cols, seed);
  if (type == RealType::f32)
    for (double& value : matrix.values()) value = static_cast<double>(static_cast<float>(value));
  return matrix;
}

/// On the device with a few columns between the rows, as in a larger matrix.
MatrixView upload(Context& context, RealType type, const Matrix& matrix, Index gap = 3) {
  return to_device(context, type, matrix, matrix.cols() + gap, kKnownAnswer);
}

Matrix read_back(Context& context, RealType type, const MatrixView& view, Index rows, Index cols) {
  const Values all = download(context.queue(), view.buffer, type, rows * view.ld);
  Matrix matrix(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) matrix(i, j) = all[i * view.ld + j];
  return matrix;
}

std::vector<Index> read_rows(Context& context, const cl::Buffer& pivots, Index count) {
  std::vector<cl_int> rows(count);
  context.queue().enqueueReadBuffer(pivots, CL_TRUE, 0, count * sizeof(cl_int), rows.data());
  return {rows.begin(), rows.end()};
}

void require(double error, double bound, const char* what) {
  if (!(error <= bound))
    throw WrongAnswer(fmt::format("wrong answer: {} is off by {:.3g}, at most {:.3g} is right",
                                  what, error, bound));
}

void exchange_rows(Matrix& matrix, const std::vector<Index>& pivots) {
  for (Index j = 0; j < pivots.size(); ++j) {
    if (pivots[j] < j || pivots[j] >= matrix.rows())
      throw WrongAnswer(fmt::format("wrong answer: row {} is exchanged with row {} of {}", j,
                                    pivots[j], matrix.rows()));
    if (pivots[j] != j) std::ranges::swap_ranges(matrix.row(j), matrix.row(pivots[j]));
  }
}

/// The tall or square `a`, with its rows as the factors have them, against L U.
void require_factors(const Matrix& a, const Matrix& lu, RealType type, bool bounded) {
  const Index m = a.rows(), width = a.cols();
  double error = 0, largest_l = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < width; ++j) {
      double sum = a(i, j);
      for (Index p = 0; p <= std::min(i, j); ++p) sum -= (p == i ? 1.0 : lu(i, p)) * lu(p, j);
      // NaN must not be passed over.
      if (!(std::abs(sum) <= error)) error = std::abs(sum);
      if (j < i && !(std::abs(lu(i, j)) <= largest_l)) largest_l = std::abs(lu(i, j));
    }
  require(error, 30 * static_cast<double>(m) * unit_roundoff(type), "P A - L U");
  // A quotient of equal magnitudes may round above 1.
  if (bounded)
    require(largest_l, 1 + 4 * unit_roundoff(type), "the largest multiplier, 1 by rights,");
}

/// Well conditioned: the elements beside the diagonal are small enough that nothing grows.
Matrix random_triangle(RealType type, Index n, std::uint64_t seed) {
  Matrix t = random_of(type, n, n, seed);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t(i, j) = i == j ? t(i, j) + (t(i, j) < 0 ? -1 : 1)
                       : std::ldexp(t(i, j), -static_cast<int>(std::log2(static_cast<double>(n))));
  return t;
}

/// X = T^-1 B on the host; the diagonal of T is that of `t`, or ones.
Matrix solved(const Matrix& t, const Matrix& b, Index n, bool upper, bool unit) {
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

Matrix transpose(const Matrix& a) {
  Matrix t(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

double largest(const Matrix& matrix) {
  return max_difference(matrix, Matrix(matrix.rows(), matrix.cols()));
}

Matrix transposed(const Matrix& matrix) {
  Matrix result(matrix.cols(), matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) result(j, i) = matrix(i, j);
  return result;
}

/// X <- B X or B^T X for butterflies B that couple the rows i and i + `apart`, if that one is there, i counting through `count`
/// rows from `first` on.
void couple(Matrix& x, std::span<const float> diagonal, Index first, Index count, Index apart,
            bool transpose) {
  for (Index i = first; i < std::min(first + count, x.rows()); ++i)
    for (Index c = 0; c < x.cols(); ++c) {
      const Index partner = i + apart;
      const double d = diagonal[i], upper = x(i, c);
      if (partner >= x.rows()) {
        x(i, c) = d * upper;
        continue;
      }
      const double e = diagonal[partner], lower = x(partner, c);
      x(i, c) = transpose ? d * (upper + lower) : d * upper + e * lower;
      x(partner, c) = transpose ? e * (upper - lower) : d * upper - e * lower;
    }
}

/// W X or W^T X for the W of cl/butterfly.cl with these numbers.
Matrix butterflied(const std::vector<float>& numbers, Matrix x, bool transpose) {
  const Index n = x.rows(), quarter = (n + 3) / 4;
  const std::span all(numbers), inner = all.first(n), outer = all.last(n);
  for (const bool first : {true, false}) {
    if (first == transpose) {
      couple(x, inner, 0, quarter, quarter, transpose);
      couple(x, inner, 2 * quarter, quarter, quarter, transpose);
    } else {
      couple(x, outer, 0, 2 * quarter, 2 * quarter, transpose);
    }
  }
  for (double& value : x.values()) value /= 2;
  return x;
}

Matrix columns_of(const Matrix& a, Index first, Index count) {
  Matrix some(a.rows(), count);
  for (Index i = 0; i < a.rows(); ++i)
    std::ranges::copy(a.row(i).subspan(first, count), some.row(i).begin());
  return some;
}

/// |A B - I|.
double inverse_error(const Matrix& a, const Matrix& b) {
  double error = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.rows(); ++j) {
      double sum = i == j ? -1 : 0;
      for (Index k = 0; k < a.rows(); ++k) sum += a(i, k) * b(k, j);
      if (!(std::abs(sum) <= error)) error = std::abs(sum);
    }
  return error;
}

/// Throws unless it is one.
void require_permutation(const std::vector<Index>& rows) {
  std::vector<bool> taken(rows.size());
  for (const Index row : rows) {
    if (row >= rows.size() || taken[row])
      throw WrongAnswer("wrong answer: rows are lost or there twice");
    taken[row] = true;
  }
}

/// 0 .. count - 1, in another order.
std::vector<Index> rotated(Index count, Index by) {
  std::vector<Index> rows(count);
  for (Index i = 0; i < count; ++i) rows[i] = (i + by) % count;
  return rows;
}

cl::Buffer upload_rows(const Context& context, const std::vector<Index>& rows) {
  const std::vector<cl_int> numbers(rows.begin(), rows.end());
  const cl::Buffer buffer = context.allocate(numbers.size() * sizeof(cl_int), kKnownAnswer);
  context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, numbers.size() * sizeof(cl_int),
                                     numbers.data());
  return buffer;
}

/// Row i is row rows[i] of `a`.
Matrix permuted(const Matrix& a, const std::vector<Index>& sources) {
  Matrix result = a;
  for (Index i = 0; i < sources.size(); ++i)
    std::ranges::copy(a.row(sources[i]), result.row(i).begin());
  return result;
}

}  // namespace

void require_panel(
    Context& context, RealType type, Index m, Index width, Index beside, bool bounded,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor) {
  const Index right = beside + width, all = right + beside;
  Matrix a = random_of(type, m, all, 1);
  a(0, beside) = 0;  // so that the first step has to exchange
  const MatrixView view = upload(context, type, a);
  const cl::Buffer pivots = context.allocate(width * sizeof(cl_int), kKnownAnswer);
  factor(view.at(0, beside), pivots);
  const Matrix made = read_back(context, type, view, m, all);
  exchange_rows(a, read_rows(context, pivots, std::min(m, width)));
  const Matrix lu = columns_of(made, beside, width);
  require_factors(columns_of(a, beside, width), lu, type, bounded);
  if (beside == 0) return;
  require(max_difference(columns_of(made, 0, beside), columns_of(a, 0, beside)), 0, "P B");
  require(max_difference(columns_of(made, right, beside),
                         solved(lu, columns_of(a, right, beside), width, false, true)),
          30 * static_cast<double>(m) * unit_roundoff(type), "L11^-1 P B");
}

void require_triangular_solve(
    Context& context, RealType type, Index n, Index nrhs, bool upper,
    const std::function<void(const MatrixView& t, const MatrixView& b)>& solve) {
  const Matrix t = random_triangle(type, n, 2), b = random_of(type, n, nrhs, 3);
  const MatrixView dt = upload(context, type, t), db = upload(context, type, b, 0);
  solve(dt, db);
  const Matrix x = read_back(context, type, db, n, nrhs), expected = solved(t, b, n, upper, !upper);
  require(max_difference(x, expected),
          64 * static_cast<double>(n) * unit_roundoff(type) * largest(expected), "T^-1 B");
}

void require_solve_with_factors(Context& context, RealType type, Index n, Index nrhs,
                                bool transposed,
                                const std::function<void(const FactorsQuestion&)>& solve) {
  const Matrix t = random_triangle(type, n, 8), b = random_of(type, n, nrhs, 9);
  std::vector<Index> pivots(n);
  for (Index k = 0; k < n; ++k) pivots[k] = k + (k * k + 3) % (n - k);
  const std::vector<cl_int> exchanges(pivots.begin(), pivots.end());
  const FactorsQuestion question{
      upload(context, type, t), context.allocate(n * sizeof(cl_int), kKnownAnswer),
      upload(context, type, b), static_cast<cl_uint>(n), static_cast<cl_uint>(nrhs)};
  context.queue().enqueueWriteBuffer(question.pivots, CL_TRUE, 0, n * sizeof(cl_int),
                                     exchanges.data());
  solve(question);
  Matrix expected = b;
  if (transposed) {
    const Matrix other = transpose(t);  // U^T, not unit, lies below; L^T, unit, above
    expected = solved(other, expected, n, false, false);
    expected = solved(other, expected, n, true, true);
    for (Index k = n; k-- > 0;)
      if (pivots[k] != k) std::ranges::swap_ranges(expected.row(k), expected.row(pivots[k]));
  } else {
    exchange_rows(expected, pivots);
    expected = solved(t, solved(t, expected, n, false, true), n, true, false);
  }
  const Matrix x = read_back(context, type, question.b, n, nrhs);
  require(max_difference(x, expected),
          64 * static_cast<double>(n) * unit_roundoff(type) * largest(expected),
          transposed ? "A^-T B" : "A^-1 B");
}

void require_upper_maximum(Context& context, RealType type,
                           const std::function<double(const MatrixView& t, Index n)>& maximum) {
  constexpr Index kRows = 150;
  Matrix t = random_of(type, kRows, kRows, 10);
  for (Index i = 0; i < kRows; ++i)
    for (Index j = 0; j < i; ++j) t(i, j) = 5;
  t(kRows - 1, kRows - 1) = -2;
  require(std::abs(maximum(upload(context, type, t), kRows) - 2), 0, "the largest element");
  t(kRows / 2, kRows - 1) = std::numeric_limits<double>::quiet_NaN();
  if (!std::isnan(maximum(upload(context, type, t), kRows)))
    throw WrongAnswer("wrong answer: the largest element, with a NaN among them, is not NaN");
}

void require_swap_solve(Context& context, RealType type, Index block, Index strip, bool solve,
                        const std::function<void(const SwapSolve&)>& swap_and_solve) {
  const Index rows = block + 7, columns = 4 * strip + 3, hole_begin = strip + 1,
              hole_end = 2 * strip + 2;
  const Matrix t = random_triangle(type, block, 4), b = random_of(type, rows, columns, 5);
  std::vector<cl_int> pivots(block);
  for (Index j = 0; j < block; ++j)
    pivots[j] = static_cast<cl_int>(j % 3 == 0 ? rows - 1 - j % 7 : std::max(j, (j * 5) % block));
  SwapSolve question{upload(context, type, t),
                     upload(context, type, b),
                     context.allocate(block * sizeof(cl_int), kKnownAnswer),
                     block,
                     columns,
                     hole_begin,
                     hole_end};
  context.queue().enqueueWriteBuffer(question.pivots, CL_TRUE, 0, block * sizeof(cl_int),
                                     pivots.data());
  swap_and_solve(question);
  const Matrix result = read_back(context, type, question.b, rows, columns);
  Matrix expected = b;
  exchange_rows(expected, {pivots.begin(), pivots.end()});
  const Matrix right = solved(t, expected, block, false, true);
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < columns; ++c) {
      if (c >= hole_begin && c < hole_end) expected(i, c) = b(i, c);
      if (solve && c >= hole_end && i < block) expected(i, c) = right(i, c);
    }
  require(max_difference(result, expected),
          64 * static_cast<double>(block) * unit_roundoff(type) * largest(expected), "L^-1 P B");
}

void require_solution(
    Context& context, RealType type, Index n,
    const std::function<std::vector<Index>(const MatrixView& a, const MatrixView& b)>& solve) {
  Matrix a = random_of(type, n, n, 6);
  const Matrix b = random_of(type, n, 1, 7);
  if (n > 1) a(0, 0) = 0;
  const MatrixView da = upload(context, type, a), db = upload(context, type, b, 0);
  const std::vector<Index> pivots = solve(da, db);
  const Matrix lu = read_back(context, type, da, n, n), x = read_back(context, type, db, n, 1);
  require(compute_residual({a, b}, x, unit_roundoff(type)).scaled, kScaledResidualBound,
          "the scaled residual");
  exchange_rows(a, pivots);
  require_factors(a, lu, type, true);
}

void require_positive_definite_solution(
    Context& context, RealType type, Index n,
    const std::function<std::optional<Index>(const MatrixView& a, const MatrixView& b)>& solve) {
  const Matrix r = random_of(type, n, n, 11), b = random_of(type, n, 1, 7);
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      double sum = 0;
      for (Index k = 0; k < n; ++k) sum += r(i, k) * r(j, k);
      sum = sum / static_cast<double>(n) + (i == j ? 0.25 : 0);
      a(i, j) = a(j, i) =
          type == RealType::f32 ? static_cast<double>(static_cast<float>(sum)) : sum;
    }
  const auto lower = [&] {
    Matrix half = a;
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j < n; ++j) half(i, j) = 5;
    return upload(context, type, half);
  };
  const MatrixView da = lower(), db = upload(context, type, b, 0);
  if (const auto failed = solve(da, db))
    throw WrongAnswer(
        fmt::format("wrong answer: column {} of a positive definite matrix fails", *failed));
  const Matrix x = read_back(context, type, db, n, 1);
  require(compute_residual({a, b}, x, unit_roundoff(type)).scaled, kScaledResidualBound,
          "the scaled residual");
  require_factors(a, read_back(context, type, da, n, n), type, false);
  a(n / 2, n / 2) = -1;
  if (solve(lower(), db) != n / 2)
    throw WrongAnswer("wrong answer: the column of a pivot that is not positive is not named");
}

void require_sweep(Context& context, RealType type, bool seidel,
                   const std::function<void(const SweepQuestion&)>& sweep) {
  constexpr Index kRows = 37, kRhs = 2;
  Matrix a = random_of(type, kRows, kRows, 12);
  for (Index i = 0; i < kRows; ++i) a(i, i) += a(i, i) < 0 ? -1 : 1;
  const Matrix b = random_of(type, kRhs, kRows, 13), x = random_of(type, kRhs, kRows, 14);
  const SweepQuestion question{upload(context, type, a),
                               upload(context, type, b, 0).buffer,
                               upload(context, type, x, 0).buffer,
                               upload(context, type, Matrix(kRhs, kRows), 0).buffer,
                               kRows,
                               kRhs};
  sweep(question);
  Matrix expected = x;
  for (Index c = 0; c < kRhs; ++c)
    for (Index i = 0; i < kRows; ++i) {
      double sum = b(c, i);
      for (Index j = 0; j < kRows; ++j)
        if (j != i) sum -= a(i, j) * (seidel ? expected : x)(c, j);
      expected(c, i) = sum / a(i, i);
    }
  const Matrix result =
      read_back(context, type, {seidel ? question.x : question.next, 0, kRows}, kRhs, kRows);
  require(max_difference(result, expected),
          64 * static_cast<double>(kRows) * unit_roundoff(type) * largest(expected), "a sweep");
}

void require_reflections(Context& context, RealType type, Index m, Index width, Index room,
                         const std::function<void(const ReflectionsQuestion&)>& factor) {
  Matrix a = random_of(type, m, width + 1, 15);
  for (Index i = 0; i < m; ++i) a(i, width / 2) = 0;
  const ReflectionsQuestion question{upload(context, type, a),
                                     upload(context, type, Matrix(m, room), 0),
                                     upload(context, type, Matrix(width, width), 1),
                                     upload(context, type, Matrix(1, width + 1), 0).buffer};
  factor(question);
  const Matrix r = read_back(context, type, question.a, m, width + 1),
               v = read_back(context, type, question.v, m, room),
               t = read_back(context, type, question.t, width, width);
  // Q (R; 0), and Q^T Q by the last column of A, which stayed.
  const auto reflected = [&](const Matrix& x, bool transpose) {
    Matrix products(width, x.cols()), result = x;
    for (Index i = 0; i < m; ++i)
      for (Index k = 0; k < width; ++k)
        for (Index c = 0; c < x.cols(); ++c) products(k, c) += v(i, k) * x(i, c);
    for (Index i = 0; i < m; ++i)
      for (Index k = 0; k < width; ++k)
        for (Index l = 0; l < width; ++l)
          for (Index c = 0; c < x.cols(); ++c)
            result(i, c) -= v(i, k) * (transpose ? t(l, k) : t(k, l)) * products(l, c);
    return result;
  };
  Matrix upper(m, width), before(m, width), last(m, 1);
  double error = 0;
  for (Index i = 0; i < m; ++i) {
    for (Index c = 0; c < width; ++c) {
      before(i, c) = a(i, c);
      if (i <= c) upper(i, c) = r(i, c);
      const double expected = i == c ? 1 : 0;
      if (i <= c) error = max_or_nan(error, std::abs(v(i, c) - expected));
      if (i > c && i < width + 3) error = max_or_nan(error, std::abs(r(i, c)));
    }
    last(i, 0) = a(i, width);
    error = max_or_nan(error, std::abs(r(i, width) - a(i, width)));
  }
  require(error, 0, "what is not to be computed of a panel's V and R");
  const double bound = 8 * static_cast<double>(m) * unit_roundoff(type);
  require(max_difference(reflected(upper, false), before), bound, "Q R");
  require(max_difference(reflected(reflected(last, false), true), last), bound, "Q^T Q");
}

namespace {

using Complex = std::complex<double>;

Complex complex_at(const Matrix& parts, Index i, Index j) {
  return {parts(i, 2 * j), parts(i, 2 * j + 1)};
}

/// As require_factors(), of complex numbers; a pivot has the largest |re| + |im| of its column, so no multiplier is above sqrt(2).
void require_complex_factors(const Matrix& a, const Matrix& lu, RealType type) {
  const Index n = a.rows();
  double error = 0, largest_l = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      Complex sum = complex_at(a, i, j);
      for (Index p = 0; p <= std::min(i, j); ++p)
        sum -= (p == i ? Complex(1) : complex_at(lu, i, p)) * complex_at(lu, p, j);
      error = max_or_nan(error, std::abs(sum));
      if (j < i) largest_l = max_or_nan(largest_l, std::abs(complex_at(lu, i, j)));
    }
  require(error, 60 * static_cast<double>(n) * unit_roundoff(type), "P A - L U");
  require(largest_l, std::sqrt(2.0) * (1 + 8 * unit_roundoff(type)),
          "the largest multiplier, sqrt(2) by rights,");
}

/// |b - A x| against n eps (|A| |x| + |b|), of the largest sums.
double complex_backward_error(const Matrix& a, const Matrix& b, const Matrix& x, RealType type) {
  const Index n = a.rows();
  double off = 0, size = 0;
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < b.cols() / 2; ++c) {
      Complex r = complex_at(b, i, c);
      double sum = std::abs(r);
      for (Index j = 0; j < n; ++j) {
        const Complex term = complex_at(a, i, j) * complex_at(x, j, c);
        r -= term;
        sum += std::abs(term);
      }
      off = max_or_nan(off, std::abs(r));
      size = max_or_nan(size, sum);
    }
  return off / (size * static_cast<double>(n) * unit_roundoff(type));
}

}  // namespace

void require_complex_solution(Context& context, RealType type, Index n, Index nrhs, Index b,
                              Index ld,
                              const std::function<ComplexOutcome(const ComplexQuestion&)>& solve) {
  constexpr Index kZeroColumn = 2;
  Matrix a = random_of(type, n, 2 * n, 17);
  a(0, 0) = a(0, 1) = 0;  // so that the first step has to exchange
  const Matrix rhs = random_of(type, n, 2 * nrhs, 18);
  for (const bool singular : {false, true}) {
    Matrix both(n, ld);
    for (Index i = 0; i < n; ++i) {
      if (singular) a(i, 2 * kZeroColumn) = a(i, 2 * kZeroColumn + 1) = 0;
      std::ranges::copy(a.row(i), both.row(i).begin());
      std::ranges::copy(rhs.row(i), both.row(i).subspan(b).begin());
    }
    const ComplexQuestion question{to_device(context, type, both, ld, kKnownAnswer), n, nrhs, b};
    const ComplexOutcome outcome = solve(question);
    if (singular ? outcome.failed != kZeroColumn : outcome.failed.has_value())
      throw WrongAnswer(singular ? "wrong answer: the column of a zero pivot is not named"
                                 : "wrong answer: a matrix that is not singular fails");
    if (singular) return;
    const Matrix all = read_back(context, type, question.a, n, ld);
    Matrix permuted_a = a, lu(n, 2 * n), x(n, 2 * nrhs);
    for (Index i = 0; i < n; ++i) {
      std::ranges::copy(all.row(i).first(2 * n), lu.row(i).begin());
      std::ranges::copy(all.row(i).subspan(b, 2 * nrhs), x.row(i).begin());
    }
    exchange_rows(permuted_a, outcome.exchanges);
    require_complex_factors(permuted_a, lu, type);
    require(complex_backward_error(a, rhs, x, type), kScaledResidualBound, "the scaled residual");
  }
}

void require_two_sided_butterfly(
    Context& context, RealType input, RealType output, const ButterflyQuestion& question,
    const std::function<void(const MatrixView& a, const MatrixView& r)>& two_sided) {
  const Index n = question.u.size() / 2;
  const Matrix a = random_of(input, n, n, 8);
  const MatrixView dr = upload(context, output, Matrix(n, n));
  two_sided(upload(context, input, a), dr);
  const Matrix av = transposed(butterflied(question.v, transposed(a), true)),
               expected = butterflied(question.u, av, true);
  require(max_difference(read_back(context, output, dr, n, n), expected),
          64 * unit_roundoff(output) * largest(expected), "U^T A V");
}

void require_one_sided_butterflies(Context& context, RealType type,
                                   const ButterflyQuestion& question,
                                   const OneSidedButterfly& transposed_u,
                                   const OneSidedButterfly& forward_v) {
  constexpr Index kNrhs = 3;
  const Index n = question.u.size() / 2;
  const Matrix b = random_of(type, n, kNrhs, 9);
  const MatrixView db = upload(context, type, b), dy = upload(context, type, Matrix(n, kNrhs), 1);
  const auto check = [&](const Matrix& expected, const char* what) {
    require(max_difference(read_back(context, type, dy, n, kNrhs), expected),
            64 * unit_roundoff(type) * largest(expected), what);
  };
  const std::vector<Index> order = rotated(n, 7);
  std::vector<Index> positions(n);
  for (Index i = 0; i < n; ++i) positions[order[i]] = i;
  const cl::Buffer there = upload_rows(context, positions);
  transposed_u(db, dy, kNrhs, there);
  check(permuted(butterflied(question.u, b, true), order), "U^T B");
  forward_v(upload(context, type, permuted(b, order)), dy, kNrhs, there);
  check(butterflied(question.v, b, false), "V B");
}

namespace {

/// P A = L U of the best rows, L^-1 and U^-1.
void require_diagonal_answer(Context& context, RealType type, Index nb, const Matrix& a,
                             const DiagonalQuestion& question) {
  const Index size = question.size;
  const Matrix lu = read_back(context, type, question.lu, size, size),
               inverses = read_back(context, type, {question.work, 0, nb}, 2 * nb, nb);
  const std::vector<Index> sources = read_rows(context, question.sources, question.rows);
  require_permutation(sources);
  Matrix best(size, size);
  for (Index i = 0; i < size; ++i) std::ranges::copy(a.row(sources[i]), best.row(i).begin());
  require_factors(best, lu, type, false);
  for (const bool upper : {false, true}) {
    Matrix triangle(nb, nb), inverse(nb, nb);
    for (Index i = 0; i < nb; ++i)
      for (Index j = 0; j < nb; ++j) {
        const bool inside = i < size && j < size && (upper ? i <= j : i > j);
        triangle(i, j) = inside ? lu(i, j) : (i == j ? 1 : 0);
        inverse(i, j) = inverses(upper ? nb + i : i, j);
      }
    if (!upper) require(largest(triangle), 1 + 0x1p-13, "the largest multiplier, 1 by rights,");
    require(
        inverse_error(triangle, inverse),
        64 * static_cast<double>(nb) * unit_roundoff(type) * largest(triangle) * largest(inverse),
        upper ? "U U^-1 - I" : "L L^-1 - I");
  }
}

}  // namespace

void require_diagonal_block(
    Context& context, RealType type, const WindowSizes& sizes, bool singular,
    const std::function<std::optional<Index>(const DiagonalQuestion&)>& factor) {
  constexpr Index kZeroPivot = 2;
  const auto& [nb, window] = sizes;
  const Index less = nb > 4 ? nb - 1 : nb, more = std::max(nb, window - 3);
  for (const auto& [rows, size] : {std::pair(less, less), {more, nb}}) {
    if (singular && size <= kZeroPivot) continue;
    Matrix a = random_of(type, rows, size, 10);
    if (rows > 1) a(0, 0) = 0;
    for (Index i = 0; singular && i < rows; ++i) a(i, kZeroPivot) = 0;
    const DiagonalQuestion question{
        upload(context, type, a),
        upload(context, type, Matrix(size, size)),
        context.allocate((2 * nb + window) * nb * bytes_of(type), kKnownAnswer),
        context.allocate(rows * sizeof(cl_int), kKnownAnswer),
        rows,
        size};
    const std::optional<Index> failed = factor(question);
    if (failed != (singular ? std::optional(kZeroPivot) : std::nullopt))
      throw WrongAnswer(failed ? fmt::format("wrong answer: pivot {} is said to be bad", *failed)
                               : "wrong answer: a zero pivot is not noticed");
    if (singular)
      require_permutation(read_rows(context, question.sources, rows));
    else
      require_diagonal_answer(context, type, nb, a, question);
  }
}

void require_exchanges(Context& context, RealType type, const WindowSizes& sizes,
                       const std::function<void(const ExchangeQuestion&)>& exchange) {
  const Index first = sizes.block + 1, rows = std::max<Index>(1, sizes.window - 3),
              n = first + rows + 2, columns = n - 1;
  const Matrix a = random_of(type, n, n, 12), lu = random_of(type, n, n, 13);
  const std::vector<Index> sources = rotated(rows, rows / 3 + 1), order = rotated(n, 1);
  std::vector<Index> all = rotated(n, 0), expected_order = order;
  for (Index t = 0; t < rows; ++t) {
    all[first + t] = first + sources[t];
    expected_order[first + t] = order[first + sources[t]];
  }
  const auto exchanged = [&](const Matrix& of, Index begin, Index end) {
    Matrix result = of;
    for (Index i = 0; i < n; ++i)
      for (Index j = begin; j < end; ++j) result(i, j) = of(all[i], j);
    return result;
  };
  const ExchangeQuestion question{upload(context, type, a),
                                  upload(context, type, lu, 1),
                                  first,
                                  rows,
                                  columns,
                                  upload_rows(context, sources),
                                  upload_rows(context, order),
                                  context.allocate(n * sizeof(cl_int), kKnownAnswer)};
  exchange(question);
  require(max_difference(read_back(context, type, question.a, n, n), exchanged(a, first, columns)),
          0, "P A");
  require(max_difference(read_back(context, type, question.lu, n, n), exchanged(lu, 0, first)), 0,
          "P L");
  const std::vector<Index> found = read_rows(context, question.order, n),
                           positions = read_rows(context, question.positions, n);
  for (Index i = 0; i < n; ++i)
    if (found[i] != expected_order[i] || positions[expected_order[i]] != i)
      throw WrongAnswer(fmt::format("wrong answer: row {} is not where it should be", i));
}

void require_extreme_entries(
    Context& context, RealType type,
    const std::function<void(const MatrixView& a, cl_uint n, const cl::Buffer& figures)>& find) {
  constexpr Index kRows = 70;
  Matrix a = random_triangle(type, kRows, 11);  // 1 and more on the diagonal
  a(kRows - 1, 1) = -5;
  a(3, kRows - 2) = -9;
  a(kRows - 4, kRows - 4) = -0.5;
  for (const bool with_nan : {false, true}) {
    if (with_nan) a(kRows - 2, 2) = std::numeric_limits<double>::quiet_NaN();
    const cl::Buffer figures = context.allocate(sizeof(cl_float4), kKnownAnswer);
    const cl_float4 initial{{0, 0, std::numeric_limits<float>::infinity(), 0}};
    context.queue().enqueueFillBuffer(figures, initial, 0, sizeof initial);
    find(upload(context, type, a), kRows, figures);
    const Values values = download(context.queue(), figures, RealType::f32, 3);
    if ((with_nan ? !std::isnan(values[0]) : values[0] != 5) || values[1] != 9 || values[2] != 0.5)
      throw WrongAnswer(fmt::format("wrong answer: the extreme entries are {}, {} and {}",
                                    values[0], values[1], values[2]));
  }
}

void require_batched(Context& context, RealType type, Index n, Index nrhs, bool definite,
                     const std::function<void(const BatchedQuestion&)>& solve) {
  constexpr Index kCount = 4, kSingular = 1, kZeroPivot = 2;
  Matrix a = random_of(type, kCount, n * n, 1);
  const Matrix b = random_of(type, kCount, n * nrhs, 2);
  for (Index i = 0; i < n; ++i) a(kSingular, i * n + n - 1) = 0;
  if (n > 1 && !definite) a(kZeroPivot, 0) = 0;
  Matrix given = a;
  for (Index s = 0; s < kCount; ++s)
    for (Index i = 0; i < (definite ? n : 0); ++i) {
      const bool zero = s == kSingular && i + 1 == n;
      a(s, i * n + i) = given(s, i * n + i) = zero ? 0 : 2 * static_cast<double>(n);
      for (Index j = 0; j < i; ++j) {
        if (zero) a(s, i * n + j) = given(s, i * n + j) = 0;
        a(s, j * n + i) = a(s, i * n + j);
      }
    }
  const BatchedQuestion question{
      {to_device(context, type, given, n * n, kKnownAnswer).buffer, 0, n, n * n},
      {to_device(context, type, b, n * nrhs, kKnownAnswer).buffer, 0, nrhs, n * nrhs},
      nrhs,
      kCount,
      context.allocate(kCount * sizeof(cl_int), kKnownAnswer)};
  context.queue().enqueueFillBuffer(question.info, cl_int{-1}, 0, kCount * sizeof(cl_int));
  solve(question);
  const Values x = download(context.queue(), question.b.buffer, type, kCount * n * nrhs);
  const std::vector<Index> info = read_rows(context, question.info, kCount);
  for (Index s = 0; s < kCount; ++s) {
    if (info[s] != (s == kSingular ? n : 0))
      throw WrongAnswer(fmt::format("wrong answer: system {} of {} has info {}, not {}", s, kCount,
                                    static_cast<std::int64_t>(info[s]), s == kSingular ? n : 0));
    if (s == kSingular) continue;
    require(compute_residual(n, nrhs, a.row(s), b.row(s),
                             std::span(x).subspan(s * n * nrhs, n * nrhs), unit_roundoff(type))
                .scaled,
            kScaledResidualBound, "the scaled residual");
  }
}

}  // namespace clgauss
