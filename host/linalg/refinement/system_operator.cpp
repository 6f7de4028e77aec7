#include "linalg/refinement/system_operator.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/refinement/column_sums.hpp"
#include "linalg/refinement/residual_block.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

void for_rows(const Matrix& a, const std::function<void(Index, Index)>& body) {
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(a.cols(), 1) + 1, body);
}

}  // namespace

template <typename Note>
void HostOperator::for_sums(const Matrix& x, const Note& note) const {
  const Matrix& a = system_.a;
  const Index n = a.rows(), nrhs = x.cols();
  if (transposed_)
    return for_rows(a, [&](Index first, Index last) {
      const Index step = ColumnSums::rows_at_once(nrhs);
      for (Index top = first; top < last; top += step) {
        const Index count = std::min(step, last - top);
        const ColumnSums sums(a.values(), n, x.values(), nrhs, top, count);
        for (Index i = 0; i < count; ++i)
          for (Index c = 0; c < nrhs; ++c) note(top + i, c, sums.of(i, c));
      }
    });
  const Values columns = transposed(x.values(), x.rows(), nrhs);
  for_rows(a, [&](Index first, Index last) {
    for (Index top = first; top < last; top += kRowsAtOnce)
      for (Index c = 0; c < nrhs; ++c)
        for (Index i = top; i < std::min(top + kRowsAtOnce, last); ++i)
          note(i, c, sums_of_row(a.row(i), columns.data() + c * n));
  });
}

void HostOperator::residual(const Matrix& x, Matrix& r, Matrix& d) {
  const Matrix& b = system_.b;
  if (x.cols() >= kManyRightHandSides) return residual_of_many(x, r, d);
  for_sums(x, [&](Index i, Index c, const RowSums& sums) {
    r(i, c) = b(i, c) - sums.product;
    d(i, c) = std::abs(b(i, c)) + sums.magnitude;
  });
}

void HostOperator::residual_of_many(const Matrix& x, Matrix& r, Matrix& d) const {
  const Matrix& a = system_.a;
  const Index nrhs = x.cols();
  for_rows(a, [&](Index first, Index last) {
    const Index from = first * nrhs, count = (last - first) * nrhs;
    residual_of_rows(rows_of(a.values(), a.cols(), first, last - first, transposed_),
                     system_.b.values().subspan(from, count), x.values().data(), nrhs,
                     r.values().data() + from, d.values().data() + from);
  });
}

Matrix HostOperator::product(const Matrix& v) {
  Matrix y(v.rows(), 1);
  for_sums(v, [&](Index i, Index c, const RowSums& sums) { y(i, c) = sums.product; });
  return y;
}

}  // namespace clgauss
