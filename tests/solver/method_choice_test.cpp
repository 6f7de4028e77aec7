// Which methods solve() takes by itself where nobody tuned the device.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>

#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

ContextOptions untuned() {
  ContextOptions options = ContextOptions::from_environment();
  options.tuned = false;
  return options;
}

bool measured(Context& context) {
  const auto& built = context.programs().built_alone();
  return std::ranges::find(built, "arithmetic_rate.cl", &ProgramRequest::file) != built.end();
}

Solution solved(Context& context, const Matrix& a) {
  const Solution solution = solve(context, {a, random_matrix(a.rows(), 1, 2)});
  CHECK(solution.status == SolveStatus::ok);
  return solution;
}

}  // namespace

TEST_CASE("auto: a pretended ratio of f32 and f64 decides from which n factors are in f32") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;  // they always are
    const auto check = [&](unsigned ratio, Index n, Method random, Method definite, RealType type) {
      CAPTURE(ratio);
      CAPTURE(n);
      ContextOptions options = untuned();
      options.vendor_kernels = false;  // without them there is no rbt
      options.pretended_ratio = ratio;
      Context context(device, options);
      for (const auto& [a, method] :
           {std::pair(random_matrix(n, n, 1), random), {generate_matrix("spd", n, 1), definite}}) {
        const Solution solution = solved(context, a);
        CAPTURE(solution.passed_over);
        CHECK(method_name(solution.method) == method_name(method));
        CHECK(solution.type == type);
        CHECK(solution.method_choice == "pretended");
        REQUIRE(solution.rates.has_value());
        CHECK(solution.rates->ratio == ratio);
      }
      CHECK_FALSE(measured(context));
    };
    using enum Method;
    check(64, 1024, mixed, cholesky, RealType::f32);
    check(32, 1024, lu, lu, RealType::f64);
    check(32, 1536, mixed, cholesky, RealType::f32);
    check(1, 1536, lu, lu, RealType::f64);
    check(2, 1536, lu, lu, RealType::f64);
  });
}

TEST_CASE("auto: with many right-hand sides, each of which would be refined, factors are in f64") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    ContextOptions options = untuned();
    options.vendor_kernels = false;
    options.pretended_ratio = 64;
    Context context(device, options);
    constexpr Index n = 1024, kMost = 63 * n / 12288;
    for (const Index nrhs : {kMost, kMost + 1}) {
      const Solution solution = solve(context, {random_matrix(n, n, 1), random_matrix(n, nrhs, 2)});
      CHECK(solution.status == SolveStatus::ok);
      CHECK((solution.method == Method::mixed) == (nrhs == kMost));
    }
  });
}

TEST_CASE("auto: nothing is measured where that decides nothing") {
  on_every_device([](const Device& device) {
    const bool cpu = device.profile.type == DeviceType::cpu;
    {
      Context context(device, untuned());
      const Solution small = solved(context, random_matrix(200, 200, 1));
      CHECK_FALSE(small.rates.has_value());
      if (device.profile.fp64) CHECK(small.method_choice == "built-in");
      const Solution large = solved(context, random_matrix(1024, 1024, 1));
      CHECK(large.rates.has_value() == (!cpu && device.profile.fp64));
      if (cpu) CHECK_FALSE(measured(context));
    }
    ContextOptions options = untuned();
    options.cache_folder.reset();
    Context context(device, options);
    SolveOptions named;
    named.method = device.profile.fp64 ? Method::lu : Method::mixed;
    const System system{random_matrix(1024, 1024, 1), random_matrix(1024, 1, 2)};
    CHECK_FALSE(solve(context, system, named).rates.has_value());
    CHECK_FALSE(measured(context));
  });
}
