#include "kernels/ldlt/known_answers.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>

#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

Matrix symmetric(RealType type, Index n, bool with_diagonal) {
  Matrix a = random_of(type, n, n, 13);
  for (Index i = 0; i < n; ++i) {
    if (!with_diagonal) a(i, i) = 0;
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  return a;
}

}  // namespace

void require_symmetric_solution(
    Context& context, RealType type, Index n,
    const std::function<SymmetricAnswer(const MatrixView& a, const MatrixView& b)>& solve) {
  const auto lower = [&](Matrix a) {
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j < n; ++j) a(i, j) = 5;
    return question_of(context, type, a);
  };
  const Matrix b = random_of(type, n, 1, 7);
  for (const bool with_diagonal : {true, false}) {
    const Matrix a = symmetric(type, n, with_diagonal);
    const MatrixView da = lower(a), db = question_of(context, type, b, 0);
    const SymmetricAnswer answer = solve(da, db);
    if (answer.failed_column)
      throw WrongAnswer(
          fmt::format("wrong answer: column {} of a regular matrix fails", *answer.failed_column));
    const Matrix x = answer_in(context, type, db, n, 1);
    require_error(compute_residual({a, b}, x, unit_roundoff(type)).scaled, kScaledResidualBound,
                  "the scaled residual");
    Matrix exchanged = a;
    exchange_rows(exchanged, answer.rows);
    exchanged = transposed(exchanged);
    exchange_rows(exchanged, answer.columns);
    require_factors(transposed(exchanged), answer_in(context, type, da, n, n), type, false);
  }
  Matrix singular = symmetric(type, n, true);
  for (Index i = 0; i < n; ++i) singular(i, n / 2) = singular(n / 2, i) = 0;
  if (!solve(lower(singular), question_of(context, type, b, 0)).failed_column)
    throw WrongAnswer("wrong answer: a pivot of zero is not named");
}

}  // namespace clgauss
