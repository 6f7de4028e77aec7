#include "linalg/qr/geqp3.hpp"

#include <algorithm>
#include <atomic>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "linalg/estimates/host_triangles.hpp"
#include "linalg/qr/host_products.hpp"
#include "linalg/qr/reflection_loops.hpp"
#include "linalg/solve/host_getrf.hpp"
#include "matrix/max_or_nan.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr Index kBlockColumns = 32;
constexpr double kGap = 16;      // between singular values where a rank is clear
constexpr double kMostPart = 8;  // of a column taken in one that is not
constexpr int kInverseSteps = 6;

std::vector<Index> whole_range(Index count) {
  std::vector<Index> range(count);
  std::iota(range.begin(), range.end(), Index{0});
  return range;
}

/// The unit vector along (s, c); `other` if both are 0.
std::pair<double, double> unit_vector(double s, double c, std::pair<double, double> other) {
  const double length = std::hypot(s, c);
  return length > 0 ? std::pair(s / length, c / length) : other;
}

}  // namespace

ExtremeSingularValues::ExtremeSingularValues(Index columns) {
  for (Estimate* estimate : {&largest_, &smallest_}) estimate->products.resize(columns);
}

bool ExtremeSingularValues::append(Index j, double diagonal, double tolerance) {
  // x^T R = sigma y^T with |y| = 1. With alpha = x^T w, (s x, c)^T (R, w; 0, gamma) has the same
  // length as (s, c) (sigma, alpha; 0, gamma). The singular values of the latter are the estimates.
  struct Grown {
    double value = 0;
    std::pair<double, double> left;  // (s, c)
  };
  const double gamma = std::abs(diagonal);
  const auto grown = [&](const Estimate& estimate, bool largest) -> Grown {
    if (is_empty_) return {gamma, {0, 1}};
    const double sigma = estimate.value, alpha = estimate.products[j];
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
    estimate.value = now.value;
    std::tie(estimate.of_x, estimate.of_last) = now.left;
  };
  keep(largest_, largest);
  keep(smallest_, smallest);
  is_empty_ = false;
  return true;
}

void ExtremeSingularValues::add_row(Index first, const double* row) {
  for (Estimate* estimate : {&largest_, &smallest_}) {
    double* const products = estimate->products.data() + first;
    for (Index j = 0; j < estimate->products.size() - first; ++j)
      products[j] = estimate->of_x * products[j] + estimate->of_last * row[j];
  }
}

void ExtremeSingularValues::swap_columns(Index first, Index second) {
  for (Estimate* estimate : {&largest_, &smallest_})
    std::swap(estimate->products[first], estimate->products[second]);
}

namespace {

/// Whether some steps of inverse iteration find no singular value of R, the upper triangle of the
/// first n columns, below the tolerance times `largest`. (The estimates that grow with the columns
/// miss a small one where two left null vectors compete.)
bool is_regular(const Matrix& r, Index n, double tolerance, double largest) {
  const HostTriangles<double> triangle{r.values().data(), n, r.cols()};
  Matrix x = random_matrix(n, 2, 1);
  double of_inverse = 0;
  for (int step = 0; step < kInverseSteps; ++step) {
    for (Index c = 0; c < x.cols(); ++c) {
      const double length = norm2_of_column(x, c);
      for (Index i = 0; i < n; ++i) x(i, c) /= length;
    }
    x = triangle.solve_upper(x, step % 2 == 0);
    for (Index c = 0; c < x.cols(); ++c) of_inverse = max_or_nan(of_inverse, norm2_of_column(x, c));
  }
  return of_inverse * tolerance * largest <= 1;
}

}  // namespace

Geqp3::Geqp3(const Matrix& a, std::vector<Index> order)
    : m_(a.rows()),
      n_(a.cols()),
      a_(m_, host_ld<double>(n_), Values(m_ * host_ld<double>(n_))),
      norms_(n_),
      measured_(n_),
      extremes_(n_) {
  start(a, std::move(order));
}

void Geqp3::start(const Matrix& a, std::vector<Index> order) {
  order_ = std::move(order);
  taus_.clear();
  ends_.clear();
  extremes_ = ExtremeSingularValues(n_);
  Index moved = 0;  // from this column on
  while (moved < n_ && order_[moved] == moved) ++moved;
  in_parallel(m_, kElementsPerThread / std::max<Index>(n_, 1) + 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      std::ranges::copy(a.row(i).first(moved), a_.row(i).begin());
      for (Index j = moved; j < n_; ++j) a_(i, j) = a(i, order_[j]);
      std::ranges::fill(a_.row(i).subspan(n_), 0.0);
    }
  });
}

