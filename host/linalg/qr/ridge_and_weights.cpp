#include "linalg/qr/ridge_and_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/qr/host_products.hpp"

namespace clgauss {

namespace {

bool counts(double value) { return value >= 0 && std::isfinite(value); }

/// W^1/2 A
Matrix weighted(const Matrix& a, const std::vector<double>& weights) {
  Matrix product = a;
  for (Index i = 0; i < weights.size(); ++i)
    for (double& value : product.row(i)) value *= std::sqrt(weights[i]);
  return product;
}

}  // namespace

void require_ridge_and_weights(const LeastSquaresOptions& options, Index rows) {
  if (!counts(options.ridge))
    throw UsageError(
        fmt::format("the ridge is {}; it must be finite and at least 0", options.ridge));
  const auto& weights = options.weights;
  if (weights.empty()) return;
  if (weights.size() != rows)
    throw DimensionError(
        fmt::format("A has {} rows, and there are {} weights", rows, weights.size()));
  const auto wrong = std::ranges::find_if_not(weights, counts);
  if (wrong != weights.end())
    throw UsageError(
        fmt::format("the weight of row {} (from 0) is {}; it must be finite and at least 0",
                    wrong - weights.begin(), *wrong));
}

RidgeAndWeights::RidgeAndWeights(const Matrix& a, const Matrix& b,
                                 const LeastSquaresOptions& options)
    : wide_(a.rows() < a.cols()), n_(a.cols()) {
  const double root = std::sqrt(options.ridge);
  Matrix right = weighted(b, options.weights);
  if (wide_) {
    sort_rows(transposed_in_parallel(weighted(a, options.weights)), root);
    a_ = transposed_in_parallel(a_);
    b_ = std::move(right);
  } else {
    sort_rows(weighted(a, options.weights), root);
    b_ = Matrix(order_.size(), b.cols());
    for (Index k = 0; k < order_.size(); ++k)
      if (order_[k] < right.rows()) std::ranges::copy(right.row(order_[k]), b_.row(k).begin());
  }
}

/// a_ = P (F; root I); without root I if root is 0.
void RidgeAndWeights::sort_rows(const Matrix& f, double root) {
  std::vector<double> largest(f.rows() + (root > 0 ? f.cols() : 0), root);
  for (Index i = 0; i < f.rows(); ++i) {
    largest[i] = 0;
    for (const double value : f.row(i)) largest[i] = std::max(largest[i], std::abs(value));
  }
  order_.resize(largest.size());
  std::iota(order_.begin(), order_.end(), Index{0});
  std::ranges::stable_sort(order_, std::greater{}, [&](Index i) { return largest[i]; });
  a_ = Matrix(order_.size(), f.cols());
  for (Index k = 0; k < order_.size(); ++k) {
    const Index i = order_[k];
    if (i < f.rows())
      std::ranges::copy(f.row(i), a_.row(k).begin());
    else
      a_(k, i - f.rows()) = root;
  }
}

Matrix RidgeAndWeights::x_of(const Matrix& answer) const {
  if (!wide_ || answer.empty()) return answer;
  Matrix x(n_, answer.cols());
  for (Index k = 0; k < order_.size(); ++k)
    if (order_[k] < n_) std::ranges::copy(answer.row(k), x.row(order_[k]).begin());
  return x;
}

void measure_objective(const Matrix& a, const Matrix& b, const LeastSquaresOptions& options,
                       LeastSquares& answer) {
  Matrix r = b;
  subtract(r, product(a, answer.x, false));
  const Matrix parts = weighted(r, options.weights);
  answer.residual_norms.clear();
  answer.objective_norms.clear();
  for (Index c = 0; c < r.cols(); ++c) {
    answer.residual_norms.push_back(norm2_of_column(r, c));
    answer.objective_norms.push_back(std::hypot(
        norm2_of_column(parts, c), std::sqrt(options.ridge) * norm2_of_column(answer.x, c)));
  }
}

}  // namespace clgauss
