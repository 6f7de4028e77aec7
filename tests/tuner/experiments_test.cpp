#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <fstream>

#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "tuner/experiments/contest.hpp"
#include "tuner/experiments/kernel_sweep.hpp"
#include "tuner/measure/divisors.hpp"
#include "tuner/measure/gemm_rules.hpp"

namespace clgauss::tune {

namespace {

using Rule = WorkGroupPolicy::Rule;

EliminationOptions quick(RealType type) {
  EliminationOptions options;
  options.type = type;
  options.steps = 4;
  options.repetitions = 2;
  return options;
}

Status gauss_with(const Device& device, const std::string& right, const std::string& wrong) {
  const test::ChangedKernels kernels("gauss.cl", right, wrong);
  Context context(device, kernels.context_options());
  const std::vector<LaunchChoice> choices{{{Rule::fixed, 16}}};
  return guarded([&] {
           return EliminationBench(context, 40, quick(RealType::f32))
               .measure(choices)
               .choices.at(0)
               .outcome;
         })
      .status;
}

}  // namespace

TEST_CASE("work-group sizes are checked and timed on every device, in both NDRange modes") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const std::vector<LaunchChoice> policies{{{Rule::driver, 0}},
                                             {{Rule::lcm, 0}},
                                             {{Rule::fixed, 1}},
                                             {{Rule::fixed, 7}},
                                             {{Rule::fixed, 1u << 20u}}};
    for (const RealType type : test::types_of(device.profile))
      for (const NdRangeMode mode : {NdRangeMode::fixed, NdRangeMode::shrinking}) {
        EliminationOptions options = quick(type);
        options.ndrange = mode;
        EliminationBench bench(context, 37, options);
        CHECK(bench.estimated());
        CHECK(bench.timed_steps() == 4);
        const auto measured = bench.measure(policies);
        const auto& results = measured.choices;
        REQUIRE(measured.control.has_value());
        CHECK(measured.control->outcome.times_ns.size() == 2);
        for (std::size_t i = 0; i < 4; ++i) {
          CAPTURE(results[i].outcome.detail);
          CHECK(results[i].outcome.status == Status::ok);
          CHECK(results[i].outcome.times_ns.size() == 2);
        }
        CHECK(results[0].main_launches == 4);
        CHECK(results[0].remainder_launches == 0);
        CHECK(results[3].remainder_launches >= 3);  // 38 = 5 * 7 + 3
        CHECK(results[4].outcome.status == Status::device_limit);
      }
  });
}

TEST_CASE("a kernel that is wrong, or does not build, is found out before it is timed") {
  test::on_every_device([](const Device& device) {
    CHECK(gauss_with(device, "if (i > k && j > k && j < ld)", "if (i >= k && j > k && j < ld)") ==
          Status::wrong_result);
    CHECK(gauss_with(device, "a[k * ld + j] * a[i * ld + k]", "a[k * ld + j] * a[i * ld + j]") ==
          Status::wrong_result);
    CHECK(gauss_with(device, "if (i > k && j > k && j < ld)", "if (i > k && j > k && j < ld") ==
          Status::build_error);
  });
}

TEST_CASE("what takes too long is not begun, and what does not fit says so") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const std::vector<LaunchChoice> policies{{{Rule::fixed, 16}}};
    EliminationOptions options = quick(RealType::f32);
    options.timeout_s = 1e-9;
    CHECK(EliminationBench(context, 37, options).measure(policies).choices[0].outcome.status ==
          Status::timeout);
    CHECK_THROWS_AS(EliminationBench(context, 1u << 24u, options), OutOfMemory);
    CHECK_THROWS_AS(EliminationBench(context, 1, options), UsageError);
  });
}

TEST_CASE("contests leave rows, go on after an end, and stop at the budget") {
  test::on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    Context context(device, ContextOptions::from_environment());
    const EliminationOptions options = quick(RealType::f32);
    const ExperimentInfo info{"sweep", "gauss_fwd", "f32", "fixed", "test", device.profile};
    const auto fixed = fixed_candidate;
    const std::vector<Contest> contests{
        {10, {fixed(4)}}, {10, {fixed(8)}}, {10, {fixed(1u << 20u)}}, {12, {fixed(4)}}};
    const auto run = [&](const std::vector<Contest>& asked, double budget_s,
                         const ExperimentProgress& progress) {
      ResultFolder results(folder.path(), info, false);
      return run_contests(context, results, info, options, asked, {budget_s}, progress);
    };
    const ExperimentProgress silent = [](double, const std::string&) {};
    CHECK(run(contests, 1e-9, silent).left == 4);

    struct Stop {};
    int seen = 0;
    double last = 0;
    CHECK_THROWS_AS(
        run(contests, 60,
            [&](double fraction, const std::string&) {
              CHECK(fraction >= last);  // the time left is told from it
              last = fraction;
              if (++seen == 6)
                throw Stop();  // a contest alone reports before its check and its 3 repetitions
            }),
        Stop);
    const ExperimentSummary rest = run(contests, 60, silent);
    CHECK(rest.measured == 3);
    CHECK(run(contests, 60, silent).measured == 0);
    const auto rows = read_results(folder.path()).at(0).rows;
    CHECK(rows.size() == 2 + 2 + 1 + 2);
    CHECK_THROWS_AS(run({contests[2]}, 60, silent), DeviceLimit);
  });
}

