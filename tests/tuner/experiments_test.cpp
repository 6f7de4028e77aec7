#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <fstream>

#include "support/devices.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "tuner/experiments/contest.hpp"
#include "tuner/experiments/kernel_sweep.hpp"
#include "tuner/search/gemm_space.hpp"

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

/// The kernels with `wrong` put for `right` in one file.
test::TemporaryFolder& broken_kernels(test::TemporaryFolder& folder, const std::string& file,
                                      const std::string& right, const std::string& wrong) {
  std::filesystem::copy(test::kernel_folder(), folder.path());
  std::string text = test::content_of(folder / file);
  REQUIRE(text.find(right) != std::string::npos);
  text.replace(text.find(right), right.size(), wrong);
  test::write_file(folder / file, text);
  return folder;
}

Status status_with(const Device& device, const std::string& right, const std::string& wrong) {
  test::TemporaryFolder folder;
  ContextOptions options;
  options.kernel_folder = broken_kernels(folder, "gauss.cl", right, wrong).path();
  Context context(device, options);
  const std::vector<WorkGroupPolicy> policies{{Rule::fixed, 16}};
  return guarded([&] {
           return EliminationBench(context, 40, quick(RealType::f32))
               .measure(policies)
               .at(0)
               .outcome;
         })
      .status;
}

}  // namespace

TEST_CASE("work-group sizes are checked and timed on every device, in both NDRange modes") {
  test::on_every_device([](const Device& device) {
    Context context(device);
    const std::vector<WorkGroupPolicy> policies{{Rule::driver, 0},
                                                {Rule::lcm, 0},
                                                {Rule::fixed, 1},
                                                {Rule::fixed, 7},
                                                {Rule::fixed, 1u << 20u}};
    for (const RealType type : test::types_of(device.profile))
      for (const NdRangeMode mode : {NdRangeMode::fixed, NdRangeMode::shrinking}) {
        EliminationOptions options = quick(type);
        options.ndrange = mode;
        EliminationBench bench(context, 37, options);
        CHECK(bench.estimated());
        CHECK(bench.timed_steps() == 4);
        const auto results = bench.measure(policies);
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
    CHECK(status_with(device, "if (i > k && j > k && j < ld)", "if (i >= k && j > k && j < ld)") ==
          Status::wrong_result);
    CHECK(status_with(device, "a[k * ld + j] * a[i * ld + k]", "a[k * ld + j] * a[i * ld + j]") ==
          Status::wrong_result);
    CHECK(status_with(device, "if (i > k && j > k && j < ld)", "if (i > k && j > k && j < ld") ==
          Status::build_error);
  });
}

TEST_CASE("what takes too long is not begun, and what does not fit says so") {
  test::on_every_device([](const Device& device) {
    Context context(device);
    const std::vector<WorkGroupPolicy> policies{{Rule::fixed, 16}};
    EliminationOptions options = quick(RealType::f32);
    options.timeout_s = 1e-9;
    CHECK(EliminationBench(context, 37, options).measure(policies)[0].outcome.status ==
          Status::timeout);
    CHECK_THROWS_AS(EliminationBench(context, 1u << 24u, options), OutOfMemory);
    CHECK_THROWS_AS(EliminationBench(context, 1, options), UsageError);
  });
}

TEST_CASE("contests leave rows, go on after an end, and stop at the budget") {
  test::on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    Context context(device);
    const EliminationOptions options = quick(RealType::f32);
    const ExperimentInfo info{"sweep", "gauss_fwd", "f32", "fixed", "test", device.profile};
    const auto fixed = [](std::size_t size) { return Candidate{"fixed", {Rule::fixed, size}}; };
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
    CHECK_THROWS_AS(
        run(contests, 60,
            [&](double, const std::string&) {
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
    Context context(device);
    for (const SweptKernel kernel : {SweptKernel::gemm, SweptKernel::panel, SweptKernel::trsm}) {
      const ExperimentInfo info{"sweep", kernel_name(kernel), "f32", "", "test", device.profile};
      const KernelSweep sweep{kernel, RealType::f32, {37}, {64, 67, std::size_t{1} << 30U}, 2, 60};
      std::vector<Case> cases = kernel_cases(context, info, sweep);
      REQUIRE(cases.size() == 3);
      const Outcome ok = cases[0].measure().at(0);
      CAPTURE(ok.detail);
      CHECK(ok.status == Status::ok);
      CHECK(ok.times_ns.size() == 2);
      CHECK(cases[0].rows.at(0).work > 0);
      CHECK(cases[1].measure().at(0).status == Status::constraint);
      CHECK(cases[2].measure().at(0).status != Status::ok);

      KernelSweep hasty = sweep;
      hasty.timeout_s = 1e-9;
      CHECK(kernel_cases(context, info, hasty)[0].measure().at(0).status == Status::timeout);
    }
  });
}

TEST_CASE("rules give sizes that the device takes") {
  test::on_every_device([](const Device& device) {
    Context context(device);
    const auto rules = rule_candidates(context, RealType::f32);
    REQUIRE(rules.size() == 4);
    for (const Candidate& candidate : rules)
      CHECK(candidate.policy.size <= device.profile.max_work_group_size);
  });
  CHECK(is_prime(1013));
  CHECK(is_prime(2));
  CHECK_FALSE(is_prime(1));
  CHECK_FALSE(is_prime(1015));
}

}  // namespace clgauss::tune
