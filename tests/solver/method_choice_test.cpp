// Which methods solve() takes by itself where nobody tuned the device.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <string>
#include <tuple>

#include "linalg/solve/plan.hpp"
#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

ContextOptions untuned() {
  ContextOptions options = ContextOptions::from_environment();
  options.tuned = false;
  return options;
}

/// As on a GPU without vendors' kernels, so without rbt.
Context pretending(const Device& device, unsigned ratio) {
  ContextOptions options = untuned();
  options.vendor_kernels = false;
  options.pretended_ratio = ratio;
  return Context(device, options);
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
    const auto check = [&](unsigned ratio, Index n, Method random, RealType type, Method definite,
                           RealType definite_type) {
      CAPTURE(ratio);
      CAPTURE(n);
      Context context = pretending(device, ratio);
      for (const auto& [a, method, type_of_factors] :
           {std::tuple(random_matrix(n, n, 1), random, type),
            {generate_matrix("spd", n, 1), definite, definite_type}}) {
        const Solution solution = solved(context, a);
        CAPTURE(solution.passed_over);
        CHECK(method_name(solution.method) == method_name(method));
        CHECK(solution.type == type_of_factors);
        CHECK(solution.method_choice == "pretended");
        REQUIRE(solution.rates.has_value());
        CHECK(solution.rates->ratio == ratio);
      }
      CHECK_FALSE(measured(context));
    };
    using enum Method;
    using enum RealType;
    check(64, 1024, mixed, f32, cholesky, f64);
    check(64, 2048, mixed, f32, cholesky, f32);
    check(32, 1024, lu, f64, cholesky, f64);
    check(32, 1536, mixed, f32, cholesky, f64);
    check(1, 1536, lu, f64, cholesky, f64);
    check(2, 512, lu, f64, cholesky, f64);
    check(2, 511, lu, f64, lu, f64);
  });
}

TEST_CASE("auto: factors of Cholesky have the type that was asked for") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context = pretending(device, 2);
    const Matrix a = generate_matrix("spd", 520, 1), b = random_matrix(520, 1, 2);
    for (const Accuracy accuracy : {Accuracy::single_precision, Accuracy::double_precision}) {
      SolveOptions options;
      options.type = RealType::f32;
      options.accuracy = accuracy;
      const Solution solution = solve(context, {a, b}, options);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.method == Method::cholesky);
      CHECK(solution.type == RealType::f32);
      CHECK(solution.accuracy == accuracy);
    }
  });
}

TEST_CASE("auto: if a pivot of Cholesky fails, what else it takes on a GPU gives the answer") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    constexpr Index n = 1030;
    Matrix a = generate_matrix("spd", n, 1);
    const double large = 0.9 * n;  // each two of the last rows go together, but not all three
    const auto set = [&](Index i, Index j, double value) { a(i, j) = a(j, i) = value; };
    for (Index i = n - 3; i < n; ++i) a(i, i) = n;
    set(n - 1, n - 2, -large);
    set(n - 2, n - 3, large);
    set(n - 1, n - 3, large);
    Matrix b(n, 1);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) b(i, 0) += a(i, j);
    for (const auto& [ratio, method] : {std::pair(2U, Method::lu), {64U, Method::mixed}}) {
      Context context = pretending(device, ratio);
      const Solution solution = solve(context, {a, b});
      CHECK(solution.status == SolveStatus::ok);
      CHECK(method_name(solution.method) == method_name(method));
      CHECK(solution.passed_over.find("not positive definite (Cholesky's pivot of column 1030") !=
            std::string::npos);
      for (const double x : solution.x.values()) CHECK(x == doctest::Approx(1).epsilon(1e-10));
    }
  });
}

TEST_CASE("auto: with many right-hand sides, each of which would be refined, factors are in f64") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context = pretending(device, 64);
    constexpr Index n = 1024, kMost = 63 * n / 12288;
    for (const Index nrhs : {kMost, kMost + 1}) {
      const Solution solution = solve(context, {random_matrix(n, n, 1), random_matrix(n, nrhs, 2)});
      CHECK(solution.status == SolveStatus::ok);
      CHECK((solution.method == Method::mixed) == (nrhs == kMost));
    }
  });
}

TEST_CASE("auto: large n have factors in f64 if estimates are likely to doubt those in f32") {
  on_every_device([](const Device& device) {
    constexpr Index n = 16384;
    constexpr std::uint64_t kNeeded = n * n * (sizeof(float) + 2 * sizeof(double)) * 21 / 20;
    if (!device.profile.fp64 || device.profile.global_mem_bytes < kNeeded) return;
    for (const auto& [ratio, with_estimates] :
         {std::pair(2U, Method::lu), {4U, Method::mixed}, {64U, Method::mixed}}) {
      CAPTURE(ratio);
      Context context = pretending(device, ratio);
      SolveOptions options;
      for (const Index large : {Index{12288}, n}) {
        CAPTURE(large);
        options.trust = false;
        CHECK(method_name(make_plan(context, options, large, 1).method) == "mixed");
        options.trust = true;
        CHECK(method_name(make_plan(context, options, large, 1).method) ==
              method_name(with_estimates));
      }
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
