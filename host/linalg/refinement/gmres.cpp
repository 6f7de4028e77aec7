#include "linalg/refinement/gmres.hpp"

#include <cmath>
#include <vector>

namespace clgauss {

namespace {

constexpr double kTolerance = 1e-8;

double dot(const Matrix& u, const Matrix& v) {
  double sum = 0;
  for (Index i = 0; i < u.rows(); ++i) sum += u(i, 0) * v(i, 0);
  return sum;
}

void add(Matrix& v, double factor, const Matrix& u) {
  for (Index i = 0; i < v.rows(); ++i) v(i, 0) += factor * u(i, 0);
}

void scale(Matrix& v, double factor) {
  for (double& value : v.values()) value *= factor;
}

/// The Givens rotation that maps (a, b) to (r, 0).
struct Rotation {
  double c = 1, s = 0;

  Rotation(double a, double b) {
    const double r = std::hypot(a, b);
    if (r > 0) {
      c = a / r;
      s = b / r;
    }
  }
  void apply(double& a, double& b) const {
    const double rotated = c * a + s * b;
    b = c * b - s * a;
    a = rotated;
  }
};

}  // namespace

Index gmres(SystemOperator& system, const ApproximateSolve& solve, Matrix& d,
            const ProgressCallback& progress) {
  std::vector<Matrix> basis, solved;         // v's, orthonormal, and M^-1 v's
  std::vector<std::vector<double>> columns;  // of H, made triangular by the rotations
  std::vector<Rotation> rotations;
  const double first = std::sqrt(dot(d, d));
  if (!(first > 0) || !std::isfinite(first)) return 0;
  scale(d, 1 / first);
  basis.push_back(d);
  std::vector<double> rest{
      first};  // the right-hand side of the least squares problem; its last number is the residual
  while (columns.size() < kGmresSteps && std::abs(rest.back()) > kTolerance * first) {
    if (progress) progress("refinement by GMRES", 0);
    Matrix z = basis.back();
    solve(z);
    Matrix w = system.product(z);
    std::vector<double> h;
    for (const Matrix& v : basis) {
      h.push_back(dot(v, w));
      add(w, -h.back(), v);
    }
    const double length = std::sqrt(dot(w, w));
    if (!std::isfinite(length)) break;
    for (Index k = 0; k < rotations.size(); ++k) rotations[k].apply(h[k], h[k + 1]);
    double next = length;
    rotations.emplace_back(h.back(), next);
    rotations.back().apply(h.back(), next);
    columns.push_back(std::move(h));
    solved.push_back(std::move(z));
    rest.push_back(0);
    rotations.back().apply(rest[rest.size() - 2], rest.back());
    if (!(length > 0)) break;  // the basis contains the exact solution
    scale(w, 1 / length);
    basis.push_back(std::move(w));
  }
  std::vector<double> y(columns.size());
  for (Index k = columns.size(); k-- > 0;) {
    y[k] = rest[k];
    for (Index j = k + 1; j < columns.size(); ++j) y[k] -= columns[j][k] * y[j];
    y[k] = columns[k][k] != 0 ? y[k] / columns[k][k] : 0;
  }
  scale(d, 0);
  for (Index k = 0; k < y.size(); ++k) add(d, y[k], solved[k]);
  return columns.size();
}

}  // namespace clgauss
