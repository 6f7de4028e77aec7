/// Residuals that the device computes and the host confirms.

#include <doctest/doctest.h>

#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "constants.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "linalg/refinement/answer_residual.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "support/complex_matrices.hpp"
#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::conjugate_transposed;
using clgauss::test::on_every_device;
using clgauss::test::product;
using clgauss::test::random_complex;

namespace {

System system_of(const char* kind, Index n, Index nrhs) {
  const Matrix random = generate_matrix("random", n, 32);
  const auto b = random.values().first(n * nrhs);
  return {generate_matrix(kind, n, 31), {n, nrhs, Values(b.begin(), b.end())}};
}

/// What a device hands over, here by the host.
struct Computed {
  Matrix r, d;
  Values row_sums;
};

Computed computed(const System& system, const Matrix& x) {
  AnswerResidual residual = answer_residual(system, x, kEps);
  Values sums;
  for (Index i = 0; i < system.a.rows(); ++i)
    sums.push_back(sums_of_row(system.a.row(i), x.values().data()).row);
  return {std::move(residual.r), std::move(residual.d), std::move(sums)};
}

/// How much memory the refusal of a device with next to none says that the system needs.
std::uint64_t bytes_needed(Device device, const ComplexSystem& system) {
  device.profile.global_mem_bytes = 1;
  Context context(device, ContextOptions::from_environment());
  try {
    (void)solve_complex(context, system);
  } catch (const OutOfMemory& error) {
    const std::string text = error.what(), before = " needs ";
    const double megabytes = std::stod(text.substr(text.find(before) + before.size()));
    return static_cast<std::uint64_t>(1e6 * megabytes);
  }
  FAIL("one byte was enough");
  return 0;
}

}  // namespace

TEST_CASE("a device's residual is confirmed, and says what the host's says") {
  for (const Index n : {1, 2, 31, 32, 33, 200}) {
    const System system = system_of("random", n, 1);
    const Matrix x = system.b;
    const Computed by = computed(system, x);
    const auto confirmed = confirmed_residual(system, x, kEps, by.r, by.d, by.row_sums);
    REQUIRE(confirmed);
    const Residual host = compute_residual(system, x, kEps);
    CHECK(confirmed->norms.backward_error == host.backward_error);
    CHECK(confirmed->norms.scaled == host.scaled);
  }
}

TEST_CASE("a device's residual that is not the host's is not confirmed") {
  const System system = system_of("random", 100, 1);
  const Matrix x = system.b;
  const Computed right = computed(system, x);
  const auto confirmed = [&](const Computed& by, const Matrix& of) {
    return confirmed_residual(system, of, kEps, by.r, by.d, by.row_sums).has_value();
  };
  REQUIRE(confirmed(right, x));
  for (const double wrong : {1e-10, 1.0, kNaN}) {
    CAPTURE(wrong);
    for (Matrix Computed::*part : {&Computed::r, &Computed::d}) {
      Computed by = right;
      (by.*part)(62, 0) += wrong;
      CHECK_FALSE(confirmed(by, x));
    }
    Computed by = right;
    by.row_sums[31] += wrong;
    CHECK_FALSE(confirmed(by, x));
  }
  Matrix unknown = x;
  unknown(5, 0) = kNaN;
  CHECK_FALSE(confirmed(computed(system, unknown), unknown));
  const System tiny{{1, 1, {1e-300}}, {1, 1, {1e-300}}};
  const Computed of_tiny = computed(tiny, {1, 1, {1}});
  CHECK_FALSE(confirmed_residual(tiny, {1, 1, {1}}, kEps, of_tiny.r, of_tiny.d, of_tiny.row_sums));
}

TEST_CASE("the device judges as the host does, where it has fp64") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.judge = Judge::device;
    const System system = system_of("random", 200, 3);
    if (!device.profile.fp64) {
      CHECK_THROWS_AS((void)solve(context, system, options), DeviceLimit);
      return;
    }
    for (const Method method : {Method::lu, Method::mixed, Method::rbt, Method::cholesky}) {
      const std::string name(method_name(method));
      CAPTURE(name);
      options.method = method;
      const System one = system_of(method == Method::cholesky ? "spd" : "random", 131, 1);
      for (const System& solved : {one, method == Method::cholesky ? one : system}) {
        const Solution solution = solve(context, solved, options);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.judge == Judge::device);
        const Residual host = compute_residual(solved, solution.x, kEps);
        // Two sums of the same numbers differ by their rounding, of which n eps are one unit of
        // `scaled`.
        CHECK(std::abs(solution.residual.scaled - host.scaled) <= 4);
        CHECK(solution.residual.scaled <= kScaledResidualBound);
      }
    }
  });
}