Geqp3::Geqp3(const Matrix& a, double tolerance) : Geqp3(a, whole_range(a.cols())) {
  take_longest_columns(tolerance);
}

std::optional<Geqp3> Geqp3::of_triangle(const Matrix& r, double tolerance, double clear) {
  const Index n = r.cols();
  ExtremeSingularValues extremes(n);
  Index independent = 0;  // leading columns
  while (independent < n && extremes.append(independent, r(independent, independent), tolerance)) {
    const double* const row = r.row(independent).data();
    ++independent;
    extremes.add_row(independent, row + independent);
  }
  if (independent == n) {
    if (is_regular(r, n, tolerance, extremes.largest())) return std::nullopt;
    return Geqp3(r, tolerance);
  }
  Geqp3 qr(r, whole_range(n));
  qr.taus_.assign(independent, 0);
  for (Index j = 0; j < independent; ++j) qr.ends_.push_back(j + 1);
  qr.extremes_ = std::move(extremes);
  qr.take_columns_in_order(tolerance, independent);
  if (qr.rank() > 0) {
    const double least = clear * tolerance * qr.extremes_.largest();
    if (qr.extremes_.smallest() >= least && qr.is_clear(tolerance / kGap, tolerance)) return qr;
    std::vector<Index> order = qr.better_order();
    if (order != qr.order_) {
      qr.start(r, std::move(order));
      qr.take_columns_in_order(tolerance, 0);
    }
    if (qr.is_clear(tolerance, tolerance)) return qr;
  }
  return Geqp3(r, tolerance);
}

/// Takes the columns of a triangle from `first` on in the order of order_, but for those that would
/// make the smallest estimated singular value too small. The ones before them are taken.
void Geqp3::take_columns_in_order(double tolerance, Index first) {
  Index end = first;  // of the rows that are not 0 in a column up to this one
  for (Index j = first; j < n_; ++j) {
    const Index k = rank();
    end = std::max(end, order_[j] + 1);
    double square = 0;
    for (Index i = k + 1; i < end; ++i) square += a_(i, j) * a_(i, j);
    const double alpha = a_(k, j);
    const double diagonal =
        square == 0 ? alpha : -std::copysign(std::sqrt(alpha * alpha + square), alpha);
    if (!extremes_.append(j, diagonal, tolerance)) continue;
    if (j > k) swap_columns(k, j);
    reflect(k, end);
    if (taus_[k] != 0) reflect_rest(k);
    if (k + 1 < n_) extremes_.add_row(k + 1, &a_(k, k + 1));
  }
}

/// Whether the Frobenius norm of what R omits is at most `most` times the largest singular value
/// of the columns taken, and far below the smallest, and these have full rank.
bool Geqp3::is_clear(double most, double tolerance) const {
  double left = 0;
  for (Index i = rank(); i < m_; ++i)
    for (const double value : a_.row(i).subspan(rank(), n_ - rank())) left += value * value;
  const double omitted = std::sqrt(left);
  return omitted <= most * extremes_.largest() && kGap * omitted <= extremes_.smallest() &&
         is_regular(a_, rank(), tolerance, extremes_.largest());
}

