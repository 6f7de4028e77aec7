#include "linalg/norm_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace clgauss {

namespace {

/// So few columns that all of B is asked for at once.
constexpr Index kExactUpTo = 8;
constexpr Index kMostColumns = 64;  // no two of twice as many columns of signs need be parallel

std::vector<double> column_sums(const Matrix& y) {
  std::vector<double> sums(y.cols(), 0.0);
  for (Index i = 0; i < y.rows(); ++i)
    for (Index c = 0; c < y.cols(); ++c) sums[c] += std::abs(y(i, c));
  return sums;
}

/// Whether columns c of `a` and d of `b`, of signs, are the same up to a sign.
bool parallel(const Matrix& a, Index c, const Matrix& b, Index d) {
  const bool same = a(0, c) == b(0, d);
  for (Index i = 1; i < a.rows(); ++i)
    if ((a(i, c) == b(i, d)) != same) return false;
  return true;
}

bool parallel_to_any(const Matrix& a, Index c, const Matrix& b, Index columns) {
  for (Index d = 0; d < columns; ++d)
    if (parallel(a, c, b, d)) return true;
  return false;
}

}  // namespace

NormEstimator::NormEstimator(Index n, const NormEstimateOptions& options)
    : n_(n),
      columns_(n <= kExactUpTo ? n : std::clamp<Index>(options.columns, 1, kMostColumns)),
      products_(options.products),
      engine_(options.seed),
      done_(n == 0),
      question_(n, columns_),
      weight_(n <= kExactUpTo ? 1 : 1 / static_cast<double>(n)),
      was_asked_(n, false) {
  if (n <= kExactUpTo) {
    for (Index i = 0; i < n; ++i) question_(i, i) = 1;
    return;
  }
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < columns_; ++c) question_(i, c) = c == 0 ? 1 : random_sign();
}

void NormEstimator::answer(const Matrix& product) {
  ++heard_;
  if (transposed_)
    hear_transposed(product);
  else
    hear_product(product);
  transposed_ = !transposed_;
  done_ = done_ || heard_ >= products_ || !std::isfinite(estimate_);
}

bool NormEstimator::improve(double found) {
  const bool better = !(found <= estimate_);
  if (better) estimate_ = found;
  return better;
}

void NormEstimator::hear_product(const Matrix& y) {
  const std::vector<double> sums = column_sums(y);
  // The largest, or the first that is not a number.
  Index largest = 0;
  for (Index c = 0; c < sums.size(); ++c)
    if (!std::isnan(sums[largest]) && !(sums[c] <= sums[largest])) largest = c;
  if (!asked_.empty() && !knows_columns_) {
    // Columns of B have norms above what led to them, but for rounding. Where they have not, the products with other vectors had
    // lost more to rounding, as those with factors of large growth do.
    estimate_ = 0;
    knows_columns_ = true;
  }
  const bool better = improve(sums[largest] * weight_);
  if (better && knows_columns_) best_ = asked_[largest];
  done_ = !better || n_ <= kExactUpTo || !take_signs(y);
}

/// Asks for the product of B^T and the signs of `y`. False if that would tell nothing new.
bool NormEstimator::take_signs(const Matrix& y) {
  Matrix signs(n_, columns_);
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < columns_; ++c) signs(i, c) = y(i, c) < 0 ? -1 : 1;
  const auto asked_before = [&](Index c) {
    return parallel_to_any(signs, c, signs_, signs_.cols());
  };
  bool all_known = true;
  for (Index c = 0; c < columns_; ++c) all_known = all_known && asked_before(c);
  if (all_known) return false;
  for (Index c = 0; c < columns_ && columns_ > 1; ++c)
    while (asked_before(c) || parallel_to_any(signs, c, signs, c))
      for (Index i = 0; i < n_; ++i) signs(i, c) = random_sign();
  question_ = signs_ = std::move(signs);
  return true;
}

void NormEstimator::hear_transposed(const Matrix& z) {
  std::vector<double> largest(n_, 0.0);
  for (Index i = 0; i < n_; ++i)
    for (const double value : z.row(i))
      largest[i] = std::isfinite(value) ? std::max(largest[i], std::abs(value))
                                        : std::numeric_limits<double>::infinity();
  std::vector<Index> rows(n_);
  std::iota(rows.begin(), rows.end(), Index{0});
  std::ranges::stable_sort(rows, [&](Index a, Index b) { return largest[a] > largest[b]; });
  // The signs have the infinity norm 1, and ||B^T||_inf = ||B||_1.
  if (!knows_columns_) improve(largest[rows.front()]);
  // Nothing is more promising than what was asked for.
  done_ = knows_columns_ && largest[rows.front()] == largest[best_];
  done_ = done_ || std::all_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(columns_),
                               [&](Index row) { return was_asked_[row]; });
  if (!done_) ask_unit_columns(rows);
}

/// The first of `rows` that were not asked for yet.
void NormEstimator::ask_unit_columns(const std::vector<Index>& rows) {
  asked_.clear();
  for (const Index row : rows)
    if (asked_.size() < columns_ && !was_asked_[row]) asked_.push_back(row);
  columns_ = asked_.size();
  question_ = Matrix(n_, columns_);
  for (Index c = 0; c < columns_; ++c) {
    question_(asked_[c], c) = 1;
    was_asked_[asked_[c]] = true;
  }
  weight_ = 1;
}

}  // namespace clgauss
