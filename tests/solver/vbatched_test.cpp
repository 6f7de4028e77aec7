#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/vbatched.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "constants.hpp"
#include "support/bits.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

namespace {

System random_system(Index n, Index nrhs, RealType type, unsigned seed) {
  System system{random_matrix(n, n, seed), random_matrix(n, nrhs, seed + 1000)};
  if (type == RealType::f32)
    for (Matrix* matrix : {&system.a, &system.b})
      for (double& v : matrix->values()) v = static_cast<double>(static_cast<float>(v));
  return system;
}

/// One system of each size, in this order.
std::vector<System> random_systems(const std::vector<Index>& sizes, Index nrhs, RealType type) {
  std::vector<System> systems;
  for (const Index n : sizes)
    systems.push_back(random_system(n, nrhs, type, static_cast<unsigned>(systems.size()) + 1));
  return systems;
}

/// Every device and type; by the host's cores and by groups on the device.
void on_every_way(
    const std::function<void(Context&, RealType, const VbatchedOptions& options)>& body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const bool on_host : {true, false}) {
        CAPTURE(std::string(real_type_name(type)));
        CAPTURE(on_host);
        VbatchedOptions options;
        options.type = type;
        options.on_host = on_host;
        body(context, type, options);
      }
  });
}

Solution single(Context& context, const System& system, RealType type, bool doubt = false) {
  SolveOptions options;
  options.type = type;
  options.doubt = doubt;
  return solve(context, system, options);
}

/// Whether the answer was found together with others: solve() has the pivots.
bool is_of_batch(const Solution& solution) { return solution.pivot_rows.empty(); }

/// `solution` must be as good an answer as solve()'s.
void check_answer(Context& context, const System& system, RealType type, const Solution& solution) {
  const Solution expected = single(context, system, type);
  REQUIRE(solution.status == expected.status);
  REQUIRE(solution.x.rows() == expected.x.rows());
  REQUIRE(solution.x.cols() == expected.x.cols());
  const double eps = unit_roundoff(type);
  const Residual residual = compute_residual(system, solution.x, eps);
  CHECK(residual.scaled <= kScaledResidualBound);
  CHECK(solution.residual.backward_error == doctest::Approx(residual.backward_error).epsilon(1e-6));
  double largest = 0;
  for (const double v : expected.x.values()) largest = std::max(largest, std::abs(v));
  CHECK(max_difference(solution.x, expected.x) <= 1e5 * eps * largest);
}

}  // namespace

TEST_CASE("vbatched: every answer is that of a single solve, in the caller's order" *
          test::also_on_slow_devices) {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    std::vector<Index> sizes{7, 1, 20, 33, 2, 20, 64, 9, 31, 20, 3, 45, 1, 10};
    if (!test::is_slow(context)) sizes.insert(sizes.end(), {150, 128, 129, 200, 100, 300});
    for (const Index nrhs : {1, 3, 40}) {
      CAPTURE(nrhs);
      const auto systems = random_systems(sizes, nrhs, type);
      const auto solutions = solve_vbatched(context, systems, options);
      REQUIRE(solutions.size() == systems.size());
      for (Index s = 0; s < systems.size(); ++s) {
        CAPTURE(sizes[s]);
        CHECK(
            (is_of_batch(solutions[s]) || sizes[s] == 300));  // on the device without similar ones
        CHECK(solutions[s].type == type);
        check_answer(context, systems[s], type, solutions[s]);
      }
    }
  });
}

TEST_CASE("vbatched: systems with few and with many right-hand sides go together") {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    std::vector<System> systems;
    for (const auto& [n, nrhs] : std::vector<std::pair<Index, Index>>{
             {5, 1}, {6, 7}, {5, 8}, {7, 5}, {12, 100}, {11, 1}, {12, 2}, {0, 3}, {4, 0}, {0, 0}})
      systems.push_back(random_system(n, nrhs, type, static_cast<unsigned>(systems.size()) + 1));
    for (const bool doubt : {false, true}) {
      VbatchedOptions asking = options;
      asking.doubt = doubt;
      const auto solutions = solve_vbatched(context, systems, asking);
      REQUIRE(solutions.size() == systems.size());
      for (Index s = 0; s < systems.size(); ++s) {
        CAPTURE(s);
        // f32 leaves some doubt of any system.
        if (!systems[s].b.empty() && !(doubt && type == RealType::f32))
          CHECK(is_of_batch(solutions[s]));
        check_answer(context, systems[s], type, solutions[s]);
      }
    }
  });
}

TEST_CASE("vbatched: an empty list has no answers") {
  on_every_way([](Context& context, RealType /*type*/, const VbatchedOptions& options) {
    CHECK(solve_vbatched(context, {}, options).empty());
  });
}

TEST_CASE("vbatched: a singular system and a NaN fail alone, with their column") {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    const auto whole = random_systems({9, 10, 11, 9, 10, 12, 11, 40, 41, 42}, 2, type);
    auto spoilt = whole;
    for (Index i = 0; i < 10; ++i) spoilt[1].a(i, 6) = 0;  // a zero column
    for (Index j = 0; j < 9; ++j) spoilt[3].a(4, j) = 0;   // a zero row
    spoilt[6].a(2, 2) = kNaN;
    spoilt[8].b(40, 1) = kInfinity;
    const auto expected = solve_vbatched(context, whole, options);
    const auto solutions = solve_vbatched(context, spoilt, options);
    for (Index s = 0; s < spoilt.size(); ++s) {
      CAPTURE(s);
      const bool is_spoilt = s == 1 || s == 3 || s == 6 || s == 8;
      if (!is_spoilt) {
        CHECK(is_of_batch(solutions[s]));
        CHECK(test::same_bits(solutions[s].x.values(), expected[s].x.values()));
        continue;
      }
      const Solution alone = single(context, spoilt[s], type);
      CHECK(alone.status != SolveStatus::ok);
      CHECK(solutions[s].status == alone.status);
      CHECK(solutions[s].failed_column == alone.failed_column);
    }
    CHECK(solutions[1].status == SolveStatus::singular);
    CHECK(solutions[1].failed_column == 6);
    CHECK(solutions[3].failed_column == 8);
  });
}

