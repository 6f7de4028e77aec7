#include "kernels/cholesky/known_answers.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>

namespace clgauss {

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
    return question_of(context, type, half);
  };
  const MatrixView da = lower(), db = question_of(context, type, b, 0);
  if (const auto failed = solve(da, db))
    throw WrongAnswer(
        fmt::format("wrong answer: column {} of a positive definite matrix fails", *failed));
  const Matrix x = answer_in(context, type, db, n, 1);
  require_error(compute_residual({a, b}, x, unit_roundoff(type)).scaled, kScaledResidualBound,
                "the scaled residual");
  require_factors(a, answer_in(context, type, da, n, n), type, false);
  a(n / 2, n / 2) = -1;
  if (solve(lower(), db) != n / 2)
    throw WrongAnswer("wrong answer: the column of a pivot that is not positive is not named");
}

}  // namespace clgauss
