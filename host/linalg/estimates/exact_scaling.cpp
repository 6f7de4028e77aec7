#include "linalg/estimates/exact_scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/common/exact_sum.hpp"
#include "matrix/scaling.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr Index kSums = 8;  // as many as the compiler vectorizes

int exponent_of(double magnitude) { return magnitude > 0 ? std::ilogb(magnitude) : 0; }

bool are_near_one(const std::vector<double>& sizes) {
  constexpr double kNear = 0x1p8, kFar = 0x1p100;
  const auto [least, largest] = std::ranges::minmax(sizes);
  return least > 0 && largest <= kNear * least && largest < kFar && least > 1 / kFar;
}

bool are_finite(std::span<const double> values) { return find_nonfinite(values) == values.size(); }

/// value 2^exponent. Clears `exact` if the result is rounded.
double scaled_by(double value, int exponent, bool& exact) {
  if (exponent == 0) return value;
  const double result = std::ldexp(value, exponent);
  exact = exact && std::ldexp(result, -exponent) == value;
  return result;
}

}  // namespace

ExactScaling::ExactScaling(const System& system, const Matrix& answer)
    : system_(system), right_hand_sides_(system.b.cols(), 0) {
  finite_ = are_finite(system.b.values()) && are_finite(answer.values());
  if (finite_) choose();
  if (!finite_ || take(answer)) return;
  rows_.clear();
  columns_.clear();
  right_hand_sides_.assign(nrhs(), 0);
  (void)take(answer);
}

double ExactScaling::residual(Index i, Index c) const {
  Values of_a(n());
  scale_row(system_.a.row(i), rows_, columns_, i, of_a.data());
  ExactSum sum;
  sum.add(b_(c, i));
  for (Index j = 0; j < n(); ++j) sum.add_product(-of_a[j], x_(c, j));
  return sum.rounded();
}

std::vector<double> ExactScaling::times(const std::vector<double>& signs) const {
  std::vector<double> result(n());
  in_parallel(n(), kElementsPerThread / n() + 1, [&](Index first, Index last) {
    Values scaled(n());
    for (Index i = first; i < last; ++i) {
      std::span<const double> row = system_.a.row(i);
      if (!rows_.empty()) {
        scale_row(row, rows_, columns_, i, scaled.data());
        row = scaled;
      }
      std::array<double, kSums> sums{};
      Index j = 0;
      for (; j + kSums <= n(); j += kSums)
        for (Index lane = 0; lane < kSums; ++lane) sums[lane] += row[j + lane] * signs[j + lane];
      for (; j < n(); ++j) sums[0] += row[j] * signs[j];
      result[i] = std::accumulate(sums.begin(), sums.end(), 0.0);
    }
  });
  return result;
}

void ExactScaling::choose() {
  const Sizes sizes = sizes_of(system_.a.values(), n());
  finite_ = sizes.finite;
  if (!finite_ || (are_near_one(sizes.rows) && are_near_one(sizes.columns))) return;
  Scaling scaling = scaling_for(n(), 0, system_.a.values(), {}, RealType::f64, Equilibration::on);
  rows_ = std::move(scaling.rows);
  columns_ = std::move(scaling.columns);
}

/// Computes X' and B'. Returns whether they and A' are exact.
bool ExactScaling::take(const Matrix& answer) {
  bool exact = true;
  const bool scales = !rows_.empty();
  for (Index i = 0; scales && i < n(); ++i)
    for (Index j = 0; j < n(); ++j) (void)scaled_by(system_.a(i, j), row(i) + column(j), exact);
  x_ = b_ = Matrix(nrhs(), n());
  for (Index c = 0; c < nrhs(); ++c) {
    constexpr int kNone = std::numeric_limits<int>::min();
    int largest = kNone;  // of X'
    for (Index i = 0; scales && i < n(); ++i)
      if (answer(i, c) != 0)
        largest = std::max(largest, exponent_of(std::abs(answer(i, c))) - column(i));
    const int by = right_hand_sides_[c] = largest == kNone ? 0 : -largest;
    for (Index i = 0; i < n(); ++i) {
      x_(c, i) = scaled_by(answer(i, c), by - column(i), exact);
      b_(c, i) = scaled_by(system_.b(i, c), by + row(i), exact);
    }
  }
  return exact;
}

}  // namespace clgauss
