#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lab/tuned.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/solve.hpp>
#include <cstdlib>
#include <limits>

#include "support/devices.hpp"
#include "support/padded_matrix.hpp"
#include "support/paths.hpp"

namespace clgauss {

using test::on_every_device;
using test::PaddedMatrix;

namespace {

/// A store of its own, while it lives.
class StoreOfTest {
 public:
  StoreOfTest() : before_(value_or_empty()) { setenv("XDG_DATA_HOME", folder_.path().c_str(), 1); }
  StoreOfTest(const StoreOfTest&) = delete;
  StoreOfTest& operator=(const StoreOfTest&) = delete;
  ~StoreOfTest() { setenv("XDG_DATA_HOME", before_.c_str(), 1); }

  static void put(const DeviceProfile& device, const std::string& what, Index n,
                  const std::string& kernel, const Parameters& parameters,
                  RealType type = RealType::f32) {
    const TunedEntry entry{
        what, type, n,     kernel, parameters, device.driver_version, tuned_kernel_hash(kernel, {}),
        1,    2,    "now", "0"};
    TunedStore::of_environment().put(device, {&entry, 1});
  }

 private:
  static std::string value_or_empty() {
    const char* value = std::getenv("XDG_DATA_HOME");
    return value != nullptr ? value : "";
  }

  test::TemporaryFolder folder_;
  std::string before_;
};

System random_system(Index n) { return {random_matrix(n, n, 1), random_matrix(n, 1, 2)}; }

}  // namespace

TEST_CASE("tuned: the elimination takes its size, and says so") {
  on_every_device([](const Device& device) {
    const StoreOfTest store;
    StoreOfTest::put(device.profile, "elimination", 60, "gauss.cl", {{"LOCAL", 24}});
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.type = RealType::f32;
    options.method = Method::gauss;
    const Solution solution = solve(context, random_system(60), options);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.work_group->rule == "tuned");
    CHECK(solution.work_group->size == 24);
    CHECK(solution.work_group->split == "padded");  // as entries without a SPLIT were measured
    CHECK(solve(context, random_system(20), options).work_group->rule == "fit");
    options.policy = {WorkGroupPolicy::Rule::tuned, 0};
    CHECK_THROWS_WITH_AS((void)solve(context, random_system(20), options),
                         doctest::Contains("clgauss-tune auto"), UsageError);
    ContextOptions untuned = ContextOptions::from_environment();
    untuned.tuned = false;
    Context without(device, untuned);
    options.policy = {WorkGroupPolicy::Rule::automatic, 0};
    CHECK(solve(without, random_system(60), options).work_group->rule == "fit");
  });
}

TEST_CASE("tuned: the elimination is launched as it was tuned, unless another way is asked for") {
  on_every_device([](const Device& device) {
    const StoreOfTest store;
    StoreOfTest::put(device.profile, "elimination", 60, "gauss.cl",
                     {{"LOCAL", 24}, {"SPLIT", static_cast<int>(SplitMode::round_up)}});
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.type = RealType::f32;
    options.method = Method::gauss;
    const Solution tuned = solve(context, random_system(60), options);
    CHECK(tuned.status == SolveStatus::ok);
    CHECK(tuned.work_group->split == "round_up");
    CHECK(tuned.work_group->remainder_launches == 0);
    for (const SplitMode split : {SplitMode::padded, SplitMode::exact, SplitMode::tall}) {
      options.split = split;
      CAPTURE(split_mode_name(split));
      const Solution other = solve(context, random_system(60), options);
      CHECK(other.status == SolveStatus::ok);
      CHECK(other.residual.scaled <= kScaledResidualBound);
      CHECK(other.work_group->split == split_mode_name(split));
      CHECK((other.work_group->remainder_launches > 0) == (split != SplitMode::tall));
    }
    options.split = SplitMode::automatic;
    options.ndrange = NdRangeMode::shrinking;
    options.policy = {WorkGroupPolicy::Rule::automatic, 0};
    const Solution shrinking = solve(context, random_system(20), options);
    CHECK(shrinking.status == SolveStatus::ok);
    CHECK(shrinking.work_group->split == "round_up");
  });
}

TEST_CASE("tuned: a work-group size that does not fit is passed over, and said once") {
  on_every_device([](const Device& device) {
    const StoreOfTest store;
    const Parameters none, below{{"LOCAL", -1}}, above{{"LOCAL", std::numeric_limits<int>::max()}},
        other_way{{"LOCAL", 24}, {"SPLIT", 99}};
    for (const Parameters& parameters : {none, below, above, other_way}) {
      StoreOfTest::put(device.profile, "elimination", 60, "gauss.cl", parameters);
      Context context(device, ContextOptions::from_environment());
      SolveOptions options;
      options.type = RealType::f32;
      options.method = Method::gauss;
      const Solution solution = solve(context, random_system(60), options);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.work_group->rule == "fit");
      CHECK(solution.work_group->reason.find("skipped") != std::string::npos);
      options.policy = {WorkGroupPolicy::Rule::tuned, 0};
      CHECK_THROWS_WITH_AS((void)solve(context, random_system(60), options),
                           doctest::Contains("the tuned"), UsageError);
    }
  });
}

