#include <doctest/doctest.h>

#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lab/tuned.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/devices.hpp"
#include "support/factorisation.hpp"
#include "support/thorough.hpp"
#include "support/triangle.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::factorisation_error;
using clgauss::test::lower_half;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// Symmetric and, as its diagonal outweighs the rest of each row, positive definite.
Matrix dominant(Index n, std::uint64_t seed) {
  Matrix a = random_matrix(n, n, seed);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
    a(i, i) = std::sqrt(static_cast<double>(n)) *
              2;  // the least eigenvalue of the rest is near -1.2 sqrt(n)
  }
  return a;
}

std::vector<Index> no_exchanges(Index n) {
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

std::vector<LuOptions> ways(Context& context, RealType type, Index n) {
  return clgauss::test::ways(context, type, n, {.positive_definite = true});
}

System system_of(Matrix a, Index nrhs = 1) {
  const Index n = a.rows();
  return {std::move(a), random_matrix(n, nrhs, 77)};
}

}  // namespace

TEST_CASE("Cholesky: factors and answers of every size, from the lower triangle alone" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : test::some_of(test::kSizesOfAllKinds, 3)) {
        const double eps = unit_roundoff(type);
        const Matrix a = rounded(dominant(n, n), type), b = rounded(random_matrix(n, 3, 5), type);
        for (const LuOptions& options : ways(context, type, n)) {
          CAPTURE(n);
          const std::string way = options.spec ? "gpu" : "usual";
          CAPTURE(way);
          for (const Index nrhs : {1, 3}) {
            Matrix rhs(n, nrhs);
            for (Index i = 0; i < n; ++i)
              for (Index c = 0; c < nrhs; ++c) rhs(i, c) = b(i, c);
            const PaddedMatrix da(context, type, lower_half(a), 3, 5),
                db(context, type, rhs, 1, nrhs == 1 ? 0 : 2);
            Lu cholesky(context, type, n, options);
            cholesky.factor_and_solve(da.view, db.view, nrhs);
            CHECK_FALSE(cholesky.failed_column().has_value());
            const Matrix x = db.read(context, type);
            CHECK(compute_residual({a, rhs}, x, eps).scaled <= kScaledResidualBound);
            if (nrhs == 3)
              CHECK(factorisation_error(a, da.read(context, type), no_exchanges(n), eps) <= 30);
          }
        }
      }
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
TEST_CASE("Cholesky: L and x beside LAPACK's dposv") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const std::string kind : {"spd", "graded-spd"})
      for (const Index n : {2, 33, 129, 300}) {
        CAPTURE(kind);
        CAPTURE(n);
        Matrix a = generate_matrix("spd", n, n);
        if (kind == "graded-spd")
          for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j)
              a(i, j) = std::ldexp(a(i, j), -static_cast<int>(i % 20 + j % 20));
        const System system = system_of(a);
        SolveOptions options;
        options.method = Method::cholesky;
        const Solution ours = solve(context, system, options);
        CHECK(ours.status == SolveStatus::ok);
        CHECK(ours.method == Method::cholesky);
        Matrix l = a, x = system.b;
        REQUIRE(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', static_cast<lapack_int>(n), 1,
                              l.values().data(), static_cast<lapack_int>(n), x.values().data(),
                              1) == 0);
        const double lapacks =
            compute_residual(system, x, unit_roundoff(RealType::f64)).backward_error;
        CHECK(ours.residual.backward_error <= 4 * lapacks + 4 * unit_roundoff(RealType::f64));
        double log10_abs = 0;
        for (Index i = 0; i < n; ++i) log10_abs += 2 * std::log10(l(i, i));
        options.determinant = true;
        if (!device.profile.fp64) continue;
        const Determinant determinant = solve(context, system, options).determinant;
        CHECK(determinant.sign == 1);
        CHECK(determinant.log10_abs == doctest::Approx(log10_abs).epsilon(1e-10));
      }
  });
}
#endif

TEST_CASE("Cholesky: the column whose pivot is not positive is named, and nothing is solved") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 5, 33, 130, 300})
      for (const Index column : {Index{0}, n / 2, n - 1}) {
        CAPTURE(n);
        CAPTURE(column);
        Matrix a = dominant(n, 4);
        a(column, column) = column % 2 == 0 ? -1.0 : 0.0;
        SolveOptions options;
        options.method = Method::cholesky;
        const Solution solution = solve(context, system_of(a), options);
        CHECK(solution.status == SolveStatus::not_positive_definite);
        CHECK(solution.failed_column == column);
        CHECK(solution.failed_pivot <= 0);
        CHECK(solution.x.empty());
        const RealType type = types_of(device.profile).back();
        for (LuOptions& way : ways(context, type, n)) {
          const PaddedMatrix da(context, type, a, 0, 0),
              db(context, type, random_matrix(n, 1, 3), 0, 0);
          Lu cholesky(context, type, n, way);
          cholesky.factor_and_solve(da.view, db.view, 1);
          CHECK(cholesky.failed_column() == column);
          CHECK(std::isnan(db.read(context, type)(n - 1, 0)));
        }
      }
  });
}

