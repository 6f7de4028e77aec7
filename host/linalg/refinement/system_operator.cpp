#include "linalg/refinement/system_operator.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/refinement/row_sums.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

void for_rows(const Matrix& a, const std::function<void(Index, Index)>& body) {
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(a.cols(), 1) + 1, body);
}

}  // namespace

void HostOperator::residual(const Matrix& x, Matrix& r, Matrix& d) {
  const Matrix &a = system_.a, &b = system_.b;
  const Values columns = transposed(x.values(), x.rows(), x.cols());
  for_rows(a, [&](Index first, Index last) {
    for (Index top = first; top < last; top += kRowsAtOnce)
      for (Index c = 0; c < b.cols(); ++c)
        for (Index i = top; i < std::min(top + kRowsAtOnce, last); ++i) {
          const RowSums sums = sums_of_row(a.row(i), columns.data() + c * a.rows());
          r(i, c) = b(i, c) - sums.product;
          d(i, c) = std::abs(b(i, c)) + sums.magnitude;
        }
  });
}

Matrix HostOperator::product(const Matrix& v) {
  Matrix y(v.rows(), 1);
  for_rows(system_.a, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      y(i, 0) = sums_of_row(system_.a.row(i), v.values().data()).product;
  });
  return y;
}

}  // namespace clgauss
