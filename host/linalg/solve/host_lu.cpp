#include "linalg/solve/host_lu.hpp"

#include <algorithm>
#include <cmath>

namespace clgauss {

namespace {

void exchange(Matrix& matrix, Index i, Index k) {
  if (i != k) std::ranges::swap_ranges(matrix.row(i), matrix.row(k));
}

/// Row i of X <- row i - factor * row k.
void subtract(Matrix& x, Index i, double factor, Index k) {
  for (Index c = 0; c < x.cols(); ++c) x(i, c) -= factor * x(k, c);
}

void divide(Matrix& x, Index i, double by) {
  for (double& value : x.row(i)) value /= by;
}

}  // namespace

HostLu::HostLu(const Matrix& a, const Scaling& scaling)
    : Factored(scaling), lu_(scaled(a, scaling.rows, scaling.columns)), pivots_(a.rows()) {
  const Index n = a.rows();
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(lu_(i, k)) > std::abs(lu_(best, k))) best = i;
    pivots_[k] = best;
    exchange(lu_, k, best);
    for (Index i = k + 1; i < n; ++i) {
      const double factor = lu_(i, k) == 0 ? 0 : lu_(i, k) / lu_(k, k);
      lu_(i, k) = factor;
      for (Index j = k + 1; j < n; ++j) lu_(i, j) -= factor * lu_(k, j);
    }
  }
}

double HostLu::reciprocal_growth(const Matrix& a) {
  double largest = 0;
  for (Index i = 0; i < lu_.rows(); ++i)
    for (Index j = i; j < lu_.cols(); ++j) largest = std::max(largest, std::abs(lu_(i, j)));
  return largest_of_scaled(a, scaling_) / largest;
}

void HostLu::apply_inverse(bool transposed, const Scaling& by, Matrix& x) {
  if (!by.rows.empty()) x = scaled(x, by.rows, {});
  if (transposed)
    substitute_transposed(x);
  else
    substitute(x);
  if (!by.columns.empty()) x = scaled(x, by.columns, {});
}

void HostLu::substitute(Matrix& x) const {
  const Index n = lu_.rows();
  for (Index k = 0; k < n; ++k) exchange(x, k, pivots_[k]);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < i; ++k) subtract(x, i, lu_(i, k), k);
  for (Index i = n; i-- > 0;) {
    for (Index k = i + 1; k < n; ++k) subtract(x, i, lu_(i, k), k);
    divide(x, i, lu_(i, i));
  }
}

void HostLu::substitute_transposed(Matrix& x) const {
  const Index n = lu_.rows();
  for (Index k = 0; k < n; ++k) {
    divide(x, k, lu_(k, k));
    for (Index i = k + 1; i < n; ++i) subtract(x, i, lu_(k, i), k);
  }
  for (Index k = n; k-- > 0;)
    for (Index i = 0; i < k; ++i) subtract(x, i, lu_(k, i), k);
  for (Index k = n; k-- > 0;) exchange(x, k, pivots_[k]);
}

}  // namespace clgauss
