/// LU of small matrices on the host, in every kind of vectors that this processor has.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "linalg/solve/host_getrf.hpp"
#include "linalg/solve/host_lu.hpp"

namespace clgauss {

namespace {

constexpr double kEps = 0x1p-53;

Matrix random_matrix(Index rows, Index cols, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Matrix a(rows, cols);
  for (double& value : a.values()) value = normal(engine);
  return a;
}

/// The rows of `a` so far apart as the kernels want them.
Matrix padded(const Matrix& a) {
  Matrix result(a.rows(), host_ld(a.cols()));
  for (Index i = 0; i < a.rows(); ++i) std::ranges::copy(a.row(i), result.row(i).begin());
  return result;
}

double norm_inf(const Matrix& a) {
  double norm = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (const double value : a.row(i)) sum += std::abs(value);
    norm = std::fmax(norm, sum);
  }
  return norm;
}

/// || P A - L U || / (n ||A|| eps), and that every multiplier is at most 1.
double factor_error(Matrix a, const Matrix& lu, const std::vector<Index>& pivots) {
  const Index n = a.rows();
  const double norm = norm_inf(a);
  for (Index k = 0; k < n; ++k)
    if (pivots[k] != k) std::ranges::swap_ranges(a.row(k), a.row(pivots[k]));
  double worst = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = i <= j ? lu(i, j) : 0;
      for (Index k = 0; k < std::min(i, j + 1); ++k) sum += lu(i, k) * lu(k, j);
      worst = std::fmax(worst, std::abs(a(i, j) - sum));
      if (i > j) CHECK(std::abs(lu(i, j)) <= 1);
    }
  return worst / (static_cast<double>(n) * norm * kEps);
}

double solve_error(const Matrix& a, const Matrix& x, const Matrix& b) {
  double worst = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index c = 0; c < b.cols(); ++c) {
      double sum = b(i, c);
      for (Index j = 0; j < a.rows(); ++j) sum -= a(i, j) * x(j, c);
      worst = std::fmax(worst, std::abs(sum));
    }
  return worst / (norm_inf(a) * norm_inf(x) + norm_inf(b)) / (static_cast<double>(a.rows()) * kEps);
}

}  // namespace

TEST_CASE("host LU: factors and answers of every kind of vectors") {
  for (const HostLuKernels& kernels : all_host_lu_kernels()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const Index n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 63, 64, 65, 127, 129, 200}) {
      CAPTURE(n);
      const Matrix a = random_matrix(n, n, static_cast<std::uint32_t>(n));
      Matrix lu = padded(a);
      std::vector<Index> pivots(n);
      kernels.getrf(n, lu.values().data(), lu.cols(), pivots.data());
      CHECK(factor_error(a, lu, pivots) <= 1);
      Matrix vector = random_matrix(n, 1, 2);
      const Matrix of_vector = vector;
      kernels.getrs_vector(n, lu.values().data(), lu.cols(), pivots.data(), vector.values().data());
      CHECK(solve_error(a, vector, of_vector) <= 4);
      for (const Index nrhs : {1, 2, 7, 8, 9, 17}) {
        CAPTURE(nrhs);
        const Matrix b = random_matrix(n, nrhs, 3);
        Matrix x = padded(b);
        kernels.getrs(n, lu.values().data(), lu.cols(), pivots.data(), nrhs, x.values().data(),
                      x.cols());
        CHECK(solve_error(a, x, b) <= 4);
      }
    }
  }
}

TEST_CASE("host LU: products of every kind of vectors are those of a plain loop") {
  for (const HostLuKernels& kernels : all_host_lu_kernels()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const Index n : {1, 3, 8, 13, 32, 65}) {
      Matrix a = random_matrix(n, n, 1), b = random_matrix(n, n, 2), c = random_matrix(n, n, 3);
      for (Matrix* each : {&a, &b, &c})  // small integers: sums are exact
        for (double& value : each->values()) value = std::round(8 * value);
      const Matrix of_a = padded(a), of_b = padded(b);
      Matrix of_c = padded(c);
      kernels.subtract_product(n, of_a.values().data(), of_a.cols(), of_b.values().data(),
                               of_c.values().data(), of_c.cols());
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          double sum = c(i, j);
          for (Index k = 0; k < n; ++k) sum -= a(i, k) * b(k, j);
          CHECK(of_c(i, j) == sum);
        }
    }
  }
}

TEST_CASE("host LU: solves with U alone of every kind of vectors are those of a plain loop") {
  for (const HostLuKernels& kernels : all_host_lu_kernels()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const Index n : {1, 3, 8, 13, 65})
      for (const Index nrhs : {1, 8, 70}) {
        Matrix u = random_matrix(n, n, 4);  // below its diagonal is what does not count
        for (Index i = 0; i < n; ++i) u(i, i) = static_cast<double>(n) + u(i, i);
        const Matrix x = random_matrix(n, nrhs, 5);
        Matrix b(n, nrhs);
        for (Index i = 0; i < n; ++i)
          for (Index c = 0; c < nrhs; ++c)
            for (Index j = i; j < n; ++j) b(i, c) += u(i, j) * x(j, c);
        const Matrix of_u = padded(u);
        Matrix found = padded(b);
        kernels.solve_upper(n, of_u.values().data(), of_u.cols(), nrhs, found.values().data(),
                            found.cols());
        for (Index i = 0; i < n; ++i)
          for (Index c = 0; c < nrhs; ++c) CHECK(std::abs(found(i, c) - x(i, c)) <= 1e-13);
      }
  }
}

TEST_CASE("host LU: the pivot is the first of the largest, wherever it stands") {
  for (const HostLuKernels& kernels : all_host_lu_kernels()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    const Index n = 40;
    for (Index row = 0; row < n; ++row) {
      Matrix a(n, n);
      for (Index i = 0; i < n; ++i) a(i, i) = 1;
      a(row, 0) = -2;
      a(n - 1, 0) = row == n - 1 ? -2 : 2;
      Matrix lu = padded(a);
      std::vector<Index> pivots(n);
      kernels.getrf(n, lu.values().data(), lu.cols(), pivots.data());
      CHECK(pivots[0] == row);
    }
  }
}

TEST_CASE("host LU: singular matrices and numbers that are none leave no answer") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const HostLuKernels& kernels : all_host_lu_kernels()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const Index n : {2, 9, 33})
      for (const double value : {0.0, 1.0, nan}) {
        Matrix lu = padded(Matrix(n, n, Values(n * n, value)));
        std::vector<Index> pivots(n);
        kernels.getrf(n, lu.values().data(), lu.cols(), pivots.data());
        for (const Index pivot : pivots) CHECK(pivot < n);
        std::vector<double> b(n, 1.0);
        b[0] = 2;
        kernels.getrs_vector(n, lu.values().data(), lu.cols(), pivots.data(), b.data());
        CHECK_FALSE(std::ranges::all_of(b, [](double x) { return std::isfinite(x); }));
      }
  }
}

TEST_CASE("host LU: a transposed system by the factors of the matrix") {
  for (const Index n : {1, 7, 50}) {
    const Matrix a = random_matrix(n, n, 5), b = random_matrix(n, 3, 6);
    Matrix transposed(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) transposed(i, j) = a(j, i);
    HostLu lu(a);
    Matrix x = b;
    lu.solve_transposed(x);
    CHECK(solve_error(transposed, x, b) <= 4);
    x = b;
    lu.solve(x);
    CHECK(solve_error(a, x, b) <= 4);
  }
}

}  // namespace clgauss
