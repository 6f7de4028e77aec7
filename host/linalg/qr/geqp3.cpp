#include "linalg/qr/geqp3.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "linalg/solve/host_getrf.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr Index kBlockColumns = 32, kRowsAtOnce = 8;
constexpr double kClear = 1000;  // a rank is clear if it holds with this times the tolerance

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The unit vector along (s, c); `other` if both are 0.
std::pair<double, double> unit_vector(double s, double c, std::pair<double, double> other) {
  const double length = std::hypot(s, c);
  return length > 0 ? std::pair(s / length, c / length) : other;
}

/// sums[j] += by * sum_i factors[i] rows[i][j] for `rows` rows, `ld` apart.
void add_rows(Index rows, const double* factors, Index factor_ld, const double* from, Index ld,
              double by, Index columns, double* sums) {
  Index i = 0;
  for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce, from += kRowsAtOnce * ld) {
    double now[kRowsAtOnce];
    for (Index r = 0; r < kRowsAtOnce; ++r) now[r] = by * factors[(i + r) * factor_ld];
    for (Index j = 0; j < columns; ++j) {
      double sum = sums[j];
      for (Index r = 0; r < kRowsAtOnce; ++r) sum += now[r] * from[r * ld + j];
      sums[j] = sum;
    }
  }
  for (; i < rows; ++i, from += ld)
    for (Index j = 0; j < columns; ++j) sums[j] += by * factors[i * factor_ld] * from[j];
}

}  // namespace

bool ExtremeSingularValues::append(std::span<const double> above, double diagonal,
                                   double tolerance) {
  // x^T R = sigma y^T with |y| = 1. With alpha = x^T w, (s x, c)^T (R, w; 0, gamma) has the same
  // length as (s, c) (sigma, alpha; 0, gamma). The singular values of the latter are the estimates.
  struct Grown {
    double value = 0;
    std::pair<double, double> left;  // (s, c)
  };
  const double gamma = std::abs(diagonal);
  const auto grown = [&](const Estimate& estimate, bool largest) -> Grown {
    if (estimate.vector.empty()) return {gamma, {0, 1}};
    const double sigma = estimate.value, alpha = dot(estimate.vector, above);
    const double most = (std::hypot(sigma + gamma, alpha) + std::hypot(sigma - gamma, alpha)) / 2;
    if (!(most > 0)) return {0, {1, 0}};
    const double value = largest ? most : sigma * (gamma / most),
                 square = value / most * (value / most);
    const double a = alpha / most, g = diagonal / most, s = sigma / most;
    const double first = s * s + a * a, second = g * g;  // diagonal of M M^T, M that 2-by-2
    if (first >= second)
      return {value, largest ? unit_vector(square - second, a * g, {1, 0})
                             : unit_vector(-a * g, first - square, {0, 1})};
    return {value, largest ? unit_vector(a * g, square - first, {0, 1})
                           : unit_vector(second - square, -a * g, {1, 0})};
  };
  const Grown largest = grown(largest_, true), smallest = grown(smallest_, false);
  if (!(smallest.value > 0 && smallest.value >= tolerance * largest.value)) return false;
  const auto keep = [](Estimate& estimate, const Grown& now) {
    for (double& number : estimate.vector) number *= now.left.first;
    estimate.vector.push_back(now.left.second);
    estimate.value = now.value;
  };
  keep(largest_, largest);
  keep(smallest_, smallest);
  return true;
}

Geqp3::Geqp3(const Matrix& a)
    : m_(a.rows()),
      n_(a.cols()),
      a_(m_, host_ld(n_)),
      f_(kBlockColumns, a_.cols()),
      order_(n_),
      norms_(n_),
      measured_(n_) {
  for (Index i = 0; i < m_; ++i) std::ranges::copy(a.row(i), a_.row(i).begin());
  std::iota(order_.begin(), order_.end(), Index{0});
}

Geqp3::Geqp3(const Matrix& a, double tolerance) : Geqp3(a) { take_longest_columns(tolerance); }

