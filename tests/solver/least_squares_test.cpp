#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/least_squares.hpp>
#include <cmath>
#include <limits>

#include "kernels/common/cpu_tile.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// Devices on which work-items run on one core each do all sizes, the others the small ones.
bool takes(Context& context, Index n) {
  return n <= (test::is_slow(context) ? 33 : 129) || context.profile().type != DeviceType::cpu ||
         suits_cpu_kernels(context);
}

/// Whole numbers from -8 to 8, so that products with such numbers are exact.
Matrix whole_numbers(Index rows, Index columns, std::uint64_t seed, double most = 8) {
  Matrix a = random_matrix(rows, columns, seed);
  for (double& value : a.values()) value = std::round(most * value);
  return a;
}

Matrix product(const Matrix& a, const Matrix& x) {
  Matrix y(a.rows(), x.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = 0; k < a.cols(); ++k)
      for (Index c = 0; c < x.cols(); ++c) y(i, c) += a(i, k) * x(k, c);
  return y;
}

Matrix transpose(const Matrix& a) {
  Matrix t(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

/// A problem whose answer is known, exactly.
struct Known {
  Matrix a, b, x;
};

Known known(Index m, Index n, Index nrhs, std::uint64_t seed) {
  Known problem{whole_numbers(m, n, seed), {}, {}};
  problem.x = m >= n ? whole_numbers(n, nrhs, seed + 1, 3)
                     : product(transpose(problem.a), whole_numbers(m, nrhs, seed + 1, 1));
  problem.b = product(problem.a, problem.x);
  return problem;
}

/// The largest difference of a column over the column's largest number.
double error_of(const Matrix& x, const Matrix& truth) {
  REQUIRE(x.rows() == truth.rows());
  REQUIRE(x.cols() == truth.cols());
  double worst = 0;
  for (Index c = 0; c < x.cols(); ++c) {
    double off = 0, largest = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      const double difference = std::abs(x(i, c) - truth(i, c));
      if (!(difference <= off)) off = difference;
      largest = std::max(largest, std::abs(truth(i, c)));
    }
    worst = std::max(worst, largest > 0 ? off / largest : off);
  }
  return worst;
}

Matrix with_copies(Index m, Index n, Index rank, std::uint64_t seed) {
  Matrix a = random_matrix(m, n, seed);
  for (Index i = 0; i < m; ++i)
    for (Index j = rank; j < n; ++j) a(i, j) = a(i, j % rank) - a(i, (j + 1) % rank);
  return a;
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK

/// LAPACK's gels in `type`.
Matrix lapack_gels(RealType type, const Matrix& a, const Matrix& b) {
  const Index m = a.rows(), n = a.cols(), nrhs = b.cols();
  const auto run = [&]<typename Real>(Real, auto gels) {
    std::vector<Real> of_a(a.values().begin(), a.values().end()), of_b(std::max(m, n) * nrhs);
    std::copy(b.values().begin(), b.values().end(), of_b.begin());
    const auto narrow = [](Index value) { return static_cast<lapack_int>(value); };
    REQUIRE(gels(LAPACK_ROW_MAJOR, 'N', narrow(m), narrow(n), narrow(nrhs), of_a.data(), narrow(n),
                 of_b.data(), narrow(nrhs)) == 0);
    Matrix x(n, nrhs);
    std::copy_n(of_b.begin(), n * nrhs, x.values().begin());
    return x;
  };
  return type == RealType::f32 ? run(0.0F, LAPACKE_sgels) : run(0.0, LAPACKE_dgels);
}

Index lapack_rank(const Matrix& a, double tolerance) {
  const Index m = a.rows(), n = a.cols();
  std::vector<double> values(a.values().begin(), a.values().end()), b(std::max(m, n), 1.0);
  std::vector<lapack_int> order(n, 0);
  lapack_int rank = 0;
  REQUIRE(LAPACKE_dgelsy(LAPACK_ROW_MAJOR, static_cast<lapack_int>(m), static_cast<lapack_int>(n),
                         1, values.data(), static_cast<lapack_int>(n), b.data(), 1, order.data(),
                         tolerance, &rank) == 0);
  return static_cast<Index>(rank);
}

#endif

}  // namespace

TEST_CASE("least squares: known answers of every size, tall, wide and square, as good as LAPACK's" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index size : test::kSizesOfAllKinds) {
        if (!takes(context, size)) continue;
        for (const auto& [m, n] :
             {std::pair(size + size / 2 + 1, size), {size, size}, {size, size + size / 2 + 1}}) {
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(real_type_name(type));
          const Known problem = known(m, n, size == 33 ? 11 : 2, size);
          LeastSquaresOptions options;
          options.type = type;
          const LeastSquares answer = least_squares(context, problem.a, problem.b, options);
          CHECK(answer.status == LeastSquaresStatus::ok);
          CHECK(answer.type == type);
          CHECK(answer.corrections == 0);
          CHECK(answer.rank == std::min(m, n));
          CHECK(answer.scaled_residual <= kScaledResidualBound);
          CHECK(answer.residual_norms.size() == problem.b.cols());
          const double eps = unit_roundoff(type);
          double bound = 100 * static_cast<double>(m + n) * eps / answer.rcond;
#ifdef CLGAUSS_TESTS_WITH_LAPACK
          // Of few unknowns it may be better by luck than its condition promises.
          bound = 10 * std::max(error_of(lapack_gels(type, problem.a, problem.b), problem.x),
                                eps / answer.rcond);
#endif
          CHECK(error_of(answer.x, problem.x) <= bound);
        }
      }
  });
}