TEST_CASE("tuned: products take their numbers, and senseless ones are passed over") {
  on_every_device([](const Device& device) {
    const StoreOfTest store;
    Context plain(device, ContextOptions::from_environment());
    const bool cpu = default_lu_spec(plain, RealType::f32, 200).family == LuFamily::cpu;
    GemmSpec spec =
        cpu ? default_cpu_gemm_spec(device.profile, RealType::f32) : gemm_specs().back();
    const auto name_with = [&](const char* parameter, int value) {
      set_value(spec.parameters, parameter, value);
      StoreOfTest::put(device.profile, "gemm", 200, spec.file, spec.parameters);
      Context context(device, ContextOptions::from_environment());
      Gemm gemm(context, RealType::f32);
      const PaddedMatrix any(context, RealType::f32, random_matrix(200, 200, 1), 0, 0);
      return gemm.kernel_name({200, 200, 200}, any.view, any.view, any.view);
    };
    CHECK(name_with(cpu ? "UNROLL" : "RASTER", 2) == "tuned_" + spec.file);
    CHECK(name_with(cpu ? "MR" : "LANES_M", 5) != "tuned_" + spec.file);
  });
}

TEST_CASE("tuned: LU takes its numbers, and senseless ones are passed over") {
  on_every_device([](const Device& device) {
    const StoreOfTest store;
    Context plain(device, ContextOptions::from_environment());
    LuSpec spec = default_lu_spec(plain, RealType::f32, 200);
    const bool cpu = spec.family == LuFamily::cpu;
    // A number that kernels of every LU of the family, and no others, are built with.
    const char* macro = cpu ? "UNROLL" : "STRIP";
    const int usual = spec.value(macro), tuned = usual == 8 ? 4 : 8;
    set_value(spec.parameters, macro, tuned);
    const auto built_with = [&](const LuSpec& stored, int value) {
      StoreOfTest::put(device.profile, "lu", 200, cpu ? "cpu" : "gpu", stored.parameters);
      Context context(device, ContextOptions::from_environment());
      SolveOptions options;
      options.type = RealType::f32;
      CHECK(solve(context, random_system(200), options).status == SolveStatus::ok);
      const std::string define = fmt::format(" {}={} ", macro, value);
      return std::ranges::any_of(context.trials().verdicts(), [&](const KernelVerdict& verdict) {
        return (verdict.build + ' ').find(define) != std::string::npos;
      });
    };
    CHECK(built_with(spec, tuned));
    set_value(spec.parameters, "NB", 7);  // is no block width: all the built-in numbers remain
    CHECK_FALSE(built_with(spec, tuned));
    CHECK(built_with(spec, usual));
  });
}

TEST_CASE("tuned: the method follows what is stored, and senseless numbers are passed over") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;  // there is nothing to choose from
    const StoreOfTest store;
    Context plain(device, ContextOptions::from_environment());
    const bool cpu = default_lu_spec(plain, RealType::f64, 200).family == LuFamily::cpu;
    struct Expected {
      Method method;
      std::string source;
    };
    const auto check = [&](const Parameters& stored, Index n, const Expected& expected) {
      StoreOfTest::put(device.profile, kTunedMethod, 0, cpu ? "cpu" : "gpu", stored, RealType::f64);
      Context context(device, ContextOptions::from_environment());
      const Solution solution = solve(context, random_system(n));
      CAPTURE(n);
      CAPTURE(solution.passed_over);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(method_name(solution.method) == method_name(expected.method));
      CHECK(solution.method_choice == expected.source);
    };
    check({{"MIXED_FROM", 150}, {"RBT_FROM", 0}}, 150, {Method::mixed, "tuned"});
    check({{"MIXED_FROM", 150}, {"RBT_FROM", 0}}, 149, {Method::lu, "tuned"});
    check({{"MIXED_FROM", 0}, {"RBT_FROM", 0}}, 150, {Method::lu, "tuned"});
    check({{"MIXED_FROM", 1}, {"RBT_FROM", 150}}, 150, {Method::rbt, "tuned"});
    check({{"MIXED_FROM", 1}, {"RBT_FROM", 150}}, 149, {Method::mixed, "tuned"});
    {
      // Several right-hand sides, each of which would be refined, are for lu on CPUs.
      Context context(device, ContextOptions::from_environment());
      const System several{random_system(149).a, random_matrix(149, 2, 3)};
      CHECK((solve(context, several).method == Method::lu) == cpu);
    }
    for (const Parameters& senseless : {Parameters{}, Parameters{{"MIXED_FROM", 1}},
                                        Parameters{{"MIXED_FROM", 1}, {"RBT_FROM", -1}}}) {
      StoreOfTest::put(device.profile, kTunedMethod, 0, cpu ? "cpu" : "gpu", senseless,
                       RealType::f64);
      Context context(device, ContextOptions::from_environment());
      const MethodChoice choice = method_choice(device.profile, context.tuning());
      CHECK((choice.entry == nullptr || choice.entry->parameters != senseless));
      CHECK(choice.mixed_from > 1);
    }
    ContextOptions untuned = ContextOptions::from_environment();
    untuned.tuned = false;
    Context without(device, untuned);
    CHECK(method_choice(device.profile, without.tuning()).source() == "built-in");
    SolveOptions asked;
    asked.method = Method::lu;
    CHECK(solve(without, random_system(20), asked).method_choice.empty());
  });
}

}  // namespace clgauss
