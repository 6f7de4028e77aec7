#include "linalg/solve/factored.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "matrix/max_or_nan.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

using Solve = void (Factored::*)(Matrix&);

InverseProducts products_by(Factored& factors, Index n, Solve plain, Solve transposed) {
  const auto by = [&factors](Solve solve) {
    return [&factors, solve](Matrix x) {
      (factors.*solve)(x);
      return x;
    };
  };
  return {n, by(plain), by(transposed)};
}

}  // namespace

InverseProducts inverse_of(Factored& factors, Index n) {
  return products_by(factors, n, &Factored::solve, &Factored::solve_transposed);
}

InverseProducts scaled_inverse_of(Factored& factors, Index n) {
  return products_by(factors, n, &Factored::solve_scaled, &Factored::solve_scaled_transposed);
}

Matrix scaled(const Matrix& x, std::span<const int> rows, std::span<const int> columns) {
  Matrix result(x.rows(), x.cols());
  in_parallel(x.rows(), kElementsPerThread / std::max<Index>(x.cols(), 1) + 1,
              [&](Index first, Index last) {
                for (Index i = first; i < last; ++i)
                  scale_row(x.row(i), rows, columns, i, result.row(i).data());
              });
  return result;
}

double largest_of_scaled(const Matrix& a, const Scaling& scaling) {
  if (scaling.keeps_matrix()) return scaling.size.largest;
  double largest = 0;
  std::mutex one_at_a_time;
  in_parallel(a.rows(), kElementsPerThread / a.cols() + 1, [&](Index first, Index last) {
    double of_part = 0;
    Values row(a.cols());
    for (Index i = first; i < last; ++i) {
      scale_row(a.row(i), scaling.rows, scaling.columns, i, row.data());
      for (const double value : row) of_part = max_or_nan(of_part, std::abs(value));
    }
    const std::scoped_lock lock(one_at_a_time);
    largest = max_or_nan(largest, of_part);
  });
  return largest;
}

}  // namespace clgauss
