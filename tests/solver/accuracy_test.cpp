#include <doctest/doctest.h>
#include <utility>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/mixed_lu.hpp>
#include <clgauss/solve.hpp>
#include <cmath>

#include "constants.hpp"
#include "linalg/refinement/gmres.hpp"
#include "linalg/refinement/refine.hpp"
#include "linalg/solve/host_lapack.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

System random_system(Index n, Index nrhs, unsigned seed) {
  System system{random_matrix(n, n, seed), random_matrix(n, nrhs, seed + 1)};
  return system;
}

/// max |b - A x| / (|A| |x| + |b|) in long double.
double componentwise(const System& system, const Matrix& x) {
  long double worst = 0;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = 0; c < x.cols(); ++c) {
      long double r = system.b(i, c), d = std::abs(r);
      for (Index j = 0; j < x.rows(); ++j) {
        const long double term = static_cast<long double>(system.a(i, j)) * x(j, c);
        r -= term;
        d += std::abs(term);
      }
      if (r != 0) worst = std::max(worst, std::abs(r) / d);
    }
  return static_cast<double>(worst);
}

Solution solved(Context& context, const System& system, Method method,
                std::optional<RealType> type = {}) {
  SolveOptions options;
  options.method = method;
  options.type = type;
  return solve(context, system, options);
}

/// Hilbert's matrix, 1 / (i + j + 1), with b = A times ones: condition 10^(1.5 n).
System hilbert_times_ones(Index n) {
  System system{Matrix(n, n), {}};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) system.a(i, j) = 1.0 / static_cast<double>(i + j + 1);
  system.b = row_sums(system.a);
  return system;
}

}  // namespace

TEST_CASE("double accuracy on every device, with fp64 and without" * test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device);
    for (const Index n : {1, 2, 3, 31, 32, 33, 127, 128, 129, 500, 1031})
      for (const Method method : {Method::automatic, Method::mixed}) {
        if (n > 129 && test::is_slow(context)) continue;
        const System system = random_system(n, 1, static_cast<unsigned>(n));
        const Solution solution = solved(context, system, method);
        CAPTURE(n);
        CAPTURE(method_name(solution.method));
        REQUIRE(solution.status == SolveStatus::ok);
        CHECK(solution.accuracy == Accuracy::double_precision);
        CHECK(solution.residual.scaled <= 1);
        if (method == Method::mixed) {
          CHECK(solution.method == Method::mixed);
          CHECK(solution.type == RealType::f32);
          CHECK(solution.refinement.accepted);
          CHECK(componentwise(system, solution.x) <= 4 * kEps);
        }
      }
  });
}

TEST_CASE("many right-hand sides are refined together, each to its end") {
  on_every_device([](const Device& device) {
    Context context(device);
    System system = random_system(150, 7, 3);
    for (Index i = 0; i < 150; ++i) {
      system.b(i, 2) *= 1e-200;  // far below f32
      system.b(i, 5) *= 1e150;   // far above
      system.b(i, 6) = 0;
    }
    const Solution solution = solved(context, system, Method::mixed);
    REQUIRE(solution.status == SolveStatus::ok);
    CHECK(solution.refinement.accepted);
    CHECK(componentwise(system, solution.x) <= 4 * kEps);
    for (Index i = 0; i < 150; ++i) CHECK(solution.x(i, 6) == 0);
  });
}