Geqp3 Geqp3::of_triangle(const Matrix& r, double tolerance) {
  Geqp3 qr(r);
  return qr.take_columns_in_order(tolerance) ? std::move(qr) : Geqp3(r, tolerance);
}

/// Takes the columns in their order. Returns false if the rank is not clear.
bool Geqp3::take_columns_in_order(double tolerance) {
  for (Index j = 0; j < n_; ++j) {  // A(j+1:m, j) is 0
    const Index k = rank();
    double square = 0;
    for (Index i = k + 1; i <= j; ++i) square += a_(i, j) * a_(i, j);
    const double alpha = a_(k, j);
    const double diagonal =
        square == 0 ? alpha : -std::copysign(std::sqrt(alpha * alpha + square), alpha);
    std::vector<double> above(k);
    for (Index i = 0; i < k; ++i) above[i] = a_(i, j);
    if (!extremes_.append(above, diagonal, kClear * tolerance)) continue;
    if (j > k) swap_columns(k, j);
    const double tau = reflect(k);
    if (tau != 0) reflect_rest(k, j + 1, tau);
    taus_.push_back(tau);
  }
  double left = 0;
  for (Index i = rank(); i < m_; ++i)
    for (const double value : a_.row(i).subspan(rank(), n_ - rank())) left += value * value;
  return rank() < n_ && std::sqrt(left) <= tolerance * extremes_.largest();
}

/// Computes (I - tau v v^T) A(k:end, k+1:n), where v is stored below R in column k.
void Geqp3::reflect_rest(Index k, Index end, double tau) {
  const Index ld = a_.cols();
  const double beta = std::exchange(a_(k, k), 1);  // v is 1 there
  in_parallel(n_ - k - 1, kElementsPerThread / (end - k), [&](Index from, Index to) {
    const Index j0 = k + 1 + from, columns = to - from;
    double* const f = &f_(0, j0);
    std::fill_n(f, columns, 0.0);  // tau v^T A
    add_rows(end - k, &a_(k, k), ld, &a_(k, j0), ld, tau, columns, f);
    for (Index i = k; i < end; ++i) add_rows(1, &a_(i, k), ld, f, ld, -1, columns, &a_(i, j0));
  });
  a_(k, k) = beta;
}

void Geqp3::take_longest_columns(double tolerance) {
  const Index most = std::min(m_, n_);
  while (rank() < most) {
    measure_columns();
    const Index first = rank(), end = std::min(most, first + kBlockColumns);
    bool measured = true;
    while (rank() < end && measured) {
      exchange(first);
      const Index k = rank();
      const double tau = reflect(k);
      std::vector<double> above(k);
      for (Index i = 0; i < k; ++i) above[i] = a_(i, k);
      if (!extremes_.append(above, a_(k, k), tolerance)) return;
      measured = update_row(first, tau);
      taus_.push_back(tau);
    }
    update_rest(first);
  }
}

/// Computes the lengths of the remaining columns below R.
void Geqp3::measure_columns() {
  const Index k = rank();
  std::fill(norms_.begin() + static_cast<std::ptrdiff_t>(k), norms_.end(), 0.0);
  in_parallel(n_ - k, kElementsPerThread / (m_ - k), [&](Index from, Index to) {
    for (Index i = k; i < m_; ++i)
      for (Index j = k + from; j < k + to; ++j) norms_[j] += a_(i, j) * a_(i, j);
    for (Index j = k + from; j < k + to; ++j) measured_[j] = norms_[j] = std::sqrt(norms_[j]);
  });
}

void Geqp3::swap_columns(Index first, Index second) {
  for (Index i = 0; i < m_; ++i) std::swap(a_(i, first), a_(i, second));
  std::swap(order_[first], order_[second]);
}

