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

/// Row-major numbers of one system with n unknowns and nrhs right-hand sides.
struct Numbers {
  Index n, nrhs;
  std::span<const double> a, b, x;
};

/// Norms of the rows first .. last of A x = b.
Norms norms_of_rows(const Numbers& system, Index first, Index last) {
  const auto& [n, nrhs, a, b, x] = system;
  Norms norms{0, std::vector<Norms::OfOne>(nrhs)};
  std::vector<double> r(nrhs);
  for (Index i = first; i < last; ++i) {
    std::ranges::copy(b.subspan(i * nrhs, nrhs), r.begin());
    double row_sum = 0;
    for (Index j = 0; j < n; ++j) {
      row_sum += std::abs(a[i * n + j]);
      for (Index c = 0; c < nrhs; ++c) r[c] -= a[i * n + j] * x[j * nrhs + c];
    }
    norms.a = max_or_nan(norms.a, row_sum);
    for (Index c = 0; c < nrhs; ++c) {
      norms.of[c].residual = max_or_nan(norms.of[c].residual, std::abs(r[c]));
      norms.of[c].x = max_or_nan(norms.of[c].x, std::abs(x[i * nrhs + c]));
      norms.of[c].b = max_or_nan(norms.of[c].b, std::abs(b[i * nrhs + c]));
    }
  }
  return norms;
}

}  // namespace

Residual compute_residual(Index n, Index nrhs, std::span<const double> a, std::span<const double> b,
                          std::span<const double> x, double eps) {
  if (a.size() != n * n || b.size() != n * nrhs || x.size() != n * nrhs)
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  const Numbers system{n, nrhs, a, b, x};
  Norms norms{0, std::vector<Norms::OfOne>(nrhs)};
  std::mutex one_at_a_time;
  in_parallel(n, kElementsPerThread / std::max<Index>(n, 1) + 1, [&](Index first, Index last) {
    const Norms part = norms_of_rows(system, first, last);
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

Residual compute_residual(const System& system, const Matrix& x, double eps) {
  if (x.rows() != system.b.rows() || x.cols() != system.b.cols())
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  return compute_residual(system.a.rows(), x.cols(), system.a.values(), system.b.values(),
                          x.values(), eps);
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
