#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <limits>

namespace clgauss {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// std::max passes a NaN in its second argument over; a norm must not.
double max_or_nan(double largest, double value) {
  return std::isnan(value) || value > largest ? value : largest;
}

struct Norms {
  double residual = 0, x = 0, b = 0;
};

/// Row-major numbers of one system with n unknowns and nrhs right-hand sides.
struct Numbers {
  Index n, nrhs;
  std::span<const double> a, b, x;
};

/// Adds row i of A x = b to the norms of each right-hand side.
void accumulate_row(const Numbers& system, Index i, std::vector<double>& r,
                    std::vector<Norms>& norms) {
  const auto& [n, nrhs, a, b, x] = system;
  for (Index c = 0; c < nrhs; ++c) r[c] = b[i * nrhs + c];
  for (Index j = 0; j < n; ++j)
    for (Index c = 0; c < nrhs; ++c) r[c] -= a[i * n + j] * x[j * nrhs + c];
  for (Index c = 0; c < nrhs; ++c) {
    norms[c].residual = max_or_nan(norms[c].residual, std::abs(r[c]));
    norms[c].x = max_or_nan(norms[c].x, std::abs(x[i * nrhs + c]));
    norms[c].b = max_or_nan(norms[c].b, std::abs(b[i * nrhs + c]));
  }
}

}  // namespace

Residual compute_residual(Index n, Index nrhs, std::span<const double> a, std::span<const double> b,
                          std::span<const double> x, double eps) {
  if (a.size() != n * n || b.size() != n * nrhs || x.size() != n * nrhs)
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  const Numbers system{n, nrhs, a, b, x};
  double norm_a = 0;
  std::vector<Norms> norms(nrhs);
  std::vector<double> r(nrhs);
  for (Index i = 0; i < n; ++i) {
    double row_sum = 0;
    for (const double value : a.subspan(i * n, n)) row_sum += std::abs(value);
    norm_a = max_or_nan(norm_a, row_sum);
    accumulate_row(system, i, r, norms);
  }
  Residual worst;
  for (const Norms& norm : norms) {
    const double scale = norm_a * norm.x + norm.b;
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