/// Exchanges the longest remaining column into place k and applies the block's reflections to it.
void Geqp3::exchange(Index first) {
  const Index k = rank(), depth = k - first;
  const auto best = static_cast<Index>(
      std::max_element(norms_.begin() + static_cast<std::ptrdiff_t>(k), norms_.end()) -
      norms_.begin());
  swap_columns(k, best);
  for (Index c = 0; c < depth; ++c) std::swap(f_(c, k), f_(c, best));
  std::swap(norms_[k], norms_[best]);
  std::swap(measured_[k], measured_[best]);
  for (Index i = k; i < m_; ++i)  // A(k:m, k) = A(k:m, k) - V F(:, k)
    for (Index c = 0; c < depth; ++c) a_(i, k) -= a_(i, first + c) * f_(c, k);
}

/// Computes (I - tau v v^T) A(k:m, k) = (beta, 0 ..), stores v = (1, ..) in place, and returns tau.
double Geqp3::reflect(Index k) {
  double square = 0;
  for (Index i = k + 1; i < m_; ++i) square += a_(i, k) * a_(i, k);
  if (square == 0) return 0;
  const double alpha = a_(k, k), beta = -std::copysign(std::sqrt(alpha * alpha + square), alpha);
  for (Index i = k + 1; i < m_; ++i) a_(i, k) /= alpha - beta;
  a_(k, k) = beta;
  return (beta - alpha) / beta;
}

/// Computes F's row for reflection k and row k of R, and updates the lengths of the columns.
/// Returns false if a column became so much shorter that it must be measured again.
bool Geqp3::update_row(Index first, double tau) {
  const Index k = rank(), depth = k - first, ld = a_.cols(), rows = m_ - k;
  if (k + 1 == n_) return true;
  const double below = std::sqrt(std::numeric_limits<double>::epsilon());
  const double beta = std::exchange(a_(k, k), 1);  // v is 1 there
  std::vector<double> by(depth);                   // V^T v
  for (Index i = k; i < m_; ++i)
    for (Index c = 0; c < depth; ++c) by[c] += a_(i, first + c) * a_(i, k);
  std::atomic<bool> measured = true;
  in_parallel(n_ - k - 1, kElementsPerThread / rows, [&](Index from, Index to) {
    const Index j0 = k + 1 + from, columns = to - from;
    double *const f = &f_(depth, j0), *const row = &a_(k, j0);
    std::fill_n(f, columns, 0.0);  // F(k, :) = tau v^T (A - V F)
    add_rows(rows, &a_(k, k), ld, row, ld, tau, columns, f);
    add_rows(depth, by.data(), 1, &f_(0, j0), ld, -tau, columns, f);
    // A(k, :) = A(k, :) - V(k, :) F
    add_rows(depth + 1, &a_(k, first), 1, &f_(0, j0), ld, -1, columns, row);
    for (Index c = 0; c < columns; ++c) {
      double &norm = norms_[j0 + c], &at_first = measured_[j0 + c];
      if (norm == 0) continue;
      const double part = std::abs(row[c]) / norm, left = std::max(0.0, (1 + part) * (1 - part));
      if (left * (norm / at_first) * (norm / at_first) <= below)
        measured = false;
      else
        norm *= std::sqrt(left);
    }
  });
  a_(k, k) = beta;
  return measured;
}

/// A = A - V F, below R.
void Geqp3::update_rest(Index first) {
  const Index k = rank(), depth = k - first, ld = a_.cols();
  if (k == n_) return;
  in_parallel(m_ - k, kElementsPerThread / (n_ - k), [&](Index from, Index to) {
    for (Index i = k + from; i < k + to; ++i)
      add_rows(depth, &a_(i, first), 1, &f_(0, k), ld, -1, n_ - k, &a_(i, k));
  });
}

void Geqp3::apply(Matrix& c, bool transposed) const {
  std::vector<double> sums(c.cols());
  for (Index step = 0; step < rank(); ++step) {
    const Index k = transposed ? step : rank() - 1 - step;
    const auto v = [&](Index i) { return i == k ? 1 : a_(i, k); };
    std::ranges::fill(sums, 0.0);
    for (Index i = k; i < m_; ++i)
      for (Index j = 0; j < c.cols(); ++j) sums[j] += v(i) * c(i, j);
    for (Index i = k; i < m_; ++i)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) -= taus_[k] * v(i) * sums[j];
  }
}

}  // namespace clgauss
