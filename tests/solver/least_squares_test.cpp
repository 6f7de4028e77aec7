#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/least_squares.hpp>
#include <cmath>
#include <limits>
#include <tuple>

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
                     : test::product(transpose(problem.a), whole_numbers(m, nrhs, seed + 1, 1));
  problem.b = test::product(problem.a, problem.x);
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

/// A = L R of a known rank, b = A x + e with an x in the range of A^T and an e at right angles to
/// that of A: x is the answer, exactly. The first two rows of A are the same, but for rank m.
Known known_of_rank(Index m, Index n, Index rank, Index nrhs, std::uint64_t seed) {
  Matrix left = whole_numbers(m, rank, seed, 4);
  const Matrix right = whole_numbers(rank, n, seed + 1, 2);
  const bool twice = m > rank;
  if (twice) std::ranges::copy(left.row(0), left.row(1).begin());
  Known problem{test::product(left, right),
                {},
                test::product(transpose(right), whole_numbers(rank, nrhs, seed + 2, 1))};
  problem.b = test::product(problem.a, problem.x);
  if (!twice) return problem;
  for (Index c = 0; c < nrhs; ++c) {
    problem.b(0, c) += 3;
    problem.b(1, c) -= 3;
  }
  return problem;
}

/// A^T W (b - A x) = ridge x, exactly: weights and ridge are powers of two, or 0. What rows of
/// weight 0 have is far off. Without a ridge a tall A has two equal rows, whose b disagrees.
Known known_of_weights(Index m, Index n, const LeastSquaresOptions& options, std::uint64_t seed) {
  constexpr Index nrhs = 3;
  Known problem{whole_numbers(m, n, seed, 4), {}, {}};
  const bool disagrees = options.ridge == 0 && m > n;
  if (disagrees) std::ranges::copy(problem.a.row(0), problem.a.row(1).begin());
  const auto weight = [&](Index i) { return options.weights.empty() ? 1 : options.weights[i]; };
  Matrix z = whole_numbers(m, nrhs, seed + 1, 1);
  for (Index i = 0; i < m; ++i)
    if (weight(i) == 0) std::ranges::fill(z.row(i), 0.0);
  problem.x =
      disagrees ? whole_numbers(n, nrhs, seed + 1, 3) : test::product(transpose(problem.a), z);
  problem.b = test::product(problem.a, problem.x);
  for (Index i = 0; i < m; ++i)
    for (Index c = 0; c < nrhs; ++c)
      problem.b(i, c) += weight(i) == 0 ? 100 : options.ridge * z(i, c) / weight(i);
  for (Index c = 0; c < nrhs && disagrees; ++c) {
    problem.b(0, c) += 16 / weight(0);
    problem.b(1, c) -= 16 / weight(1);
  }
  return problem;
}

/// 4, 1, 1/4 over and over, and 0 at every 7th place, but for the first two.
std::vector<double> quartered_weights(Index m) {
  std::vector<double> weights(m);
  for (Index i = 0; i < m; ++i) weights[i] = i % 7 == 6 ? 0 : std::ldexp(4, -2 * int(i % 3));
  return weights;
}

double norm2_of(const Matrix& x, Index c) {
  double square = 0;
  for (Index i = 0; i < x.rows(); ++i) square += x(i, c) * x(i, c);
  return std::sqrt(square);
}

/// b - A x, and row i times w_i^1/2.
Matrix residual_of(const Matrix& a, const Matrix& x, const Matrix& b,
                   const std::vector<double>& weights) {
  Matrix r = test::product(a, x);
  for (Index i = 0; i < r.rows(); ++i)
    for (Index c = 0; c < r.cols(); ++c)
      r(i, c) = (b(i, c) - r(i, c)) * (weights.empty() ? 1 : std::sqrt(weights[i]));
  return r;
}

/// Shapes and ranks below both of their sides.
constexpr std::tuple<Index, Index, Index> kDeficient[] = {
    {3, 2, 1},     {2, 2, 1},     {2, 3, 1},     {40, 33, 20},    {33, 33, 32}, {33, 40, 20},
    {129, 64, 63}, {64, 129, 50}, {130, 129, 7}, {129, 129, 100}, {7, 300, 6},  {300, 7, 6},
    {40, 33, 1},   {33, 40, 1},   {129, 65, 64}, {65, 129, 64}};

#ifdef CLGAUSS_TESTS_WITH_LAPACK

/// (W^1/2 A; ridge^1/2 I), and what belongs to b.
std::pair<Matrix, Matrix> stacked(const Known& problem, const LeastSquaresOptions& options) {
  const auto& [a, b, x] = problem;
  const Index extra = options.ridge > 0 ? a.cols() : 0;
  Matrix whole(a.rows() + extra, a.cols()), right(a.rows() + extra, b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    const double root = options.weights.empty() ? 1 : std::sqrt(options.weights[i]);
    for (Index j = 0; j < a.cols(); ++j) whole(i, j) = root * a(i, j);
    for (Index c = 0; c < b.cols(); ++c) right(i, c) = root * b(i, c);
  }
  for (Index j = 0; j < extra; ++j) whole(a.rows() + j, j) = std::sqrt(options.ridge);
  return {std::move(whole), std::move(right)};
}

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

