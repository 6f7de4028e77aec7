#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <set>

#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/recorded_profiles.hpp"
#include "tuner/measure/gemm_rules.hpp"
#include "tuner/search/gemm_search.hpp"

namespace clgauss::tune {

namespace {

const GemmTask kTask{RealType::f32, GemmUse::general, {64, 64, 64}};

/// A simt spec that every device takes, small so that it builds fast.
GemmSpec small_spec() {
  return {"small",
          "gemm_simt.cl",
          RealType::f32,
          GemmUse::general,
          {{"TILE_M", 16},
           {"TILE_N", 16},
           {"TILE_K", 8},
           {"WG_M", 4},
           {"WG_N", 4},
           {"LANES_M", 1},
           {"LANES_N", 4},
           {"VEC_WIDTH", 2},
           {"PAD", 2},
           {"ALIGNED", 1},
           {"TRANS_A", 0},
           {"TRANS_B", 0},
           {"RASTER", 1}}};
}

GemmSpec with(GemmSpec spec, const char* name, int value) {
  set_value(spec.parameters, name, value);
  return spec;
}

Status gemm_with(const Device& device, const std::string& from, const std::string& to) {
  const test::ChangedKernels kernels("gemm_simt.cl", from, to);
  Context context(device, kernels.context_options());
  return GemmBench(context, kTask).measure(small_spec(), {1}).status;
}

}  // namespace

TEST_CASE("every way in which a configuration fails has its status") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    GemmBench bench(context, kTask);
    const Outcome good = bench.measure(small_spec(), {2});
    CHECK(good.status == Status::ok);
    CHECK(good.times_ns.size() == 2);
    CHECK(bench.measure(small_spec(), {5, 1e-3}).times_ns.size() == 1);  // hopeless
    CHECK(bench.measure(small_spec(), {5, {}, 1}).status == Status::timeout);
    CHECK(bench.measure(with(small_spec(), "PAD", 1), {}).status == Status::constraint);
    CHECK(bench.measure(with(small_spec(), "LANES_N", 3), {}).status == Status::constraint);
    GemmSpec huge = with(with(small_spec(), "TILE_K", 1024), "TILE_M", 16);
    huge = with(with(huge, "WG_M", 8), "WG_N", 8);
    huge = with(with(huge, "TILE_N", 1024), "TILE_M", 64);
    const Outcome limit = bench.measure(with(with(huge, "WG_N", 64), "LANES_N", 4), {});
    CHECK(limit.status == Status::device_limit);
    CHECK_FALSE(limit.detail.empty());
  });
}

TEST_CASE("a kernel that is wrong, and one that does not build, are found out") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (built_in_gemm_spec(context, kTask).file == "gemm_simt.cl")
      return;  // the reference would be broken too
    CHECK(gemm_with(device, "acc[i][j] += fa[i] * fb[j]", "acc[i][j] += fa[i] * fb[j] * 1.001f") ==
          Status::wrong_result);
    CHECK(gemm_with(device, "const int inside =", "const int inside = nonsense +") ==
          Status::build_error);
  });
}

TEST_CASE("what a device refuses is told before a build, as Gemm does") {
  const auto refused = [](const GemmSpec& spec, unsigned major, unsigned minor) {
    DeviceProfile device = test::recorded_profile("h200").profile;
    device.local_mem_bytes = 49152;  // what NVIDIA's driver reports everywhere
    device.attributes.nvidia = {major, minor};
    return exceeded_limit(spec, device);
  };
  const auto found = std::ranges::find_if(gemm_specs(), &GemmSpec::needs_ptx);
  GemmSpec spec = *found;
  while (spec.local_bytes() <= 100 * 1024)
    set_value(spec.parameters, "STAGES", spec.value("STAGES") + 1);
  CHECK(refused(spec, 9, 0).empty());
  CHECK(refused(spec, 7, 5).find("bytes of local memory") != std::string::npos);
  CHECK(refused(with(small_spec(), "WG_M", 512), 9, 0).find("work-items") != std::string::npos);
  CHECK(refused(small_spec(), 7, 5).empty());
}

TEST_CASE("the built-in specs keep the rules of their kernels") {
  for (const GemmSpec& spec : gemm_specs()) {
    CAPTURE(spec.name);
    CHECK(broken_rule(spec).empty());
  }
}

TEST_CASE("a search tries the built-in first, each configuration once, and compares the best") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    GemmSearchOptions options;
    options.stop = after_evaluations(3);
    options.repetitions = 1;
    const bool cpu = built_in_gemm_spec(context, kTask).is_for_cpu();
    options.vary = cpu ? std::vector<std::string>{"KC", "MC"} : std::vector<std::string>{"RASTER"};
    const GemmSearchResult result = search_gemm(context, kTask, options);
    CHECK(result.trials.size() == 3);
    for (const std::string& name : options.vary) {
      CAPTURE(name);
      CHECK(result.trials.front().spec.value(name) == result.built_in.value(name));
    }
    REQUIRE(result.best.has_value());
    CHECK(result.last.a_ns.size() >= 7);
    CHECK(result.last.b_ns.size() == result.last.twin_ns.size());
    std::set<std::size_t> tried;
    for (const GemmTrial& trial : result.trials) CHECK(tried.insert(trial.configuration).second);
    options.kernel = "none";
    CHECK_THROWS_AS(static_cast<void>(search_gemm(context, kTask, options)), UsageError);
  });
}

}  // namespace clgauss::tune