TEST_CASE(
    "sizes above n + 1 are one launch, equal rules share a measurement, and a twin is timed") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    EliminationOptions options = quick(RealType::f32);
    const std::size_t limit = std::min<std::size_t>(device.profile.max_work_group_size, 256);
    const std::vector<LaunchChoice> choices{
        {{Rule::fixed, 38}},    {{Rule::fixed, 40}},
        {{Rule::fixed, limit}}, {{Rule::fixed, 8}},
        {{Rule::fixed, 8}},     {{Rule::fixed, 8}, SplitMode::round_up},
        {{Rule::fixed, 19}},    {{Rule::fixed, 19}, SplitMode::exact}};
    const EliminationResults results = EliminationBench(context, 37, options).measure(choices);
    for (const std::size_t i : {1, 2}) {
      CHECK(results.choices[i].group == 38);
      CHECK(results.choices[i].outcome.times_ns == results.choices[0].outcome.times_ns);
    }
    CHECK(results.choices[4].outcome.times_ns == results.choices[3].outcome.times_ns);
    CHECK(results.choices[3].outcome.times_ns != results.choices[0].outcome.times_ns);
    CHECK(results.choices[5].outcome.status == Status::ok);
    CHECK(results.choices[5].remainder_launches == 0);
    CHECK(results.choices[3].remainder_launches > 0);  // 38 = 4 * 8 + 6
    CHECK(results.choices[7].outcome.times_ns == results.choices[6].outcome.times_ns);  // 2 x 19
    REQUIRE(results.control.has_value());
    CHECK(results.control->group == 38);
    CHECK(results.floor() >= 0);
  });
}

TEST_CASE("every way of launching does the same work, and what is left to the driver is seen") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const std::vector<LaunchChoice> choices{
        {{Rule::driver, 0}},
        {{Rule::fixed, 8}},
        {{Rule::fixed, 8}, SplitMode::exact},
        {{Rule::fixed, 8}, SplitMode::round_up},
        {{Rule::fixed, 8}, SplitMode::tall},
        {{Rule::fixed, 8}, SplitMode::round_up, LaunchWork::nothing},
        {{Rule::fixed, 1}, SplitMode::padded, LaunchWork::one_item}};
    const std::size_t launches[] = {1, 2, 2, 1, 1, 1, 1};
    for (const std::string kernel : {"gauss_fwd", "solve"}) {
      CAPTURE(kernel);
      EliminationOptions options = quick(RealType::f32);
      options.kernel = kernel;
      options.device_repetitions = 2;
      const auto results = EliminationBench(context, 37, options).measure(choices);
      for (std::size_t i = 0; i < choices.size(); ++i) {
        CAPTURE(i);
        const EliminationResultOf& one = results.choices[i];
        CAPTURE(one.outcome.detail);
        CHECK(one.outcome.status == Status::ok);
        CHECK(one.main_launches + one.remainder_launches == 4 * launches[i]);
        CHECK(one.outcome.rounds == std::vector<std::size_t>{1, 2});
        CHECK(one.outcome.conditions.size() == 2);
        CHECK(one.device_outcome.times_ns.size() == 2);
        const bool driver = i == 0 || i == 2;  // the range, or its remainder of 6 columns
        CHECK(one.chosen.empty() != driver);
        if (!driver) continue;
        const std::size_t columns = std::stoul(one.chosen);
        CHECK(columns >= 1);
        CHECK((i == 0 ? 38 : 6) % columns == 0);
        if (!one.suggested.empty()) CHECK(one.suggested == one.chosen);
      }
    }
  });
}

TEST_CASE("a row beyond the range is found out in every way of launching") {
  test::on_every_device([](const Device& device) {
    const test::ChangedKernels kernels("gauss.cl", "if (i > k && j > k && j < ld)",
                                       "if (i > k && j > k && j < ld - 1)");
    Context context(device, kernels.context_options());
    std::vector<LaunchChoice> choices;
    for (const SplitMode split :
         {SplitMode::padded, SplitMode::exact, SplitMode::round_up, SplitMode::tall})
      choices.push_back({{Rule::fixed, 8}, split});
    for (const EliminationResultOf& one :
         EliminationBench(context, 37, quick(RealType::f32)).measure(choices).choices)
      CHECK(one.outcome.status == Status::wrong_result);
  });
}

