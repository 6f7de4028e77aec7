#include "linalg/estimates/norm_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "matrix/max_or_nan.hpp"

namespace clgauss {

namespace {

/// Up to this many columns, the estimator multiplies by the whole identity.
constexpr Index kExactUpTo = 8;
constexpr Index kMostColumns = 64;  // twice as many columns of signs can be nonparallel
/// A product by B^T gives lower bounds for the norms of other columns. They are multiplied if a
/// bound exceeds the estimate by this factor.
constexpr double kPromising = 1.25;

/// Whether columns c of `a` and d of `b`, both of signs, are equal up to a sign.
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

NormEstimator::NormEstimator(Index n, const NormEstimateOptions& options, First first, bool pairs)
    : rows_of_one_(pairs ? 2 : 1),
      n_(n / rows_of_one_),
      columns_(n_ <= kExactUpTo ? n_ : std::clamp<Index>(options.columns, 1, kMostColumns)),
      products_(options.products),
      engine_(options.seed),
      done_(n == 0),
      question_(n, columns_),
      weight_(n_ <= kExactUpTo ? 1 : 1 / static_cast<double>(n_)),
      was_asked_(n_, false) {
  if (n_ <= kExactUpTo) {
    for (Index i = 0; i < n_; ++i) question_(rows_of_one_ * i, i) = 1;
    return;
  }
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < columns_; ++c)
      question_(rows_of_one_ * i, c) = c == 0 ? 1 : random_sign();
  transposed_ = first == First::transposed;
  if (transposed_) signs_ = question_;
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

double NormEstimator::modulus(const Matrix& y, Index number, Index c) const {
  return rows_of_one_ == 1 ? std::abs(y(number, c))
                           : std::hypot(y(2 * number, c), y(2 * number + 1, c));
}

std::vector<double> NormEstimator::column_sums(const Matrix& y) const {
  std::vector<double> sums(y.cols(), 0.0);
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < y.cols(); ++c) sums[c] += modulus(y, i, c);
  return sums;
}

bool NormEstimator::improve(double found) {
  const bool better = !(found <= estimate_);
  if (better) estimate_ = found;
  return better;
}

void NormEstimator::hear_product(const Matrix& y) {
  std::vector<double> sums = column_sums(y);
  for (Index c = asked_.size(); c < sums.size(); ++c) sums[c] *= weight_;
  if (!asked_.empty()) {
    // A column of B has at least the norm that led to it, except for rounding. If it does not, the
    // products with other vectors lost more to rounding, as happens with factors of large growth.
    // The estimate then keeps those products only if they are not finite.
    if (!knows_columns_) estimate_ = 0;
    knows_columns_ = true;
    for (Index c = asked_.size(); c < sums.size(); ++c)
      if (std::isfinite(sums[c])) sums[c] = 0;
  }
  // The largest, or NaN if there is one.
  double largest = 0;
  for (const double sum : sums) largest = max_or_nan(largest, sum);
  const bool better = improve(largest);
  const bool may_ask_again = !knows_columns_ || heard_ + 2 <= products_;
  done_ = !better || n_ <= kExactUpTo || !may_ask_again || !take_signs(y);
}

/// The next probe vectors are the signs of `y`, for B^T. Returns false if they would give nothing
/// new.
bool NormEstimator::take_signs(const Matrix& y) {
  if (rows_of_one_ == 2) return take_phases(y);
  Matrix signs(n_, columns_, Values(n_ * columns_));
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

/// The same for complex numbers, whose phases are hardly ever parallel.
bool NormEstimator::take_phases(const Matrix& y) {
  Matrix phases(2 * n_, columns_);
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < columns_; ++c) {
      const double size = modulus(y, i, c);
      const bool has_phase = size > 0 && std::isfinite(size);
      phases(2 * i, c) = has_phase ? y(2 * i, c) / size : 1;
      phases(2 * i + 1, c) = has_phase ? y(2 * i + 1, c) / size : 0;
    }
  question_ = signs_ = std::move(phases);
  return true;
}

void NormEstimator::hear_transposed(const Matrix& z) {
  std::vector<double> largest(n_, 0.0);
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < z.cols(); ++c) {
      const double size = modulus(z, i, c);
      largest[i] = std::isfinite(size) ? std::max(largest[i], size)
                                       : std::numeric_limits<double>::infinity();
    }
  std::vector<Index> rows(n_);
  std::iota(rows.begin(), rows.end(), Index{0});
  const Index known = asked_.size() * heard_;  // at most this many were unit vectors
  std::ranges::partial_sort(
      rows, rows.begin() + static_cast<std::ptrdiff_t>(std::min(n_, columns_ + known)),
      [&](Index a, Index b) { return largest[a] != largest[b] ? largest[a] > largest[b] : a < b; });
  // The signs have infinity norm 1, and ||B^T||_inf = ||B||_1.
  const double promised = largest[rows.front()];
  if (!knows_columns_)
    improve(promised);
  else
    done_ = promised <= kPromising * estimate_;
  done_ = done_ || std::all_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(columns_),
                               [&](Index row) { return was_asked_[row]; });
  if (!done_) ask_unit_columns(rows);
}

/// The next probe vectors are unit vectors: the first of `rows` not used yet. If B has not been
/// multiplied by random vectors yet, half of the columns are random.
void NormEstimator::ask_unit_columns(const std::vector<Index>& rows) {
  const bool heard_product = knows_columns_ || heard_ > 1;
  const Index most = heard_product ? columns_ : (columns_ + 1) / 2;
  asked_.clear();
  for (const Index row : rows)
    if (asked_.size() < most && !was_asked_[row]) asked_.push_back(row);
  if (heard_product) columns_ = asked_.size();
  question_ = Matrix(rows_of_one_ * n_, columns_);
  for (Index c = 0; c < asked_.size(); ++c) {
    question_(rows_of_one_ * asked_[c], c) = 1;
    was_asked_[asked_[c]] = true;
  }
  for (Index i = 0; i < n_; ++i)
    for (Index c = asked_.size(); c < columns_; ++c) question_(rows_of_one_ * i, c) = random_sign();
}

}  // namespace clgauss
