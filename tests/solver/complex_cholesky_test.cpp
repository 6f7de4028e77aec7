// Hermitian positive definite systems by Cholesky's factorisation.
#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "linalg/complex/complex_factors.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;
using test::random_complex;
using test::system_of;
using Complex = std::complex<double>;

namespace {

/// Hermitian and, as its diagonal outweighs the rest, positive definite; rows and columns times
/// powers of two from 2^least on, each `step` more than the last.
ComplexMatrix definite(Index n, std::uint64_t seed, int least = 0, int step = 0) {
  ComplexMatrix a = random_complex(n, n, seed);
  const auto power = [&](Index i) { return least + step * static_cast<int>(i); };
  for (Index i = 0; i < n; ++i) {
    a.set(i, i, 3 * std::sqrt(static_cast<double>(n)));
    for (Index j = 0; j < i; ++j) a.set(j, i, std::conj(a(i, j)));
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a.set(i, j, a(i, j) * std::ldexp(1.0, power(i) + power(j)));
  return a;
}

SolveOptions by_cholesky(std::optional<RealType> type = {}) {
  SolveOptions options;
  options.method = Method::cholesky;
  options.type = type;
  return options;
}

}  // namespace

TEST_CASE("complex Cholesky: answers of every size" * test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 7, 8, 9, 31, 95, 96, 97, 129, 300}) {
        if (n > 129 && test::is_slow(context)) continue;
        CAPTURE(n);
        const ComplexSystem system = system_of(definite(n, n), n % 3 + 1);
        const ComplexSolution solution = solve_complex(context, system, by_cholesky(type));
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.method == Method::cholesky);
        CHECK(solution.type == type);
        REQUIRE(solution.x.cols() == n % 3 + 1);
        CHECK(solution.residual.scaled <= kScaledResidualBound);
      }
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
TEST_CASE("complex Cholesky: x, determinant and rcond beside LAPACK's zposv and zpocon") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    for (const int step : {0, -1})
      for (const Index n : {1, 2, 33, 129, 250}) {
        if (n > 129 && test::is_slow(context)) continue;
        CAPTURE(step);
        CAPTURE(n);
        const ComplexSystem system = system_of(definite(n, n + 1, 0, step));
        SolveOptions options = by_cholesky();
        options.determinant = true;
        options.trust = true;
        const ComplexSolution ours = solve_complex(context, system, options);
        REQUIRE(ours.status == SolveStatus::ok);
        ComplexMatrix l = system.a, x = system.b;
        const auto theirs = [](ComplexMatrix& matrix) {
          return reinterpret_cast<lapack_complex_double*>(matrix.parts().values().data());
        };
        const auto size = static_cast<lapack_int>(n);
        REQUIRE(LAPACKE_zposv(LAPACK_ROW_MAJOR, 'L', size, 1, theirs(l), size, theirs(x), 1) == 0);
        const double lapacks =
            compute_residual(system, x, unit_roundoff(RealType::f64)).backward_error;
        CHECK(ours.residual.backward_error <= 4 * lapacks + 4 * unit_roundoff(RealType::f64));
        double log10_abs = 0, norm1 = 0;
        for (Index i = 0; i < n; ++i) {
          log10_abs += 2 * std::log10(l(i, i).real());
          double sum = 0;
          for (Index j = 0; j < n; ++j) sum += std::abs(system.a(i, j));
          norm1 = std::max(norm1, sum);
        }
        CHECK(ours.determinant.phase == Complex(1));
        CHECK(ours.determinant.log10_abs == doctest::Approx(log10_abs).epsilon(1e-10));
        double rcond = 0;
        REQUIRE(LAPACKE_zpocon(LAPACK_ROW_MAJOR, 'L', size, theirs(l), size, norm1, &rcond) == 0);
        REQUIRE(ours.trust);
        CHECK(ours.trust->rcond <= 3 * rcond);
        CHECK(ours.trust->rcond >= rcond / 3);
      }
  });
}
#endif

TEST_CASE("complex Cholesky: rows of very different sizes, in the range of the type") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Accuracy accuracy : {Accuracy::double_precision, Accuracy::maximum}) {
        const ComplexSystem system = system_of(definite(67, 3, -150, 4), 2);
        SolveOptions options = by_cholesky(type);
        options.accuracy = accuracy;
        const ComplexSolution solution = solve_complex(context, system, options);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.method == Method::cholesky);
        CHECK(solution.residual.backward_error <= 1e-14);
      }
  });
}

