#include "kernels/complex/known_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <complex>
#include <utility>

#include "matrix/max_or_nan.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

using Complex = std::complex<double>;

Complex complex_at(const Matrix& parts, Index i, Index j) {
  return {parts(i, 2 * j), parts(i, 2 * j + 1)};
}

/// require_factors() for complex numbers. A pivot has the largest |re| + |im| of its column, so no
/// multiplier is above sqrt(2). That is not checked for Cholesky (`pivoted` = false).
void require_complex_factors(const Matrix& a, const Matrix& lu, RealType type,
                             bool pivoted = true) {
  const Index m = a.rows(), width = a.cols() / 2;
  double error = 0, largest_l = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < width; ++j) {
      Complex sum = complex_at(a, i, j);
      for (Index p = 0; p <= std::min(i, j); ++p)
        sum -= (p == i ? Complex(1) : complex_at(lu, i, p)) * complex_at(lu, p, j);
      error = max_or_nan(error, std::abs(sum));
      if (j < i) largest_l = max_or_nan(largest_l, std::abs(complex_at(lu, i, j)));
    }
  require_error(error, 60 * static_cast<double>(m) * unit_roundoff(type), "P A - L U");
  if (!pivoted) return;
  require_error(largest_l, std::sqrt(2.0) * (1 + 8 * unit_roundoff(type)),
                "the largest multiplier, which should be sqrt(2),");
}

/// |b - A x| relative to n eps (|A| |x| + |b|), using the largest sums.
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

/// R R^H / n + I / 4, rounded to the type.
Matrix random_definite(RealType type, Index n) {
  const Matrix r = random_of(type, n, 2 * n, 23);
  Matrix a(n, 2 * n);
  const auto in_type = [&](double value) {
    return type == RealType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
  };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      Complex sum = 0;
      for (Index k = 0; k < n; ++k) sum += complex_at(r, i, k) * std::conj(complex_at(r, j, k));
      sum = sum / static_cast<double>(n) + (i == j ? 0.25 : 0.0);
      a(i, 2 * j) = a(j, 2 * i) = in_type(sum.real());
      a(i, 2 * j + 1) = i == j ? 0 : in_type(sum.imag());
      a(j, 2 * i + 1) = -a(i, 2 * j + 1);
    }
  return a;
}

Matrix random_hermitian(RealType type, Index n, bool with_diagonal) {
  Matrix a = random_of(type, n, 2 * n, 29);
  for (Index i = 0; i < n; ++i) {
    a(i, 2 * i + 1) = 0;
    if (!with_diagonal) a(i, 2 * i) = 0;
    for (Index j = 0; j < i; ++j) {
      a(j, 2 * i) = a(i, 2 * j);
      a(j, 2 * i + 1) = -a(i, 2 * j + 1);
    }
  }
  return a;
}

/// `a` with 5 in place of what is not read of a Hermitian matrix: the upper triangle, and the
/// imaginary parts of the diagonal.
Matrix lower_half(Matrix a) {
  for (Index i = 0; i < a.rows(); ++i) std::ranges::fill(a.row(i).subspan(2 * i + 1), 5.0);
  return a;
}

/// A and B side by side; B begins at column `b`.
Matrix side_by_side(const Matrix& a, const Matrix& rhs, Index b, Index ld) {
  Matrix both(a.rows(), ld);
  for (Index i = 0; i < a.rows(); ++i) {
    std::ranges::copy(a.row(i), both.row(i).begin());
    std::ranges::copy(rhs.row(i), both.row(i).subspan(b).begin());
  }
  return both;
}

}  // namespace

Matrix random_triangle(NumberType number, Index n, std::uint64_t seed) {
  if (!number.complex) return random_triangle(number.real, n, seed);
  Matrix t = random_of(number.real, n, 2 * n, seed);
  const int less = static_cast<int>(std::log2(static_cast<double>(n)));
  for (Index i = 0; i < n; ++i)
    for (Index part = 0; part < 2 * n; ++part) {
      double& value = t(i, part);
      value = part / 2 == i ? value + (value < 0 ? -1 : 1) : std::ldexp(value, -less);
    }
  return t;
}

Matrix solved_on_host(NumberType number, const Matrix& t, const Matrix& b, Index n, bool upper,
                      bool unit) {
  if (!number.complex) return solved_on_host(t, b, n, upper, unit);
  Matrix x = b;
  for (Index step = 0; step < n; ++step) {
    const Index i = upper ? n - 1 - step : step;
    for (Index c = 0; c < b.cols() / 2; ++c) {
      Complex sum = complex_at(x, i, c);
      for (Index k = upper ? i + 1 : 0; k < (upper ? n : i); ++k)
        sum -= complex_at(t, i, k) * complex_at(x, k, c);
      if (!unit) sum /= complex_at(t, i, i);
      x(i, 2 * c) = sum.real();
      x(i, 2 * c + 1) = sum.imag();
    }
  }
  return x;
}

