#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <limits>
#include <mutex>

#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// std::max passes a NaN in its second argument over; a norm must not.
double max_or_nan(double largest, double value) {
  return std::isnan(value) || value > largest ? value : largest;
}

/// The largest sums so far: of A's rows, and for each right-hand side of r, x and b.
struct Norms {
  struct OfOne {
    double residual = 0, x = 0, b = 0;
  };
  double a = 0;
  std::vector<OfOne> of;

  void add(const Norms& other) {
    a = max_or_nan(a, other.a);
    for (Index c = 0; c < of.size(); ++c) {
      of[c].residual = max_or_nan(of[c].residual, other.of[c].residual);
      of[c].x = max_or_nan(of[c].x, other.of[c].x);
      of[c].b = max_or_nan(of[c].b, other.of[c].b);
    }
  }
};

/// Norms of the rows first .. last of A x = b.
Norms norms_of_rows(const System& system, const Matrix& x, Index first, Index last) {
  const Index nrhs = x.cols();
  Norms norms{0, std::vector<Norms::OfOne>(nrhs)};
  std::vector<double> r(nrhs);
  for (Index i = first; i < last; ++i) {
    std::ranges::copy(system.b.row(i), r.begin());
    const auto row = system.a.row(i);
    double row_sum = 0;
    for (Index j = 0; j < row.size(); ++j) {
      row_sum += std::abs(row[j]);
      for (Index c = 0; c < nrhs; ++c) r[c] -= row[j] * x(j, c);
    }
    norms.a = max_or_nan(norms.a, row_sum);
    for (Index c = 0; c < nrhs; ++c) {
      norms.of[c].residual = max_or_nan(norms.of[c].residual, std::abs(r[c]));
      norms.of[c].x = max_or_nan(norms.of[c].x, std::abs(x(i, c)));
      norms.of[c].b = max_or_nan(norms.of[c].b, std::abs(system.b(i, c)));
    }
  }
  return norms;
}

}  // namespace

Residual compute_residual(const System& system, const Matrix& x, double eps) {
  const Index n = system.a.rows();
  if (x.rows() != n || system.b.rows() != n || x.cols() != system.b.cols())
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  Norms norms{0, std::vector<Norms::OfOne>(x.cols())};
  std::mutex one_at_a_time;
  in_parallel(n, kElementsPerThread / std::max<Index>(n, 1) + 1, [&](Index first, Index last) {
    const Norms part = norms_of_rows(system, x, first, last);
    const std::scoped_lock lock(one_at_a_time);
    norms.add(part);
  });
  Residual worst;
  for (const Norms::OfOne& norm : norms.of) {
    const double scale = norms.a * norm.x + norm.b;
    // Where everything is 0 the answer is exact; where the scale overflows nothing can be said, and
    // NaN says so.
    const double error = norm.residual == 0 && std::isfinite(scale) ? 0.0
                         : std::isfinite(scale)                     ? norm.residual / scale
                                                                    : kNaN;
    worst.backward_error = max_or_nan(worst.backward_error, error);
  }
  worst.scaled = n == 0 ? 0.0 : worst.backward_error / (eps * static_cast<double>(n));
  return worst;
}

double max_difference(const Matrix& u, const Matrix& v) {
  if (u.rows() != v.rows() || u.cols() != v.cols())
    throw DimensionError("the difference needs two matrices of one shape");
  double largest = 0;
  for (Index i = 0; i < u.values().size(); ++i)
    largest = max_or_nan(largest, std::abs(u.values()[i] - v.values()[i]));
  return largest;
}

}  // namespace clgauss
