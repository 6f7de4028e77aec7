#include "linalg/solve/host_lu.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/solve/host_getrf.hpp"

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
    : Factored(scaling), lu_(a.rows(), host_ld<double>(a.rows())), pivots_(a.rows()) {
  const bool keeps = scaling.rows.empty() && scaling.columns.empty();
  const Matrix of_a = keeps ? Matrix() : scaled(a, scaling.rows, scaling.columns);
  for (Index i = 0; i < a.rows(); ++i)
    std::ranges::copy((keeps ? a : of_a).row(i), lu_.row(i).begin());
  host_lu_kernels<double>().getrf(a.rows(), lu_.values().data(), lu_.cols(), pivots_.data());
}

double HostLu::reciprocal_growth(const Matrix& a) {
  double largest = 0;
  for (Index i = 0; i < lu_.rows(); ++i)
    for (Index j = i; j < lu_.rows(); ++j) largest = std::max(largest, std::abs(lu_(i, j)));
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
  const auto& kernels = host_lu_kernels<double>();
  if (x.cols() == 1)
    return kernels.getrs_vector(n, lu_.values().data(), lu_.cols(), pivots_.data(),
                                x.values().data());
  Matrix columns(n, host_ld<double>(x.cols()));
  for (Index i = 0; i < n; ++i) std::ranges::copy(x.row(i), columns.row(i).begin());
  kernels.getrs(n, lu_.values().data(), lu_.cols(), pivots_.data(), x.cols(),
                columns.values().data(), columns.cols());
  for (Index i = 0; i < n; ++i) std::ranges::copy(columns.row(i).first(x.cols()), x.row(i).begin());
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