TEST_CASE("every kernel of the elimination can be timed") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const std::string& kernel : elimination_kernels()) {
      EliminationOptions options = quick(RealType::f32);
      options.kernel = kernel;
      for (const NdRangeMode mode : {NdRangeMode::fixed, NdRangeMode::shrinking}) {
        options.ndrange = mode;
        const std::vector<LaunchChoice> choices{{{Rule::fixed, 16}}};
        const auto results = EliminationBench(context, 37, options).measure(choices);
        CAPTURE(kernel);
        CAPTURE(results.choices[0].outcome.detail);
        CHECK(results.choices[0].outcome.status == Status::ok);
      }
      CHECK(elimination_work(kernel, 37) > 0);
    }
    EliminationOptions unknown = quick(RealType::f32);
    unknown.kernel = "gauss_no";
    CHECK_THROWS_AS(EliminationBench(context, 37, unknown), UsageError);
  });
}

TEST_CASE("the portable product comes in every multiple of 64 work-items, by its rules") {
  for (const RealType type : {RealType::f32, RealType::f64}) {
    for (std::size_t local = 16; local <= 1024; local += 16) {
      CAPTURE(local);
      const auto spec = gemm_simt_spec(type, local);
      if (local % 64 == 0) CHECK(spec.has_value());
      if (spec) {
        CHECK_NOTHROW(check_gemm_spec(*spec));
        CHECK(broken_rule(*spec).empty());
        CHECK(spec->work_group_size() == local);
        CHECK(spec->value("TILE_M") == 4 * spec->value("WG_M"));
        CHECK(spec->value("TILE_N") == 4 * spec->value("WG_N"));
      }
    }
    CHECK(gemm_simt_spec(type, 1));
    CHECK(gemm_simt_spec(type, 256)->value("WG_M") == 16);
    CHECK_FALSE(gemm_simt_spec(type, 67));
    CHECK_FALSE(gemm_simt_spec(type, std::size_t{1} << 40U));
  }
}

TEST_CASE("the engine's kernels are checked and timed at each size, or say why not") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const SweptKernel kernel : {SweptKernel::gemm, SweptKernel::panel, SweptKernel::trsm}) {
      const ExperimentInfo info{"sweep", kernel_name(kernel), "f32", "", "test", device.profile};
      const KernelSweep sweep{kernel, RealType::f32, {37}, {64, 67, std::size_t{1} << 30U}, 60};
      std::vector<Case> cases = kernel_cases(context, info, sweep);
      REQUIRE(cases.size() == 4);
      CHECK(cases[2].rows.at(0).rule == kControlRule);  // the A/A control, of the middle one
      CHECK(cases[2].rows.at(0).local == 67);
      const Prepared ok = cases[0].prepare().at(0);
      CAPTURE(ok.outcome.detail);
      CHECK(ok.outcome.status == Status::ok);
      REQUIRE(ok.timed_ns);
      CHECK(ok.expected_s > 0);
      CHECK(ok.timed_ns() > 0);
      CHECK(cases[0].rows.at(0).work > 0);
      CHECK(cases[1].prepare().at(0).outcome.status == Status::constraint);
      CHECK(cases[3].prepare().at(0).outcome.status != Status::ok);

      KernelSweep hasty = sweep;
      hasty.timeout_s = 1e-9;
      CHECK(kernel_cases(context, info, hasty)[0].prepare().at(0).outcome.status ==
            Status::timeout);
    }
  });
}

TEST_CASE("rules give sizes that the device takes") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const auto rules = rule_candidates(context, RealType::f32, 1012);
    for (const char* rule : {"driver", "lcm", "multiple", "max", "divisor"}) {
      CAPTURE(rule);
      CHECK(candidate_of(rules, rule).choice.policy.size <= device.profile.max_work_group_size);
    }
    CHECK(1013 % candidate_of(rules, "divisor").choice.policy.size == 0);
    CHECK(candidate_of(rules, "192").choice.policy.size == 192);
  });
  CHECK(largest_divisor(8006, 1024) == 2);  // 2 x 4003
  CHECK(largest_divisor(8011, 1024) == 1);  // a prime
  CHECK(largest_divisor(8013, 1024) == 3);
  CHECK(largest_divisor(1013, 1024) == 1013);
  CHECK(largest_divisor(8001, 1024) == 889);  // 9 x 7 x 127
  CHECK(largest_divisor(1, 1) == 1);
  CHECK(is_prime(1013));
  CHECK(is_prime(2));
  CHECK_FALSE(is_prime(1));
  CHECK_FALSE(is_prime(1015));
}

}  // namespace clgauss::tune
