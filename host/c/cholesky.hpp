#pragma once
/// What the real and the complex posv share.

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "c/host_matrix.hpp"
#include "c/weighted_sums.hpp"

namespace clgauss::c {

/// The error for an A of this 1-norm whose pivot in `column` is not positive.
inline clgauss_status not_positive_definite(Index column, double norm1_of_a) {
  if (!std::isfinite(norm1_of_a)) return failed(CLGAUSS_OVERFLOW, kOutOfRange);
  return failed(
      CLGAUSS_SINGULAR,
      fmt::format("A is not positive definite: the pivot of column {} is not positive", column + 1)
          .c_str());
}

/// The lower triangle of `a` <- L D^(1/2), from the factors of A = L D L^H, D real.
template <typename Number>
void write_cholesky(const HostMatrix<const Number>& factors, const HostMatrix<Number>& a) {
  const Index n = a.rows;
  Values roots(n);
  for (Index i = 0; i < n; ++i)
    roots[i] =
        std::sqrt(double{std::real(factors.data[i * (factors.row_step + factors.column_step)])});
  for_lower_triangle(n, [&](Index i, Index j) {
    const Wide<Number> l = factors.data[i * factors.row_step + j * factors.column_step];
    a.data[i * a.row_step + j * a.column_step] =
        static_cast<Number>(i == j ? Wide<Number>(roots[i]) : l * roots[j]);
  });
}

}  // namespace clgauss::c