struct LeastNorm {
  Matrix x;
  Index rank;
  double condition;  // the largest singular value over the smallest that counts
};

/// LAPACK's gelsd in `type`.
LeastNorm lapack_gelsd(RealType type, const Matrix& a, const Matrix& b, double tolerance) {
  const Index m = a.rows(), n = a.cols(), nrhs = b.cols();
  const auto run = [&]<typename Real>(Real, auto gelsd) -> LeastNorm {
    std::vector<Real> of_a(a.values().begin(), a.values().end()), of_b(std::max(m, n) * nrhs),
        singular(std::min(m, n));
    std::copy(b.values().begin(), b.values().end(), of_b.begin());
    lapack_int rank = 0;
    const auto narrow = [](Index value) { return static_cast<lapack_int>(value); };
    REQUIRE(gelsd(LAPACK_ROW_MAJOR, narrow(m), narrow(n), narrow(nrhs), of_a.data(), narrow(n),
                  of_b.data(), narrow(nrhs), singular.data(), static_cast<Real>(tolerance),
                  &rank) == 0);
    REQUIRE(rank > 0);
    Matrix x(n, nrhs);
    std::copy_n(of_b.begin(), n * nrhs, x.values().begin());
    const auto known = static_cast<Index>(rank);
    return {std::move(x), known, static_cast<double>(singular[0] / singular[known - 1])};
  };
  return type == RealType::f32 ? run(0.0F, LAPACKE_sgelsd) : run(0.0, LAPACKE_dgelsd);
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
        Matrix r = test::product(a, plain.x);
        for (Index i = 0; i < r.values().size(); ++i) r.values()[i] = b.values()[i] - r.values()[i];
        double square = 0;
        for (Index i = 0; i < m; ++i) square += r(i, 1) * r(i, 1);
        CHECK(plain.residual_norms[1] == doctest::Approx(std::sqrt(square)));
        const Matrix normal = test::product(transpose(a), r);
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

TEST_CASE("least squares: the least x of a deficient A is as good as LAPACK's" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [m, n, rank] : kDeficient) {
        if (!takes(context, std::max(m, n))) continue;
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(real_type_name(type));
        const Known problem = known_of_rank(m, n, rank, 3, 17);
        LeastSquaresOptions options;
        options.type = type;
        const LeastSquares answer = least_squares(context, problem.a, problem.b, options);
        CHECK(answer.status == LeastSquaresStatus::ok);
        CHECK(answer.type == type);
        CHECK(answer.rank == rank);
        CHECK(answer.nullity == n - rank);
        CHECK(answer.rcond <= answer.tolerance);
        CHECK(answer.tolerance ==
              doctest::Approx(2 * unit_roundoff(type) * static_cast<double>(std::max(m, n))));
        CHECK(answer.scaled_residual <= kScaledResidualBound);
        for (const double norm : answer.residual_norms)
          CHECK(norm ==
                doctest::Approx(std::sqrt(18.0)).epsilon(type == RealType::f32 ? 0.1 : 1e-9));
        double bound = static_cast<double>(100 * (m + n)) * unit_roundoff(type);
#ifdef CLGAUSS_TESTS_WITH_LAPACK
        const LeastNorm lapack = lapack_gelsd(type, problem.a, problem.b, answer.tolerance);
        CHECK(answer.rank == lapack.rank);
        // It may be better by luck than the condition promises.
        bound =
            10 * std::max(error_of(lapack.x, problem.x), unit_roundoff(type) * lapack.condition);
#endif
        CHECK(error_of(answer.x, problem.x) <= bound);
        options.require_full_rank = true;
        const LeastSquares refused = least_squares(context, problem.a, problem.b, options);
        CHECK(refused.status == LeastSquaresStatus::rank_deficient);
        CHECK(refused.rank == rank);
        CHECK(refused.x.empty());
      }
  });
}

TEST_CASE("least squares: of a deficient A factors in f32 give the accuracy of f64") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const auto& [m, n, rank] : kDeficient) {
      CAPTURE(m);
      CAPTURE(n);
      const Known problem = known_of_rank(m, n, rank, 2, 23);
      LeastSquaresOptions options;
      options.type = RealType::f32;
      options.accuracy = Accuracy::double_precision;
      const LeastSquares answer = least_squares(context, problem.a, problem.b, options);
      CHECK(answer.status == LeastSquaresStatus::ok);
      CHECK(answer.rank == rank);
      CHECK(answer.corrections >= 1);
      CHECK(error_of(answer.x, problem.x) <= 1e-12);
    }
  });
}