void require_complex_panel(
    Context& context, RealType type, const PanelShape& shape,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor) {
  const auto& [m, width, beside] = shape;
  const NumberType number(type, true);
  const Index right = beside + width, all = right + beside;
  Matrix a = random_of(type, m, 2 * all, 19);
  a(0, 2 * beside) = a(0, 2 * beside + 1) = 0;  // forces an exchange in the first step
  const MatrixView parts = question_of(context, type, a, 4);
  const cl::Buffer pivots = context.allocate(width * sizeof(cl_int), kKnownAnswer);
  factor(number.in_numbers(parts).at(0, beside), pivots);
  const Matrix made = answer_in(context, type, parts, m, 2 * all);
  exchange_rows(a, rows_in(context, pivots, std::min(m, width)));
  const Matrix lu = columns_of(made, 2 * beside, 2 * width);
  require_complex_factors(columns_of(a, 2 * beside, 2 * width), lu, type);
  if (beside == 0) return;
  require_error(max_difference(columns_of(made, 0, 2 * beside), columns_of(a, 0, 2 * beside)), 0,
                "P B");
  require_error(max_difference(columns_of(made, 2 * right, 2 * beside),
                               solved_on_host(number, lu, columns_of(a, 2 * right, 2 * beside),
                                              width, false, true)),
                60 * static_cast<double>(m) * unit_roundoff(type), "L11^-1 P B");
}

void require_complex_solution(Context& context, RealType type, Index n, Index nrhs, Index b,
                              Index ld,
                              const std::function<ComplexOutcome(const ComplexQuestion&)>& solve) {
  constexpr Index kZeroColumn = 2;
  Matrix a = random_of(type, n, 2 * n, 17);
  a(0, 0) = a(0, 1) = 0;  // forces an exchange in the first step
  const Matrix rhs = random_of(type, n, 2 * nrhs, 18);
  for (const bool singular : {false, true}) {
    for (Index i = 0; singular && i < n; ++i) a(i, 2 * kZeroColumn) = a(i, 2 * kZeroColumn + 1) = 0;
    const ComplexQuestion question{
        to_device(context, type, side_by_side(a, rhs, b, ld), ld, kKnownAnswer), n, nrhs, b};
    const ComplexOutcome outcome = solve(question);
    if (singular ? outcome.failed != kZeroColumn : outcome.failed.has_value())
      throw WrongAnswer(singular ? "wrong answer: the column of a zero pivot is not named"
                                 : "wrong answer: a matrix that is not singular fails");
    if (singular) return;
    const Matrix all = answer_in(context, type, question.a, n, ld);
    Matrix permuted_a = a;
    exchange_rows(permuted_a, outcome.exchanges);
    require_complex_factors(permuted_a, columns_of(all, 0, 2 * n), type);
    require_error(complex_backward_error(a, rhs, columns_of(all, b, 2 * nrhs), type),
                  kScaledResidualBound, "the scaled residual");
  }
}

void require_hermitian_solution(
    Context& context, RealType type, Index n, Index nrhs, Index b, Index ld,
    const std::function<std::optional<Index>(const ComplexQuestion&)>& solve) {
  Matrix a = random_definite(type, n);
  const Matrix rhs = random_of(type, n, 2 * nrhs, 18);
  const auto question = [&] {
    return ComplexQuestion{
        to_device(context, type, side_by_side(lower_half(a), rhs, b, ld), ld, kKnownAnswer), n,
        nrhs, b};
  };
  const ComplexQuestion asked = question();
  if (const auto failed = solve(asked))
    throw WrongAnswer(
        fmt::format("wrong answer: column {} of a positive definite matrix fails", *failed));
  const Matrix all = answer_in(context, type, asked.a, n, ld);
  require_complex_factors(a, columns_of(all, 0, 2 * n), type, false);
  require_error(complex_backward_error(a, rhs, columns_of(all, b, 2 * nrhs), type),
                kScaledResidualBound, "the scaled residual");
  a(n / 2, 2 * (n / 2)) = -1;
  if (solve(question()) != n / 2)
    throw WrongAnswer("wrong answer: the column of a pivot that is not positive is not named");
}

void require_indefinite_solution(
    Context& context, RealType type, Index n, Index nrhs, Index b, Index ld,
    const std::function<ComplexOutcome(const ComplexQuestion&)>& solve) {
  const Matrix rhs = random_of(type, n, 2 * nrhs, 18);
  const auto question = [&](const Matrix& a) {
    return ComplexQuestion{
        to_device(context, type, side_by_side(lower_half(a), rhs, b, ld), ld, kKnownAnswer), n,
        nrhs, b};
  };
  for (const bool with_diagonal : {true, false}) {
    const Matrix a = random_hermitian(type, n, with_diagonal);
    const ComplexQuestion asked = question(a);
    const ComplexOutcome outcome = solve(asked);
    if (outcome.failed)
      throw WrongAnswer(
          fmt::format("wrong answer: column {} of a regular matrix fails", *outcome.failed));
    const Matrix all = answer_in(context, type, asked.a, n, ld);
    Matrix exchanged = a;
    exchange_rows(exchanged, outcome.exchanges);
    for (Index k = 0; k < n; ++k)
      for (Index i = 0; i < n; ++i)
        for (const Index part : {0, 1})
          std::swap(exchanged(i, 2 * k + part), exchanged(i, 2 * outcome.of_columns[k] + part));
    require_complex_factors(exchanged, columns_of(all, 0, 2 * n), type, false);
    require_error(complex_backward_error(a, rhs, columns_of(all, b, 2 * nrhs), type),
                  kScaledResidualBound, "the scaled residual");
  }
  Matrix singular = random_hermitian(type, n, true);
  for (Index i = 0; i < n; ++i)
    for (const Index part : {0, 1})
      singular(i, 2 * (n / 2) + part) = singular(n / 2, 2 * i + part) = 0;
  if (!solve(question(singular)).failed)
    throw WrongAnswer("wrong answer: a pivot of zero is not named");
}

}  // namespace clgauss
