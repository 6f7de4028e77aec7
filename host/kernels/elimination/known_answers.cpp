#include "kernels/elimination/known_answers.hpp"

#include <clgauss/residual.hpp>

namespace clgauss {

void require_sweep(Context& context, RealType type, bool seidel,
                   const std::function<void(const SweepQuestion&)>& sweep) {
  constexpr Index kRows = 37, kRhs = 2;
  Matrix a = random_of(type, kRows, kRows, 12);
  for (Index i = 0; i < kRows; ++i) a(i, i) += a(i, i) < 0 ? -1 : 1;
  const Matrix b = random_of(type, kRhs, kRows, 13), x = random_of(type, kRhs, kRows, 14);
  const SweepQuestion question{question_of(context, type, a),
                               question_of(context, type, b, 0).buffer,
                               question_of(context, type, x, 0).buffer,
                               question_of(context, type, Matrix(kRhs, kRows), 0).buffer,
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
      answer_in(context, type, {seidel ? question.x : question.next, 0, kRows}, kRhs, kRows);
  require_error(max_difference(result, expected),
                64 * static_cast<double>(kRows) * unit_roundoff(type) * largest_in(expected),
                "a sweep");
}

}  // namespace clgauss