TEST_CASE("least squares: the length of x counts as it is, however large the columns are") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const bool wide : {false, true}) {
        CAPTURE(wide);
        // Columns j and j + 20, in proportion 1 to 2^10, or rows.
        const Index rows = 50, columns = 40;
        Matrix a = rounded(random_matrix(rows, columns, 31), type);
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < 20; ++j) a(i, j + 20) = std::ldexp(a(i, j), 10);
        if (wide) a = transpose(a);
        const Matrix b = rounded(random_matrix(a.rows(), 1, 32), type);
        LeastSquaresOptions options;
        options.type = type;
        const LeastSquares answer = least_squares(context, a, b, options);
        REQUIRE(answer.status == LeastSquaresStatus::ok);
        CHECK(answer.rank == 20);
        const double digits = 1e4 * unit_roundoff(type);
        Matrix r = test::product(a, answer.x);
        for (Index i = 0; i < a.rows(); ++i) r(i, 0) = b(i, 0) - r(i, 0);
        for (Index j = 0; j < 20; ++j) {
          if (!wide) {  // x is at right angles to (2^10, .. -1 ..): the large column has all but all
            const double larger = answer.x(j + 20, 0);
            CHECK(answer.x(j, 0) == doctest::Approx(std::ldexp(larger, -10)).epsilon(digits));
          } else {  // r is at right angles to A's columns: (1, 2^10) to what it has of two rows
            CHECK(std::abs(r(j, 0) + std::ldexp(r(j + 20, 0), 10)) <= 100 * digits);
          }
        }
      }
  });
}

TEST_CASE("least squares: what is below the tolerance that is asked for counts as 0") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [m, n] : {std::pair<Index, Index>(60, 40), {40, 40}, {40, 60}}) {
        CAPTURE(m);
        CAPTURE(n);
        const Index rank = 10;
        Matrix a = test::product(random_matrix(m, rank, 41), random_matrix(rank, n, 42));
        const Matrix noise = random_matrix(m, n, 43);
        double largest = 0;
        for (Index i = 0; i < a.values().size(); ++i) {
          a.values()[i] += 1e-4 * noise.values()[i];
          largest = std::max(largest, std::abs(a.values()[i]));
        }
        a = rounded(a, type);
        const Matrix b = rounded(random_matrix(m, 2, 44), type);
        LeastSquaresOptions options;
        options.type = type;
        CHECK(least_squares(context, a, b, options).rank > rank);
        options.rank_tolerance = 1e-2;
        const LeastSquares answer = least_squares(context, a, b, options);
        CHECK(answer.status == LeastSquaresStatus::ok);
        CHECK(answer.rank == rank);
        CHECK(answer.tolerance == 1e-2);
        for (const double x : answer.x.values()) CHECK(std::abs(x) < 10);  // not of the noise
#ifdef CLGAUSS_TESTS_WITH_LAPACK
        // As near as two ways to leave the noise out come to each other.
        const LeastNorm lapack = lapack_gelsd(type, a, b, 1e-2);
        CHECK(lapack.rank == rank);
        CHECK(error_of(answer.x, lapack.x) <= 1e-2);
#endif
      }
    LeastSquaresOptions wrong;
    for (const double tolerance : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
      wrong.rank_tolerance = tolerance;
      CHECK_THROWS_WITH_AS((void)least_squares(context, Matrix(2, 1), Matrix(2, 1), wrong),
                           doctest::Contains("it must be at least 0 and below 1"), UsageError);
    }
  });
}

TEST_CASE("least squares: ridge and weights have known answers, as good as LAPACK's") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [m, n] :
           {std::pair<Index, Index>(1, 1), {9, 4}, {33, 33}, {90, 50}, {5, 9}, {50, 90}})
        for (const double ridge : {0.0, 0x1p-6, 4.0})
          for (const bool weighted : {false, true}) {
            if (!takes(context, m + n)) continue;
            CAPTURE(m);
            CAPTURE(n);
            CAPTURE(ridge);
            CAPTURE(weighted);
            CAPTURE(real_type_name(type));
            LeastSquaresOptions options;
            options.type = type;
            options.ridge = ridge;
            if (weighted) options.weights = quartered_weights(m);
            const Known problem = known_of_weights(m, n, options, 51);
            const LeastSquares answer = least_squares(context, problem.a, problem.b, options);
            REQUIRE(answer.status == LeastSquaresStatus::ok);
            const Index zeros = weighted && ridge == 0 && m <= n ? m / 7 : 0;
            CHECK(answer.rank == std::min(m, n) - zeros);
            CHECK(answer.nullity == (ridge > 0 ? 0 : n - answer.rank));
            double bound = static_cast<double>(1000 * (m + n)) * unit_roundoff(type);
#ifdef CLGAUSS_TESTS_WITH_LAPACK
            const auto [whole, right] = stacked(problem, options);
            const LeastNorm lapack = lapack_gelsd(type, whole, right, answer.tolerance);
            bound = 10 *
                    std::max(error_of(lapack.x, problem.x), unit_roundoff(type) * lapack.condition);
#endif
            CHECK(error_of(answer.x, problem.x) <= bound);
            const Matrix r = residual_of(problem.a, problem.x, problem.b, {}),
                         parts = residual_of(problem.a, problem.x, problem.b, options.weights);
            const double digits = type == RealType::f32 ? 1e-2 : 1e-9;
            for (Index c = 0; c < 3; ++c) {
              CHECK(answer.residual_norms[c] == doctest::Approx(norm2_of(r, c)).epsilon(digits));
              CHECK(answer.objective_norms[c] ==
                    doctest::Approx(
                        std::hypot(norm2_of(parts, c), std::sqrt(ridge) * norm2_of(problem.x, c)))
                        .epsilon(digits));
            }
          }
  });
}