TEST_CASE("Cholesky refuses a matrix that is not symmetric and names the first element") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Matrix a = dominant(200, 4);
    a(170, 3) = 5;
    a(199, 100) = 6;
    SolveOptions options;
    options.method = Method::cholesky;
    CHECK_THROWS_WITH_AS((void)solve(context, system_of(a), options),
                         doctest::Contains("element (171, 4) is 5"), ValueError);
  });
}

TEST_CASE("auto takes Cholesky where A allows it, and LU where a pivot fails, and says so") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!method_choice(context).takes_cholesky(1100) || test::is_slow(context)) return;
    Matrix a = dominant(1100, 6);
    const Solution definite = solve(context, system_of(a));
    CHECK(definite.status == SolveStatus::ok);
    CHECK(definite.method == Method::cholesky);
    CHECK(definite.passed_over.empty());
    const double large = 0.9 * a(0, 0);  // each two rows go together, but not all three
    a(1, 0) = a(0, 1) = a(2, 0) = a(0, 2) = large;
    a(2, 1) = a(1, 2) = -large;
    const Solution indefinite = solve(context, system_of(a));
    CHECK(indefinite.status == SolveStatus::ok);
    CHECK(indefinite.method != Method::cholesky);
    CHECK(indefinite.passed_over.find("not positive definite") != std::string::npos);
    CHECK(indefinite.passed_over.find("column 3") != std::string::npos);
    for (const double other :
         {0.0, 4 * a(0, 0)}) {  // not symmetric, or too large for a positive definite A
      a(2, 0) = other;
      a(0, 2) = 4 * a(0, 0);
      const Solution plain = solve(context, system_of(a));
      CHECK(plain.status == SolveStatus::ok);
      CHECK(plain.method != Method::cholesky);
      CHECK(plain.passed_over.find("definite") == std::string::npos);
    }
  });
}

TEST_CASE("Cholesky: numbers beyond the range of f32, and factors in f32 that are refined") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 150;
    Matrix a = dominant(n, 8);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        a(i, j) = std::ldexp(a(i, j), static_cast<int>(i + j) - static_cast<int>(n));
    SolveOptions options;
    options.method = Method::cholesky;
    options.type = RealType::f32;
    options.accuracy = Accuracy::double_precision;
    const Solution solution = solve(context, system_of(a), options);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.method == Method::cholesky);
    CHECK(solution.residual.backward_error <= 1e-14);
    CHECK(solution.scaled_rows);
  });
}

TEST_CASE("Cholesky: kernels that do not work are passed over") {
  on_every_device([](const Device& device) {
    SolveOptions cholesky;
    cholesky.method = Method::cholesky;
    Context usual(device, ContextOptions::from_environment());
    const System system = system_of(dominant(test::is_slow(usual) ? 300 : 1030, 2));
    for (const char* faults : {"cholesky_cpu=wrong", "cholesky_cpu=build"}) {
      Context context = test::context_with_faults(device, faults);
      const Solution solution = solve(context, system, cholesky);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.method == Method::cholesky);
    }
    Context context = test::context_with_faults(device, "cholesky_cpu=wrong,cholesky=wrong");
    CHECK_THROWS_AS((void)solve(context, system, cholesky), NoUsableKernel);
    const Solution by_lu =
        solve(context, system);  // auto's first choice for large systems is Cholesky
    CHECK(by_lu.status == SolveStatus::ok);
    CHECK(by_lu.method != Method::cholesky);
    CHECK(by_lu.method != Method::gauss);
  });
}

TEST_CASE("Cholesky: what it does not go with is refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.method = Method::cholesky;
    options.equilibration = Equilibration::on;
    CHECK_THROWS_AS((void)solve(context, system_of(dominant(5, 1)), options), UsageError);
    options.equilibration = Equilibration::automatic;
    options.pivoting = Pivoting::tournament;
    CHECK_THROWS_AS((void)solve(context, system_of(dominant(5, 1)), options), UsageError);
    options.pivoting = Pivoting::partial;
    CHECK_THROWS_AS((void)solve_in_place(
                        context, system_of(dominant(5, 1)), [] { return dominant(5, 1); }, options),
                    UsageError);
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
TEST_CASE("Cholesky: rcond is within a factor of 3 of LAPACK's pocon") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    for (const Index n : {1, 2, 33, 129})
      for (const int grade : {0, 10}) {
        CAPTURE(n);
        CAPTURE(grade);
        Matrix a = dominant(n, 3);
        for (Index i = 0; i < n; ++i)  // D A D: the condition grows with the grade
          for (Index j = 0; j < n; ++j)
            a(i, j) = std::ldexp(a(i, j), -static_cast<int>((i + j) * grade / (2 * n)));
        a = rounded(a, type);
        const auto columns = static_cast<lapack_int>(n);
        std::vector<double> factors(a.values().begin(), a.values().end());
        double lapacks = 0;
        const double norm = size_of(a).norm1;
        REQUIRE(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', columns, factors.data(), columns) == 0);
        REQUIRE(LAPACKE_dpocon(LAPACK_ROW_MAJOR, 'L', columns, factors.data(), columns, norm,
                               &lapacks) == 0);
        for (const LuOptions& options : ways(context, type, n)) {
          Lu cholesky(context, type, n, options);
          cholesky.factor(a);
          const double rcond = reciprocal_condition(cholesky, norm);
          CHECK(rcond >= lapacks / 3);
          CHECK(rcond <= lapacks * 3);
        }
      }
  });
}
#endif