TEST_CASE("vbatched: numbers at the ends of the range, and far from 1") {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    auto systems = random_systems({5, 6, 7, 5, 6}, 1, type);
    const int exponents[] = {-90, 90, -900, 900, -1060};
    for (Index s = 0; s < systems.size(); ++s)
      for (double& v : systems[s].a.values()) v = std::ldexp(v, exponents[s]);
    const auto solutions = solve_vbatched(context, systems, options);
    for (Index s = 0; s < 4; ++s) {
      CAPTURE(s);
      check_answer(context, systems[s], type, solutions[s]);
    }
    CHECK(solutions[4].status == single(context, systems[4], type).status);
    CHECK(is_of_batch(solutions[0]));  // beside the padding's ones its error must not vanish
    CHECK(is_of_batch(solutions[1]));
  });
}

TEST_CASE("vbatched: a system in doubt is estimated, as by a single solve") {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    auto systems = random_systems({12, 12, 9}, 1, type);
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < 12; ++j) systems[1].a(i, j) = 1 / static_cast<double>(i + j + 1);
    VbatchedOptions asking = options;
    asking.doubt = true;
    const auto solutions = solve_vbatched(context, systems, asking);
    const Solution alone = single(context, systems[1], type, true);
    REQUIRE(solutions[1].trust);
    CHECK(solutions[1].trust->rcond == doctest::Approx(alone.trust->rcond));
    CHECK(doubt_of(solutions[1]) == doubt_of(alone));
    CHECK(doubt_of(alone) >= Doubt::few_digits);
    if (type == RealType::f64)  // see above
      for (const Index s : {0, 2}) CHECK((is_of_batch(solutions[s]) && !solutions[s].trust));
    CHECK_FALSE(solve_vbatched(context, systems, options)[1].trust);
    if (options.on_host && context.profile().type == DeviceType::cpu)
      CHECK(solutions[0].type == RealType::f64);
  });
}

TEST_CASE("vbatched: accuracy is what solve() makes of it, on devices without fp64, too" *
          test::also_on_slow_devices) {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    const auto systems = random_systems({7, 8, 9}, 1, RealType::f32);
    VbatchedOptions asking = options;
    asking.type.reset();
    for (const Accuracy accuracy :
         {Accuracy::single_precision, Accuracy::double_precision, Accuracy::maximum}) {
      CAPTURE(accuracy_name(accuracy));
      asking.accuracy = accuracy;
      const RealType reached =
          accuracy == Accuracy::single_precision ? RealType::f32 : RealType::f64;
      if (reached != type && context.profile().fp64) continue;
      const auto solutions = solve_vbatched(context, systems, asking);
      for (Index s = 0; s < systems.size(); ++s) {
        CHECK(solutions[s].status == SolveStatus::ok);
        CHECK(compute_residual(systems[s], solutions[s].x, unit_roundoff(reached)).scaled <=
              kScaledResidualBound);
      }
    }
  });
}

TEST_CASE("vbatched: shapes that do not fit are refused with the number of the system") {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    auto systems = random_systems({3, 4, 5}, 1, type);
    systems[1].b = Matrix(3, 1);
    CHECK_THROWS_WITH_AS((void)solve_vbatched(context, systems, options),
                         doctest::Contains("system [1]"), DimensionError);
    systems = random_systems({3, 4, 5}, 1, type);
    systems[2].a = Matrix(5, 4);
    CHECK_THROWS_WITH_AS((void)solve_vbatched(context, systems, options),
                         doctest::Contains("system [2]"), DimensionError);
  });
}

TEST_CASE("vbatched: the bound of residuals and the callback are the caller's") {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    const auto systems = random_systems({30, 31, 32, 33}, 1, type);
    VbatchedOptions strict = options;
    strict.max_scaled_residual = 1e-300;
    for (const Solution& solution : solve_vbatched(context, systems, strict))
      CHECK(solution.status == SolveStatus::inaccurate);
    struct Stop {};
    const auto stop = [](std::string_view, double) { throw Stop(); };
    CHECK_THROWS_AS((void)solve_vbatched(context, systems, options, stop), Stop);
    CHECK(solve_vbatched(context, systems, options)[3].status == SolveStatus::ok);
  });
}

TEST_CASE("vbatched: large systems among small ones") {
  on_every_way([](Context& context, RealType type, const VbatchedOptions& options) {
    if (!test::thorough() && type == RealType::f32) return;
    const std::vector<Index> sizes{600, 30, 700, 513, 31, 1100, 520};
    const auto systems = random_systems(sizes, 1, type);
    const auto solutions = solve_vbatched(context, systems, options);
    for (Index s = 0; s < systems.size(); ++s) {
      CAPTURE(sizes[s]);
      check_answer(context, systems[s], type, solutions[s]);
    }
  });
}
