#include "kernels/substitution/known_answers.hpp"

#include <algorithm>
#include <clgauss/residual.hpp>

#include "kernels/complex/known_answers.hpp"
#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

/// The conjugate transpose of a square matrix.
Matrix conjugate_transposed(NumberType number, const Matrix& t) {
  if (!number.complex) return transposed(t);
  Matrix turned(t.rows(), t.cols());
  for (Index i = 0; i < t.rows(); ++i)
    for (Index j = 0; j < t.rows(); ++j) {
      turned(j, 2 * i) = t(i, 2 * j);
      turned(j, 2 * i + 1) = -t(i, 2 * j + 1);
    }
  return turned;
}

}  // namespace

void require_triangular_solve(
    Context& context, NumberType number, Index n, Index nrhs, bool upper,
    const std::function<void(const MatrixView& t, const MatrixView& b)>& solve) {
  const RealType type = number.real;
  const Matrix t = random_triangle(number, n, 2), b = random_of(type, n, number.parts() * nrhs, 3);
  const MatrixView dt = question_of(context, type, t, 4), db = question_of(context, type, b, 0);
  solve(number.in_numbers(dt), number.in_numbers(db));
  const Matrix x = answer_in(context, type, db, n, b.cols()),
               expected = solved_on_host(number, t, b, n, upper, !upper);
  require_error(max_difference(x, expected),
                64 * static_cast<double>(n) * unit_roundoff(type) * largest_in(expected), "T^-1 B");
}

void require_solve_with_factors(Context& context, NumberType number, Index n, Index nrhs,
                                bool transposed,
                                const std::function<void(const FactorsQuestion&)>& solve) {
  const RealType type = number.real;
  const Matrix t = random_triangle(number, n, 8), b = random_of(type, n, number.parts() * nrhs, 9);
  const MatrixView lu = question_of(context, type, t, 4), x_view = question_of(context, type, b, 4);
  std::vector<Index> pivots(n);
  for (Index k = 0; k < n; ++k) pivots[k] = k + (k * k + 3) % (n - k);
  const std::vector<cl_int> exchanges(pivots.begin(), pivots.end());
  const FactorsQuestion question{
      number.in_numbers(lu), context.allocate(n * sizeof(cl_int), kKnownAnswer),
      number.in_numbers(x_view), static_cast<cl_uint>(n), static_cast<cl_uint>(nrhs)};
  context.queue().enqueueWriteBuffer(question.pivots, CL_TRUE, 0, n * sizeof(cl_int),
                                     exchanges.data());
  solve(question);
  Matrix expected = b;
  if (transposed) {
    const Matrix other =
        conjugate_transposed(number, t);  // U^T is below, not unit; L^T is above, unit
    expected = solved_on_host(number, other, expected, n, false, false);
    expected = solved_on_host(number, other, expected, n, true, true);
    for (Index k = n; k-- > 0;)
      if (pivots[k] != k) std::ranges::swap_ranges(expected.row(k), expected.row(pivots[k]));
  } else {
    exchange_rows(expected, pivots);
    expected = solved_on_host(number, t, solved_on_host(number, t, expected, n, false, true), n,
                              true, false);
  }
  const Matrix x = answer_in(context, type, x_view, n, b.cols());
  require_error(max_difference(x, expected),
                64 * static_cast<double>(n) * unit_roundoff(type) * largest_in(expected),
                transposed ? "A^-T B" : "A^-1 B");
}

}  // namespace clgauss