/// An order in which the columns taken have no large part in the others, each with the columns of R
/// in their order.
std::vector<Index> Geqp3::better_order() const {
  const Index taken = rank(), left = n_ - taken;
  Matrix parts(taken, host_ld<double>(left));  // R1^-1 R2
  for (Index i = 0; i < taken; ++i) std::ranges::copy(a_.row(i).subspan(taken, left), &parts(i, 0));
  const auto& kernels = host_lu_kernels<double>();
  const Index ld = parts.cols(), panels = (left + kHostPanel<double> - 1) / kHostPanel<double>;
  in_parallel(panels, kElementsPerThread / (taken * taken) + 1, [&](Index from, Index to) {
    kernels.solve_upper(taken, a_.values().data(), a_.cols(), (to - from) * kHostPanel<double>,
                        &parts(0, from * kHostPanel<double>), ld);
  });
  std::vector<Index> order = order_;
  for (Index exchange = 0; exchange < taken; ++exchange) {
    Index row = 0, column = 0;
    double most = kMostPart;
    for (Index i = 0; i < taken; ++i)
      for (Index j = 0; j < left; ++j)
        if (std::abs(parts(i, j)) > most) {
          most = std::abs(parts(i, j));
          row = i;
          column = j;
        }
    if (most == kMostPart || !std::isfinite(most)) break;
    std::swap(order[row], order[taken + column]);
    const double part = std::exchange(parts(row, column), 1.0);
    for (double& value : parts.row(row).first(left)) value /= part;
    for (Index i = 0; i < taken; ++i) {
      if (i == row) continue;
      const double by = std::exchange(parts(i, column), 0.0);
      reflection_loops().add_rows(1, &by, 1, &parts(row, 0), ld, -1, left, &parts(i, 0));
    }
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(taken);
  std::sort(order.begin(), middle);
  std::sort(middle, order.end());
  return order;
}

/// Computes (I - tau v v^T) A(k:end, k+1:n) for reflection k.
void Geqp3::reflect_rest(Index k) {
  const Index ld = a_.cols(), end = ends_[k];
  const double tau = taus_[k];
  const auto add_rows = reflection_loops().add_rows;
  const double beta = std::exchange(a_(k, k), 1);  // v is 1 there
  in_parallel(n_ - k - 1, kElementsPerThread / (end - k), [&](Index from, Index to) {
    const Index j0 = k + 1 + from, columns = to - from;
    double* const f = norms_.data() + j0;
    std::fill_n(f, columns, 0.0);  // tau v^T A
    add_rows(end - k, &a_(k, k), ld, &a_(k, j0), ld, tau, columns, f);
    for (Index i = k; i < end; ++i) add_rows(1, &a_(i, k), ld, f, ld, -1, columns, &a_(i, j0));
  });
  a_(k, k) = beta;
}

void Geqp3::take_longest_columns(double tolerance) {
  const Index most = std::min(m_, n_);
  f_ = Matrix(kBlockColumns, a_.cols());
  while (rank() < most) {
    measure_columns();
    const Index first = rank(), end = std::min(most, first + kBlockColumns);
    bool measured = true;
    while (rank() < end && measured) {
      exchange(first);
      const Index k = rank();
      reflect(k, m_);
      if (!extremes_.append(k, a_(k, k), tolerance)) {
        taus_.pop_back();
        ends_.pop_back();
        return;
      }
      measured = update_row(first, k);
      if (k + 1 < n_) extremes_.add_row(k + 1, &a_(k, k + 1));
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
  extremes_.swap_columns(first, second);
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

/// Computes reflection k with (I - tau v v^T) A(k:end, k) = (beta, 0 ..). Stores v = (1, ..) in
/// place, without its 1.
void Geqp3::reflect(Index k, Index end) {
  double square = 0, tau = 0;
  for (Index i = k + 1; i < end; ++i) square += a_(i, k) * a_(i, k);
  if (square != 0) {
    const double alpha = a_(k, k), beta = -std::copysign(std::sqrt(alpha * alpha + square), alpha);
    for (Index i = k + 1; i < end; ++i) a_(i, k) /= alpha - beta;
    a_(k, k) = beta;
    tau = (beta - alpha) / beta;
  }
  taus_.push_back(tau);
  ends_.push_back(end);
}

/// Computes F's row for reflection k and row k of R, and updates the lengths of the columns.
/// Returns false if a column became so much shorter that it must be measured again.
bool Geqp3::update_row(Index first, Index k) {
  const Index depth = k - first, ld = a_.cols(), rows = m_ - k;
  const double tau = taus_[k];
  const auto add_rows = reflection_loops().add_rows;
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
  const auto add_rows = reflection_loops().add_rows;
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
    if (taus_[k] == 0) continue;
    const auto v = [&](Index i) { return i == k ? 1 : a_(i, k); };
    std::ranges::fill(sums, 0.0);
    for (Index i = k; i < ends_[k]; ++i)
      for (Index j = 0; j < c.cols(); ++j) sums[j] += v(i) * c(i, j);
    for (Index i = k; i < ends_[k]; ++i)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) -= taus_[k] * v(i) * sums[j];
  }
}

}  // namespace clgauss