TEST_CASE("complex Cholesky: factors solve again and with A^H, and where A was scaled") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const int step : {0, 1}) {
        const Index n = 65;
        const ComplexSystem system = system_of(definite(n, 9, 0, step), 2);
        LuOptions options;
        options.positive_definite = true;
        ComplexFactors factors(context, system, type, options, true);
        factors.upload(system, Equilibration::automatic);
        factors.factor({});
        REQUIRE_FALSE(factors.pivots().failed_column);
        for (const bool transposed : {false, true}) {
          const ComplexMatrix b = random_complex(n, 11, 6);
          Matrix x = in_pairs(b);
          if (transposed)
            factors.solve_transposed(x);
          else
            factors.solve(x);
          CHECK(compute_residual({system.a, b}, from_pairs(x), unit_roundoff(type)).scaled <=
                kScaledResidualBound);
        }
        CHECK(factors.reciprocal_growth(system.a.parts()) >= 1 - 1e-5);
      }
  });
}

TEST_CASE("complex Cholesky: the column whose pivot is not positive is named") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 5, 130})
        for (const Index column : {Index{0}, n / 2, n - 1}) {
          CAPTURE(n);
          CAPTURE(column);
          ComplexMatrix a = definite(n, 4);
          a.set(column, column, column % 2 == 0 ? -1.0 : 0.0);
          const ComplexSolution solution = solve_complex(context, system_of(a), by_cholesky(type));
          CHECK(solution.status == SolveStatus::not_positive_definite);
          CHECK(solution.failed_column == column);
          CHECK(solution.failed_pivot <= 0);
          CHECK(solution.x.empty());
        }
    ComplexMatrix a = definite(20, 5);
    a.set(11, 11, std::numeric_limits<double>::quiet_NaN());
    CHECK(solve_complex(context, system_of(a), by_cholesky()).status == SolveStatus::singular);
  });
}

TEST_CASE("complex Cholesky refuses a matrix that is not Hermitian and names the element") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const auto refused = [&](const ComplexMatrix& a, const char* text) {
      CHECK_THROWS_WITH_AS((void)solve_complex(context, system_of(a), by_cholesky()),
                           doctest::Contains(text), ValueError);
    };
    ComplexMatrix a = definite(200, 4);
    a.set(170, 3, {5, -1});
    a.set(199, 100, 6);
    refused(a, "A is not Hermitian, which the method cholesky needs: element (171, 4) is 5-1i");
    a = definite(20, 4);
    a.set(7, 7, {3, 0.5});
    refused(a, "element (8, 8) is 3+0.5i");
    a = definite(20, 4);
    a.set(3, 9, std::conj(a(3, 9)));  // symmetric
    refused(a, "element (10, 4)");
    SolveOptions options = by_cholesky();
    options.method = Method::rbt;
    CHECK_THROWS_WITH_AS((void)solve_complex(context, system_of(definite(5, 1)), options),
                         doctest::Contains("the methods lu, mixed, cholesky and ldlt, not rbt"),
                         UsageError);
  });
}

TEST_CASE("complex Cholesky: factors in f32 are refined, and done again in f64 where they fail") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    SolveOptions options = by_cholesky(RealType::f32);
    options.accuracy = Accuracy::double_precision;
    const ComplexSolution refined = solve_complex(context, system_of(definite(70, 6)), options);
    CHECK(refined.status == SolveStatus::ok);
    CHECK(refined.type == RealType::f32);
    CHECK(refined.residual.backward_error <= 1e-15);
    if (!device.profile.fp64) return;
    ComplexMatrix a(40, 40);  // ones, and a little on the diagonal: to f32 it is singular
    for (Index i = 0; i < 40; ++i)
      for (Index j = 0; j < 40; ++j) a.set(i, j, i == j ? 1 + 1e-10 : 1);
    const ComplexSolution again = solve_complex(context, system_of(a), options);
    CHECK(again.status == SolveStatus::ok);
    CHECK(again.method == Method::cholesky);
    CHECK(again.type == RealType::f64);
    CHECK(again.passed_over.find("in f32 the pivot of column") != std::string::npos);
  });
}

TEST_CASE("complex Cholesky: kernels that do not work are not used") {
  on_every_device([](const Device& device) {
    for (const char* faults : {"complex_cholesky=wrong", "complex_cholesky=build"}) {
      Context context = test::context_with_faults(device, faults);
      CHECK_THROWS_AS((void)solve_complex(context, system_of(definite(20, 2)), by_cholesky()),
                      NoUsableKernel);
    }
  });
}