TEST_CASE("corrections alone do not get there: GMRES, and then f64 or LAPACK") {
  on_every_device([](const Device& device) {
    Context context(device);
    const Solution gmres = solved(context, hilbert_times_ones(9), Method::mixed);
    CHECK(gmres.refinement.gmres_steps > 0);
    CHECK(gmres.residual.scaled <= 1);
    // GMRES asks for solves with a single vector, however many right-hand sides there are.
    System three = hilbert_times_ones(9);
    const Matrix one = std::exchange(three.b, Matrix(9, 3));
    for (Index i = 0; i < 9; ++i)
      for (Index c = 0; c < 3; ++c) three.b(i, c) = one(i, 0);
    const Solution of_three = solved(context, three, Method::mixed);
    CHECK(of_three.refinement.gmres_steps > 0);
    CHECK(of_three.refinement.gmres_steps <= 3 * gmres.refinement.gmres_steps + 3);
    CHECK(of_three.residual.scaled <= 1);

    // In f32 a quarter of the columns are the same as their neighbours: more directions than GMRES
    // takes steps.
    const System system = [] {
      System made = random_system(200, 1, 5);
      for (Index i = 0; i < 200; ++i)
        for (Index j = 0; j < 100; j += 2)
          made.a(i, j + 1) = made.a(i, j) + 1e-11 * made.a(i, j + 1);
      return made;
    }();
    const Solution solution = solved(context, system, Method::mixed);
    CAPTURE(solution.passed_over);
    CHECK(!solution.passed_over.empty());
    if (context.profile().fp64) {
      CHECK(solution.method == Method::lu);
      CHECK(solution.type == RealType::f64);
    } else {
      CHECK(solution.by_lapack == HostLapack::available());
    }
    if (context.profile().fp64 || HostLapack::available()) {
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.residual.scaled <= 1);
      CHECK(componentwise(system, solution.x) <= 100 * kEps);
    }
  });
}

TEST_CASE("a matrix that is singular in f32 alone is not called singular") {
  on_every_device([](const Device& device) {
    Context context(device);
    const System system{Matrix(2, 2, {1, 1, 1, 1 + 0x1p-40}), Matrix(2, 1, {2, 2 + 0x1p-40})};
    const Solution solution = solved(context, system, Method::mixed);
    if (!context.profile().fp64 && !HostLapack::available()) return;
    REQUIRE(solution.status == SolveStatus::ok);
    CHECK(solution.x(0, 0) == 1);
    CHECK(solution.x(1, 0) == 1);
    CHECK(!solution.failed_column);
    const System zero{Matrix(2, 2, {1, 2, 2, 4}), Matrix(2, 1, {1, 1})};
    const Solution singular = solved(context, zero, Method::mixed);
    CHECK(singular.status == SolveStatus::singular);
    CHECK(singular.failed_column == std::optional<Index>(1));
  });
}

TEST_CASE("scaling by powers of two scales a refined answer, to the bit") {
  on_every_device([](const Device& device) {
    Context context(device);
    const System system = random_system(129, 1, 9);
    System scaled = system;
    for (double& value : scaled.a.values()) value = std::ldexp(value, 200);
    for (double& value : scaled.b.values()) value = std::ldexp(value, -300);
    const Matrix x = solved(context, system, Method::mixed).x,
                 y = solved(context, scaled, Method::mixed).x;
    for (Index i = 0; i < 129; ++i) CHECK(y(i, 0) == std::ldexp(x(i, 0), -500));
  });
}

TEST_CASE("accuracy, type and method that contradict each other are refused") {
  on_every_device([](const Device& device) {
    Context context(device);
    const System system = random_system(5, 1, 1);
    const auto refused = [&](Method method, std::optional<RealType> type,
                             std::optional<Accuracy> accuracy) {
      SolveOptions options;
      options.method = method;
      options.type = type;
      options.accuracy = accuracy;
      CHECK_THROWS_AS((void)solve(context, system, options), UsageError);
    };
    refused(Method::mixed, {}, Accuracy::single_precision);
    refused(Method::lu, RealType::f32, Accuracy::double_precision);
    refused(Method::gauss, RealType::f32, Accuracy::double_precision);
    if (context.profile().fp64) refused(Method::mixed, RealType::f64, {});
    SolveOptions single;
    single.accuracy = Accuracy::single_precision;
    const Solution solution = solve(context, system, single);
    CHECK(solution.type == RealType::f32);
    CHECK(solution.accuracy == Accuracy::single_precision);
    CHECK(solution.refinement.backward_errors.empty());
    CHECK(solved(context, system, Method::automatic, RealType::f32).accuracy ==
          Accuracy::single_precision);
  });
}

