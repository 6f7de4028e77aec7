#include "kernels/batched/known_answers.hpp"

#include <fmt/format.h>

#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <optional>

#include "matrix/max_or_nan.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// compute_residual() of complex numbers, without its copies and scaling. Nothing if a norm is so
/// large or small that a square might leave the range, or is not finite.
std::optional<Residual> plain_complex_residual(Index n, Index nrhs, std::span<const double> a,
                                               std::span<const double> b, std::span<const double> x,
                                               double eps) {
  const auto modulus = [](double re, double im) { return std::sqrt(re * re + im * im); };
  const auto is_plain = [](double norm) { return norm > 1e-100 && norm < 1e100; };
  const auto column_norm = [&](std::span<const double> m, Index c) {
    double largest = 0;
    for (Index i = 0; i < n; ++i) {
      const double* const number = m.data() + 2 * (i * nrhs + c);
      largest = max_or_nan(largest, modulus(number[0], number[1]));
    }
    return largest;
  };
  double norm = 0;
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += modulus(a[2 * (i * n + j)], a[2 * (i * n + j) + 1]);
    norm = max_or_nan(norm, sum);
  }
  if (!is_plain(norm)) return {};
  Residual residual;
  for (Index c = 0; c < nrhs; ++c) {
    const double of_x = column_norm(x, c), of_b = column_norm(b, c);
    if (!is_plain(of_x) || !is_plain(of_b)) return {};
    double largest = 0;
    for (Index i = 0; i < n; ++i) {
      const double* const row = a.data() + 2 * i * n;
      double re = b[2 * (i * nrhs + c)], im = b[2 * (i * nrhs + c) + 1];
      for (Index j = 0; j < n; ++j) {
        const double* const u = x.data() + 2 * (j * nrhs + c);
        re -= row[2 * j] * u[0] - row[2 * j + 1] * u[1];
        im -= row[2 * j] * u[1] + row[2 * j + 1] * u[0];
      }
      largest = max_or_nan(largest, safe_modulus(re, im));
    }
    residual.backward_error = max_or_nan(residual.backward_error, largest / (norm * of_x + of_b));
  }
  residual.scaled = residual.backward_error / (eps * static_cast<double>(n));
  return residual;
}

/// The systems of a BatchedQuestion.
constexpr Index kCount = 4, kSingular = 1, kZeroPivot = 2;

/// Asks `solve` for the systems of `a`, a row each, and throws WrongAnswer if one is wrong. The
/// device has `given` in place of `a`.
void require_answers(Context& context, NumberType number, Index n, Index nrhs, const Matrix& a,
                     const Matrix& given,
                     const std::function<void(const BatchedQuestion&)>& solve) {
  const RealType type = number.real;
  const Matrix b = random_of(type, kCount, n * nrhs * number.parts(), 2);
  const BatchedQuestion question{
      {to_device(context, type, given, given.cols(), kKnownAnswer).buffer, 0, n, n * n},
      {to_device(context, type, b, b.cols(), kKnownAnswer).buffer, 0, nrhs, n * nrhs},
      nrhs,
      kCount,
      context.allocate(kCount * sizeof(cl_int), kKnownAnswer)};
  context.queue().enqueueFillBuffer(question.info, cl_int{-1}, 0, kCount * sizeof(cl_int));
  solve(question);
  const Values x = download(context.queue(), question.b.buffer, type, kCount * b.cols());
  const std::vector<Index> info = rows_in(context, question.info, kCount);
  for (Index s = 0; s < kCount; ++s) {
    if (info[s] != (s == kSingular ? n : 0))
      throw WrongAnswer(fmt::format("wrong answer: system {} of {} has info {}, not {}", s, kCount,
                                    static_cast<std::int64_t>(info[s]), s == kSingular ? n : 0));
    if (s == kSingular) continue;
    require_error(
        residual_in_batch(number, n, nrhs, a.row(s), b.row(s),
                          std::span(x).subspan(s * b.cols(), b.cols()), unit_roundoff(type))
            .scaled,
        kScaledResidualBound, "the scaled residual");
  }
}

}  // namespace

void require_batched(Context& context, NumberType number, Index n, Index nrhs, bool definite,
                     const std::function<void(const BatchedQuestion&)>& solve) {
  const RealType type = number.real;
  const Index parts = number.parts();
  Matrix a = random_of(type, kCount, n * n * parts, 1);
  const auto clear = [&](Index s, Index element) {
    for (Index part = 0; part < parts; ++part) a(s, element * parts + part) = 0;
  };
  for (Index i = 0; i < n; ++i) clear(kSingular, i * n + n - 1);
  if (n > 1 && !definite) clear(kZeroPivot, 0);
  Matrix given = a;
  const auto at = [&](Index i, Index j) { return (i * n + j) * parts; };
  for (Index s = 0; s < kCount; ++s)
    for (Index i = 0; i < (definite ? n : 0); ++i) {
      const bool zero = s == kSingular && i + 1 == n;
      clear(s, i * n + i);  // the imaginary part of the given diagonal stays: nobody reads it
      a(s, at(i, i)) = given(s, at(i, i)) = zero ? 0 : 2 * static_cast<double>(n);
      for (Index j = 0; j < i; ++j)
        for (Index part = 0; part < parts; ++part) {
          if (zero) a(s, at(i, j) + part) = given(s, at(i, j) + part) = 0;
          a(s, at(j, i) + part) = (part == 0 ? 1 : -1) * a(s, at(i, j) + part);
        }
    }
  require_answers(context, number, n, nrhs, a, given, solve);
}

void require_batched_symmetric(Context& context, RealType type, Index n, Index nrhs,
                               const std::function<void(const BatchedQuestion&)>& solve) {
  const Matrix given = [&] {
    Matrix numbers = random_of(type, kCount, n * n, 1);
    for (Index j = 0; j < n; ++j) numbers(kSingular, (n - 1) * n + j) = 0;
    for (Index i = 0; i < (n > 1 ? n : 0); ++i) numbers(kZeroPivot, i * n + i) = 0;
    return numbers;
  }();
  Matrix a = given;
  for (Index s = 0; s < kCount; ++s)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) a(s, j * n + i) = a(s, i * n + j);
  require_answers(context, type, n, nrhs, a, given, solve);
}

Residual residual_in_batch(NumberType number, Index n, Index nrhs, std::span<const double> a,
                           std::span<const double> b, std::span<const double> x, double eps) {
  if (!number.complex) return compute_residual(n, nrhs, a, b, x, eps);
  if (const auto residual = plain_complex_residual(n, nrhs, a, b, x, eps)) return *residual;
  const auto matrix = [&](std::span<const double> parts) {
    return ComplexMatrix(Matrix(n, parts.size() / n, Values(parts.begin(), parts.end())));
  };
  return compute_residual(ComplexSystem{matrix(a), matrix(b)}, matrix(x), eps);
}

}  // namespace clgauss
