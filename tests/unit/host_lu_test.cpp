/// LU of small matrices on the host, in every kind of vectors that this processor has.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "linalg/solve/host_getrf.hpp"
#include "linalg/solve/host_lu.hpp"

namespace clgauss {

namespace {

/// The unit roundoff.
template <typename Real>
constexpr double kRoundoff = std::numeric_limits<Real>::epsilon() / 2;

Matrix random_matrix(Index rows, Index cols, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Matrix a(rows, cols);
  for (double& value : a.values()) value = normal(engine);
  return a;
}

/// The numbers of a matrix as Real, with its rows so far apart as the kernels want them.
template <typename Real>
struct Padded {
  explicit Padded(const Matrix& a)
      : rows(a.rows()), cols(a.cols()), ld(host_ld<Real>(cols)), numbers(rows * ld) {
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) numbers[i * ld + j] = static_cast<Real>(a(i, j));
  }
  Real* data() { return numbers.data(); }
  [[nodiscard]] const Real* data() const { return numbers.data(); }
  [[nodiscard]] Matrix matrix() const {
    Matrix result(rows, cols);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) result(i, j) = static_cast<double>(numbers[i * ld + j]);
    return result;
  }

  Index rows, cols, ld;
  std::vector<Real> numbers;
};

/// A random matrix of numbers that are Real.
template <typename Real>
Matrix random_matrix_of(Index rows, Index cols, std::uint32_t seed) {
  return Padded<Real>(random_matrix(rows, cols, seed)).matrix();
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
double factor_error(Matrix a, const Matrix& lu, const std::vector<Index>& pivots, double eps) {
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
  return worst / (static_cast<double>(n) * norm * eps);
}

double solve_error(const Matrix& a, const Matrix& x, const Matrix& b,
                   double eps = kRoundoff<double>) {
  double worst = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index c = 0; c < b.cols(); ++c) {
      double sum = b(i, c);
      for (Index j = 0; j < a.rows(); ++j) sum -= a(i, j) * x(j, c);
      worst = std::fmax(worst, std::abs(sum));
    }
  return worst / (norm_inf(a) * norm_inf(x) + norm_inf(b)) / (static_cast<double>(a.rows()) * eps);
}

}  // namespace

TEST_CASE_TEMPLATE("host LU: factors and answers of every kind of vectors", Real, float, double) {
  constexpr double kEps = kRoundoff<Real>;
  for (const auto& kernels : all_host_lu_kernels<Real>()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const Index n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 63, 64, 65, 127, 129, 200}) {
      CAPTURE(n);
      const Matrix a = random_matrix_of<Real>(n, n, static_cast<std::uint32_t>(n));
      Padded<Real> lu(a);
      std::vector<Index> pivots(n);
      kernels.getrf(n, lu.data(), lu.ld, pivots.data());
      CHECK(factor_error(a, lu.matrix(), pivots, kEps) <= 1);
      for (const Index nrhs : {0, 1, 2, 7, 8, 9, 17}) {  // 0: as a vector
        CAPTURE(nrhs);
        const Matrix b = random_matrix_of<Real>(n, std::max<Index>(nrhs, 1), 3);
        Padded<Real> x(b);
        if (nrhs == 0) {
          std::vector<Real> vector(n);
          for (Index i = 0; i < n; ++i) vector[i] = static_cast<Real>(b(i, 0));
          kernels.getrs_vector(n, lu.data(), lu.ld, pivots.data(), vector.data());
          for (Index i = 0; i < n; ++i) x.numbers[i * x.ld] = vector[i];
        } else {
          kernels.getrs(n, lu.data(), lu.ld, pivots.data(), nrhs, x.data(), x.ld);
        }
        CHECK(solve_error(a, x.matrix(), b, kEps) <= 4);
      }
    }
  }
}

TEST_CASE_TEMPLATE("host LU: products of every kind of vectors are those of a plain loop", Real,
                   float, double) {
  for (const auto& kernels : all_host_lu_kernels<Real>()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const auto& [rows, depth, columns] : {std::tuple<Index, Index, Index>(1, 1, 1),
                                               {3, 3, 3},
                                               {8, 8, 8},
                                               {13, 13, 13},
                                               {65, 65, 65},
                                               {5, 200, 32},
                                               {70, 33, 130},
                                               {1, 64, 9},
                                               {130, 7, 1}}) {
      CAPTURE(rows);
      CAPTURE(depth);
      CAPTURE(columns);
      Matrix a = random_matrix(rows, depth, 1), b = random_matrix(depth, columns, 2),
             c = random_matrix(rows, columns, 3);
      for (Matrix* each : {&a, &b, &c})  // small integers: sums are exact
        for (double& value : each->values()) value = std::round(8 * value);
      const Padded<Real> of_a(a), of_b(b);
      Padded<Real> of_c(c);
      kernels.subtract_product(rows, depth, columns, of_a.data(), of_a.ld, of_b.data(), of_b.ld,
                               of_c.data(), of_c.ld);
      const Matrix found = of_c.matrix();
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j) {
          double sum = c(i, j);
          for (Index k = 0; k < depth; ++k) sum -= a(i, k) * b(k, j);
          CHECK(found(i, j) == sum);
        }
    }
  }
}

TEST_CASE_TEMPLATE(
    "host LU: solves with U alone of every kind of vectors are those of a plain loop", Real, float,
    double) {
  for (const auto& kernels : all_host_lu_kernels<Real>()) {
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
        const Padded<Real> of_u(u);
        Padded<Real> of_b(b);
        kernels.solve_upper(n, of_u.data(), of_u.ld, nrhs, of_b.data(), of_b.ld);
        const Matrix found = of_b.matrix();
        for (Index i = 0; i < n; ++i)
          for (Index c = 0; c < nrhs; ++c)
            CHECK(std::abs(found(i, c) - x(i, c)) <= 1000 * kRoundoff<Real>);
      }
  }
}

TEST_CASE_TEMPLATE("host LU: the pivot is the first of the largest, wherever it stands", Real,
                   float, double) {
  for (const auto& kernels : all_host_lu_kernels<Real>()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    const Index n = 40;
    for (Index row = 0; row < n; ++row) {
      Matrix a(n, n);
      for (Index i = 0; i < n; ++i) a(i, i) = 1;
      a(row, 0) = -2;
      a(n - 1, 0) = row == n - 1 ? -2 : 2;
      Padded<Real> lu(a);
      std::vector<Index> pivots(n);
      kernels.getrf(n, lu.data(), lu.ld, pivots.data());
      CHECK(pivots[0] == row);
    }
  }
}

TEST_CASE_TEMPLATE("host LU: singular matrices and numbers that are none leave no answer", Real,
                   float, double) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& kernels : all_host_lu_kernels<Real>()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const Index n : {2, 9, 33})
      for (const double value : {0.0, 1.0, nan}) {
        Padded<Real> lu(Matrix(n, n, Values(n * n, value)));
        std::vector<Index> pivots(n);
        kernels.getrf(n, lu.data(), lu.ld, pivots.data());
        for (const Index pivot : pivots) CHECK(pivot < n);
        std::vector<Real> b(n, 1);
        b[0] = 2;
        kernels.getrs_vector(n, lu.data(), lu.ld, pivots.data(), b.data());
        CHECK_FALSE(std::ranges::all_of(b, [](Real x) { return std::isfinite(x); }));
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