TEST_CASE("least squares: weights and ridges of very different size lose no digits") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    LeastSquaresOptions options;
    for (const RealType type : types_of(device.profile)) {
      options.type = type;
      options.accuracy = Accuracy::double_precision;
      const Index m = 60, n = 20;
      options.ridge = 0;
      const int power = type == RealType::f32 ? 14 : 30;
      options.weights.assign(m, std::ldexp(1, -power));  // the large ones last
      std::fill(options.weights.end() - 15, options.weights.end(), std::ldexp(1, power));
      Known problem{whole_numbers(m, n, 61), {}, whole_numbers(n, 1, 62)};
      problem.b = test::product(problem.a, problem.x);
      const LeastSquares weighted = least_squares(context, problem.a, problem.b, options);
      CHECK(weighted.status == LeastSquaresStatus::ok);
      CHECK(error_of(weighted.x, problem.x) <= 1e-11);
      // x = A^T b / ridge but for A^T A / ridge, tall and wide.
      options.weights.clear();
      options.ridge = 0x1p100;
      for (const bool wide : {false, true}) {
        const Matrix a = wide ? transpose(problem.a) : problem.a;
        const Matrix b = whole_numbers(a.rows(), 1, 63);
        Matrix expected = test::product(transpose(a), b);
        for (double& value : expected.values()) value = std::ldexp(value, -100);
        const LeastSquares small = least_squares(context, a, b, options);
        CHECK(small.status == LeastSquaresStatus::ok);
        CHECK(error_of(small.x, expected) <= 1e-13);
      }
    }
  });
}

TEST_CASE("least squares: a ridge and weights that are none are refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();
    const Matrix a(3, 2, {1, 2, 3, 4, 5, 6}), b(3, 1, {1, 2, 3});
    for (const double wrong : {-1.0, nan, infinity}) {
      LeastSquaresOptions options;
      options.ridge = wrong;
      CHECK_THROWS_WITH_AS((void)least_squares(context, a, b, options),
                           doctest::Contains("the ridge is"), UsageError);
      options.ridge = 0;
      options.weights = {1, wrong, 1};
      CHECK_THROWS_WITH_AS((void)least_squares(context, a, b, options),
                           doctest::Contains("the weight of row 1 (from 0) is"), UsageError);
    }
    LeastSquaresOptions options;
    options.weights = {1, 1};
    CHECK_THROWS_WITH_AS((void)least_squares(context, a, b, options),
                         doctest::Contains("A has 3 rows, and there are 2 weights"),
                         DimensionError);
    options.weights = {0, 0, 0};
    const LeastSquares none = least_squares(context, a, b, options);
    CHECK(none.status == LeastSquaresStatus::ok);
    CHECK(none.rank == 0);
    for (const double value : none.x.values()) CHECK(value == 0);
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
    for (const Matrix& zeros : {Matrix(3, 2), Matrix(2, 3)}) {
      const LeastSquares none = least_squares(context, zeros, random_matrix(zeros.rows(), 2, 3));
      CHECK(none.status == LeastSquaresStatus::ok);
      CHECK(none.rank == 0);
      CHECK(none.nullity == zeros.cols());
      CHECK(none.x.rows() == zeros.cols());
      for (const double value : none.x.values()) CHECK(value == 0);
    }
    b(3, 1) = std::numeric_limits<double>::infinity();
    CHECK(least_squares(context, a, b).status == LeastSquaresStatus::overflow);
    b(3, 1) = 1;
    a(5, 2) = std::numeric_limits<double>::quiet_NaN();
    const LeastSquares nan = least_squares(context, a, b);
    CHECK(nan.status == LeastSquaresStatus::overflow);
    CHECK(nan.x.empty());
  });
}
