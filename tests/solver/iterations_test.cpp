#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <cmath>

#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

/// Rows whose diagonal is `ratio` times the sum of the others, and negative in every other row.
System dominant(Index n, Index nrhs, double ratio) {
  System system{random_matrix(n, n, 3), random_matrix(n, nrhs, 4)};
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += j == i ? 0 : std::abs(system.a(i, j));
    system.a(i, i) = n == 1 ? 2 : (i % 2 == 0 ? ratio : -ratio) * sum;
  }
  return system;
}

SolveOptions by(Method method) {
  SolveOptions options;
  options.method = method;
  return options;
}

}  // namespace

TEST_CASE("Jacobi and Seidel solve dominant systems, Seidel in fewer sweeps" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 2, 33, 129, 500})
      for (const Index nrhs : {1, 3}) {
        CAPTURE(n);
        const System system = dominant(n, nrhs, 1.25);
        Index sweeps[2] = {};
        for (const Method method : {Method::jacobi, Method::seidel}) {
          const Solution solution = solve(context, system, by(method));
          CHECK(solution.status == SolveStatus::ok);
          CHECK(solution.method == method);
          REQUIRE(solution.iterations.has_value());
          CHECK(solution.iterations->converged);
          CHECK(solution.iterations->contraction == doctest::Approx(n == 1 ? 0 : 0.8));
          CHECK_FALSE(solution.trust.has_value());
          sweeps[method == Method::seidel ? 1 : 0] = solution.iterations->count;
        }
        CHECK(sweeps[1] <= sweeps[0]);
        if (n > 2) CHECK(sweeps[1] < sweeps[0]);
      }
  });
}

TEST_CASE("Jacobi and Seidel refuse a row that is not dominant by its number") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Method method : {Method::jacobi, Method::seidel})
      for (const double share : {1.0, 0.0, std::nan("")}) {
        System system = dominant(40, 1, 2);
        system.a(17, 17) *= share / 2;  // at most the sum of the others
        system.a(30, 30) = 0;
        const std::string name(method_name(method));
        CHECK_THROWS_WITH_AS((void)solve(context, system, by(method)),
                             doctest::Contains("row 18 of A is not strictly"), ValueError);
        CHECK_THROWS_WITH_AS((void)solve(context, system, by(method)),
                             doctest::Contains(("method " + name).c_str()), ValueError);
      }
  });
}

TEST_CASE("Jacobi and Seidel that may not sweep often enough say so") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Method method : {Method::jacobi, Method::seidel}) {
      SolveOptions options = by(method);
      options.max_iterations = 2;
      const Solution solution = solve(context, dominant(60, 1, 1.05), options);
      CHECK(solution.status == SolveStatus::inaccurate);
      CHECK(solution.iterations->count == 2);
      CHECK_FALSE(solution.iterations->converged);
      CHECK(solution.x.rows() == 60);
    }
  });
}