TEST_CASE("least squares: b outside of the range of A, and columns of very different size") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 5, 33, 129}) {
        CAPTURE(n);
        const Index m = 2 * n + 3;
        Matrix a = rounded(random_matrix(m, n, 3), type);
        const Matrix b = rounded(random_matrix(m, 3, 4), type);
        LeastSquaresOptions options;
        options.type = type;
        const LeastSquares plain = least_squares(context, a, b, options);
        REQUIRE(plain.status == LeastSquaresStatus::ok);
        CHECK(plain.scaled_residual <= kScaledResidualBound);
        // r is at right angles to A's columns, and as long as it is said to be.
        Matrix r = product(a, plain.x);
        for (Index i = 0; i < r.values().size(); ++i) r.values()[i] = b.values()[i] - r.values()[i];
        double square = 0;
        for (Index i = 0; i < m; ++i) square += r(i, 1) * r(i, 1);
        CHECK(plain.residual_norms[1] == doctest::Approx(std::sqrt(square)));
        const Matrix normal = product(transpose(a), r);
        for (const double value : normal.values())
          CHECK(std::abs(value) <= 20 * static_cast<double>(m) * unit_roundoff(type));
        // A column times a power of two is that number of x divided by it, to the bit.
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < m; ++i)
            a(i, j) = std::ldexp(a(i, j), 30 - 4 * static_cast<int>(j % 16));
        const LeastSquares graded = least_squares(context, a, b, options);
        REQUIRE(graded.status == LeastSquaresStatus::ok);
        CHECK(graded.rcond == plain.rcond);
        for (Index j = 0; j < n; ++j)
          for (Index c = 0; c < 3; ++c)
            CHECK(graded.x(j, c) == std::ldexp(plain.x(j, c), 4 * static_cast<int>(j % 16) - 30));
      }
  });
}

TEST_CASE("least squares: factors in f32 give the accuracy of f64") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const auto& [m, n] : {std::pair(1, 1), {40, 40}, {129, 70}, {70, 129}, {200, 3}}) {
      CAPTURE(m);
      CAPTURE(n);
      const auto rows = static_cast<Index>(m), columns = static_cast<Index>(n);
      const Known problem = known(rows, columns, 2, 11);
      LeastSquaresOptions options;
      options.type = RealType::f32;
      options.accuracy = Accuracy::double_precision;
      const LeastSquares answer = least_squares(context, problem.a, problem.b, options);
      CHECK(answer.status == LeastSquaresStatus::ok);
      CHECK(answer.type == RealType::f32);
      CHECK(answer.accuracy == Accuracy::double_precision);
      CHECK(answer.corrections >= 1);
      CHECK(error_of(answer.x, problem.x) <= 1e-13);
      if (m <= n) continue;
      const Matrix b = random_matrix(rows, 2, 12);  // with a residual
      const LeastSquares far = least_squares(context, problem.a, b, options);
      CHECK(far.status == LeastSquaresStatus::ok);
      CHECK(far.scaled_residual <= kScaledResidualBound);
    }
  });
}

TEST_CASE("least squares: a rank below the columns is an outcome that names it") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [rows, columns, rank] :
           {std::tuple(3, 2, 1), {40, 33, 20}, {129, 64, 63}, {64, 129, 50}, {130, 129, 7}}) {
        CAPTURE(rows);
        CAPTURE(columns);
        const auto m = static_cast<Index>(rows), n = static_cast<Index>(columns),
                   r = static_cast<Index>(rank);
        const Matrix a = m >= n ? with_copies(m, n, r, 9) : transpose(with_copies(n, m, r, 9));
        LeastSquaresOptions options;
        options.type = type;
        const LeastSquares answer =
            least_squares(context, rounded(a, type), random_matrix(m, 1, 2), options);
        CHECK(answer.status == LeastSquaresStatus::rank_deficient);
        CHECK(answer.rank == r);
        CHECK(answer.rcond <= answer.tolerance);
        CHECK(answer.x.empty());
        CHECK(answer.tolerance ==
              doctest::Approx(unit_roundoff(type) * static_cast<double>(std::max(m, n))));
#ifdef CLGAUSS_TESTS_WITH_LAPACK
        if (type == RealType::f64) CHECK(answer.rank == lapack_rank(a, answer.tolerance));
#endif
      }
  });
}

TEST_CASE("least squares: numbers that are no numbers, zeros, and shapes that do not fit") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Matrix a = random_matrix(9, 4, 1), b = random_matrix(9, 2, 2);
    CHECK_THROWS_WITH_AS((void)least_squares(context, a, random_matrix(8, 1, 1)),
                         doctest::Contains("A has 9 rows, b has 8"), DimensionError);
    CHECK_THROWS_AS((void)least_squares(context, Matrix(), Matrix()), DimensionError);
    CHECK_THROWS_AS((void)least_squares(context, a, Matrix(9, 0)), DimensionError);
    LeastSquaresOptions most;
    most.accuracy = Accuracy::maximum;
    CHECK_THROWS_AS((void)least_squares(context, a, b, most), UsageError);
    const LeastSquares zero = least_squares(context, a, Matrix(9, 1));
    CHECK(zero.status == LeastSquaresStatus::ok);
    for (const double value : zero.x.values()) CHECK(value == 0);
    const LeastSquares none = least_squares(context, Matrix(3, 2), Matrix(3, 1));
    CHECK(none.status == LeastSquaresStatus::rank_deficient);
    CHECK(none.rank == 0);
    b(3, 1) = std::numeric_limits<double>::infinity();
    CHECK(least_squares(context, a, b).status == LeastSquaresStatus::overflow);
    b(3, 1) = 1;
    a(5, 2) = std::numeric_limits<double>::quiet_NaN();
    const LeastSquares nan = least_squares(context, a, b);
    CHECK(nan.status == LeastSquaresStatus::overflow);
    CHECK(nan.x.empty());
  });
}