TEST_CASE(
    "MixedLu: views of the caller's, again and again; a matrix that f32 cannot hold is not "
    "accepted") {
  on_every_device([](const Device& device) {
    Context context(device);
    if (!context.profile().fp64) {
      CHECK_THROWS_AS(MixedLu(context, 4), DeviceLimit);
      return;
    }
    constexpr Index n = 140, nrhs = 3, ld = 150, offset = 7;
    MixedLu lu(context, n, nrhs);
    for (const unsigned seed : {1U, 2U}) {
      const System system = random_system(n, nrhs, seed);
      std::vector<double> a(offset + n * ld, 99), b(offset + n * ld, 77);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) a[offset + i * ld + j] = system.a(i, j);
        for (Index c = 0; c < nrhs; ++c) b[offset + i * ld + c] = system.b(i, c);
      }
      const cl::CommandQueue& queue = context.queue();
      const auto buffer = [&](const std::vector<double>& values) {
        cl::Buffer made = context.allocate(values.size() * sizeof(double), "a test");
        queue.enqueueWriteBuffer(made, CL_TRUE, 0, values.size() * sizeof(double), values.data());
        return made;
      };
      const MatrixView a_view{buffer(a), offset, ld}, b_view{buffer(b), offset, ld};
      const Refinement refinement = lu.solve(a_view, b_view);
      CHECK(refinement.accepted);
      std::vector<double> after(a.size());
      queue.enqueueReadBuffer(a_view.buffer, CL_TRUE, 0, a.size() * sizeof(double), after.data());
      CHECK(after == a);
      queue.enqueueReadBuffer(b_view.buffer, CL_TRUE, 0, b.size() * sizeof(double), after.data());
      Matrix x(n, nrhs);
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < nrhs; ++c) x(i, c) = after[offset + i * ld + c];
      CHECK(componentwise(system, x) <= 4 * kEps);
      CHECK(after[offset + nrhs] == 77);  // beside B
    }
    MixedLu two(context, 2);
    const Matrix far(2, 2, {1e300, 0, 0, 1}), b(2, 1, {1, 1});
    const cl::CommandQueue& queue = context.queue();
    const MatrixView a_view{context.allocate(32, "a test"), 0, 2},
        b_view{context.allocate(16, "a test"), 0, 1};
    queue.enqueueWriteBuffer(a_view.buffer, CL_TRUE, 0, 32, far.values().data());
    queue.enqueueWriteBuffer(b_view.buffer, CL_TRUE, 0, 16, b.values().data());
    CHECK(!two.solve(a_view, b_view).accepted);
  });
}

TEST_CASE("refinement takes back what makes x worse, and stops") {
  System system = random_system(20, 2, 4);
  HostOperator host(system);
  if (!HostLapack::available()) return;
  Matrix x = system.b;
  HostLapack(system.a).solve(x);
  const Matrix first = x;
  const Refinement bad = refine(
      host,
      [](Matrix& r) {
        for (double& value : r.values()) value = 1e3;
      },
      x);
  for (Index k = 0; k < x.values().size(); ++k) CHECK(x.values()[k] == first.values()[k]);
  CHECK(bad.corrections() <= 2);
}

TEST_CASE("an x that is not finite is not refined") {
  const System system = random_system(8, 1, 2);
  HostOperator host(system);
  Matrix x(8, 1);
  x(3, 0) = std::nan("");
  int solves = 0;
  const Refinement refinement = refine(
      host, [&](Matrix&) { ++solves; }, x);
  CHECK(solves == 0);
  CHECK_FALSE(refinement.accepted);
}

TEST_CASE("GMRES solves with a preconditioner that is wrong in a few directions") {
  constexpr Index n = 60;
  System system = random_system(n, 1, 8);
  for (Index i = 0; i < n; ++i) system.a(i, i) += 40;  // well conditioned
  HostOperator host(system);
  Matrix d = system.b;
  const Index steps = gmres(host,
                            [](Matrix& r) {
                              for (Index i = 0; i < n; ++i) r(i, 0) /= i < 4 ? -3.0 : 40.0;
                            },
                            d, {});
  CHECK(steps > 0);
  CHECK(steps <= kGmresSteps);
  Matrix r(n, 1), size(n, 1);
  host.residual(d, r, size);
  double error = 0, norm = 0;
  for (Index i = 0; i < n; ++i) {
    error = std::hypot(error, r(i, 0));
    norm = std::hypot(norm, system.b(i, 0));
  }
  CHECK(error <= 1e-7 * norm);
}