TEST_CASE("a complex residual by a device is taken only if the host's rows agree") {
  const Index n = 70, nrhs = 2;
  const ComplexMatrix a = random_complex(n, n, 1), answer = random_complex(n, nrhs, 2);
  const ComplexSystem system{a, product(a, answer)};
  Matrix x = in_pairs(answer);
  x(3, 1) += 1e-13;
  const ComplexNorms norms = norms_of(a);
  const ComplexAnswerResidual right = answer_residual(system, norms, x, kEps);
  const auto confirmed = confirmed_residual(system, norms, x, kEps, right.r, right.d);
  REQUIRE(confirmed);
  CHECK(confirmed->norms.backward_error == doctest::Approx(right.norms.backward_error));
  CHECK(confirmed->norms.scaled == doctest::Approx(right.norms.scaled));
  for (const double wrong : {1e-10, 1.0, kNaN})
    for (Matrix ComplexAnswerResidual::*part :
         {&ComplexAnswerResidual::r, &ComplexAnswerResidual::d})
      for (const Index row : {62, 63}) {  // both parts of a number
        CAPTURE(wrong);
        ComplexAnswerResidual by = right;
        (by.*part)(row, 1) += wrong;
        CHECK_FALSE(confirmed_residual(system, norms, x, kEps, by.r, by.d));
      }
  ComplexSystem tiny = system;
  for (double& part : tiny.a.parts().values()) part *= 1e-200;
  for (double& part : tiny.b.parts().values()) part *= 1e-200;
  const ComplexNorms of_tiny = norms_of(tiny.a);
  const ComplexAnswerResidual small = answer_residual(tiny, of_tiny, x, kEps);
  CHECK_FALSE(confirmed_residual(tiny, of_tiny, x, kEps, small.r, small.d));
}

TEST_CASE("the device judges complex systems as the host does, where it has fp64") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.judge = Judge::device;
    options.trust = true;
    for (const Index n : {1, 7, 131})
      for (const Index nrhs : {1, 3}) {
        CAPTURE(n);
        CAPTURE(nrhs);
        ComplexSystem system{random_complex(n, n, 3), random_complex(n, nrhs, 4)};
        if (!device.profile.fp64) {
          CHECK_THROWS_AS((void)solve_complex(context, system, options), DeviceLimit);
          continue;
        }
        for (const Method method : {Method::lu, Method::mixed, Method::cholesky}) {
          const std::string name(method_name(method));
          CAPTURE(name);
          options.method = method;
          options.type = std::nullopt;
          if (method == Method::cholesky) {
            system.a = product(conjugate_transposed(system.a), system.a);
            for (Index i = 0; i < n; ++i) system.a.set(i, i, system.a(i, i).real() + 1);
            for (Index i = 0; i < n; ++i)
              for (Index j = 0; j < i; ++j) system.a.set(j, i, std::conj(system.a(i, j)));
          }
          const ComplexSolution solution = solve_complex(context, system, options);
          CHECK(solution.status == SolveStatus::ok);
          CHECK(solution.judge == Judge::device);
          if (method == Method::mixed) CHECK(solution.refinement.on_device);
          const Residual host = compute_residual(system, solution.x, kEps);
          CHECK(std::abs(solution.residual.scaled - host.scaled) <= 4);
          options.judge = Judge::host;
          const ComplexSolution other = solve_complex(context, system, options);
          options.judge = Judge::device;
          CHECK(other.judge == Judge::host);
          CHECK(other.trust->rcond == doctest::Approx(solution.trust->rcond));
        }
      }
  });
}

TEST_CASE("complex systems: what the device finds inaccurate, or cannot say, the host judges") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.judge = Judge::device;
    ComplexSystem system{random_complex(60, 60, 1), random_complex(60, 1, 2)};
    options.max_scaled_residual = 1e-300;
    const ComplexSolution strict = solve_complex(context, system, options);
    CHECK(strict.judge == Judge::host);
    CHECK(strict.status == SolveStatus::inaccurate);
    options.max_scaled_residual = kScaledResidualBound;
    for (const double by : {1e-300, 1e300}) {
      ComplexSystem extreme = system;
      for (double& part : extreme.a.parts().values()) part *= by;
      for (double& part : extreme.b.parts().values()) part *= by;
      const ComplexSolution out_of_range = solve_complex(context, extreme, options);
      CHECK(out_of_range.judge == Judge::host);
      CHECK(out_of_range.status == SolveStatus::ok);
    }
  });
}

TEST_CASE(
    "complex systems: memory for A in f64, to judge by, is asked for before anything starts") {
  on_every_device([](Device device) {
    if (!device.profile.fp64) return;
    const Index n = 500;
    const ComplexSystem system{random_complex(n, n, 1), random_complex(n, 1, 2)};
    // Without A in f64, a quarter of it to spare.
    device.profile.global_mem_bytes = bytes_needed(device, system) + 4 * n * n;
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    CHECK(solve_complex(context, system, options).status == SolveStatus::ok);
    options.judge = Judge::device;
    bool uploads = false;
    const ProgressCallback progress = [&](std::string_view what, double) {
      uploads = uploads || what == "upload";
    };
    CHECK_THROWS_AS((void)solve_complex(context, system, options, progress), OutOfMemory);
    CHECK_FALSE(uploads);
  });
}

TEST_CASE("what the device finds inaccurate, or cannot say, the host judges") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.method = Method::lu;
    options.judge = Judge::device;
    const System system = system_of("random", 60, 1);
    options.max_scaled_residual = 1e-300;
    const Solution strict = solve(context, system, options);
    CHECK(strict.judge == Judge::host);
    CHECK(strict.status == SolveStatus::inaccurate);
    options.max_scaled_residual = kScaledResidualBound;
    System tiny = system;
    for (double& value : tiny.a.values()) value *= 1e-300;
    for (double& value : tiny.b.values()) value *= 1e-300;
    const Solution out_of_range = solve(context, tiny, options);
    CHECK(out_of_range.judge == Judge::host);
    CHECK(out_of_range.status == SolveStatus::ok);
    for (const Method method : {Method::gauss, Method::jacobi, Method::seidel}) {
      options.method = method;
      CHECK_THROWS_AS((void)solve(context, system, options), UsageError);
    }
    options.method = Method::lu;
    CHECK_THROWS_AS((void)solve_in_place(
                        context, system, [&] { return system.a; }, options),
                    UsageError);
  });
}
