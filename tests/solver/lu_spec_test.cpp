#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>

#include "linalg/lu/factor_lu.hpp"
#include "support/devices.hpp"
#include "support/factorisation.hpp"
#include "support/recorded_profiles.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::factorisation_error;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

LuSpec changed(LuSpec spec, const Parameters& values) {
  for (const auto& [name, value] : values) set_value(spec.parameters, name, value);
  return spec;
}

/// Factors and solves a random system with `spec`; checks the factors and the answers.
void check_spec(Context& context, RealType type, const LuSpec& spec) {
  const double eps = unit_roundoff(type);
  for (const Index n : {50, 301})
    for (const Index nrhs : {1, 19}) {
      const Matrix a = rounded(generate_matrix("random", n, n), type),
                   b = rounded(random_matrix(n, nrhs, 1), type);
      const PaddedMatrix da(context, type, a, 0, 3), db(context, type, b, 0, 0);
      LuOptions options;
      options.spec = spec;
      Lu factors = lu_factor(context, type, da.view, n, options);
      factors.solve(db.view, nrhs);
      CHECK(factorisation_error(a, da.read(context, type), factors.pivots(), eps) <= 30);
      CHECK(compute_residual({a, b}, db.read(context, type), eps).scaled <= kScaledResidualBound);
    }
}

/// Solves a random system of n by `spec`, in more than two blocks of `block` columns.
void check_blocks(Context& context, RealType type, Index n, const LuSpec& spec, int block) {
  REQUIRE(spec.value("NB") == block);
  REQUIRE(n > 2 * static_cast<Index>(block));
  LuOptions options;
  options.spec = spec;
  const System system{generate_matrix("random", n, 5), random_matrix(n, 3, 6)};
  const EliminationResult result = factor_lu(context, system, {.type = type, .lu = options}).result;
  CHECK_FALSE(result.failed_column.has_value());
  CHECK(compute_residual(system, result.x, unit_roundoff(type)).scaled <= kScaledResidualBound);
}

DeviceProfile nvidia_profile() {
  DeviceProfile profile;
  profile.name = "a GPU";
  profile.max_work_group_size = 1024;
  profile.local_mem_bytes = 49152;
  profile.attributes.nvidia = {9, 0};
  return profile;
}

}  // namespace

TEST_CASE("LU spec: every way to cut the matrix up is right" * test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const LuSpec gpu = default_lu_spec(device.profile, type, 300, LuFamily::gpu);
      std::vector<Parameters> variants{
          {{"NB", 64}, {"GROUP_ROWS", 0}, {"TOURNAMENT_GROUP", 64}, {"STRIP", 8}},
          {{"GROUP_ROWS", 128}, {"TOURNAMENT_GROUP", 128}, {"SOLVE_BLOCK", 96}},
          {{"NB", 96}, {"STRIP", 4}, {"SMALL_N", 0}},
          {{"NB", 64}, {"AHEAD", 128}}};
      // A CPU builds each for up to 40 seconds: f64 stands for both types there.
      if (!context.runs_long_loops() ||
          (device.profile.type == DeviceType::cpu && type == RealType::f32))
        variants.resize(1);
      for (const Parameters& values : test::some_of(variants, 3)) {
        CAPTURE(values.front().first);
        check_spec(context, type, changed(gpu, values));
      }
      const LuSpec chosen = default_lu_spec(context, type, 300);
      check_spec(context, type, chosen);
      if (chosen.family != LuFamily::cpu) continue;
      CHECK(chosen.value("OPENCL_C") == (device.profile.device_fences ? 300 : 120));
      check_spec(context, type, changed(chosen, {{"OPENCL_C", 120}}));
      if (!test::thorough()) continue;
      const int rb = chosen.value("RB"), nr = chosen.value("NR");
      check_spec(context, type,
                 changed(chosen, {{"NB", 192}, {"TILE_ROWS", rb}, {"TILE_COLS", nr}}));
      check_spec(context, type,
                 changed(chosen, {{"VEC_WIDTH", 4}, {"MR", 8}, {"NR", 8}, {"RB", 16}, {"NB", 48}}));
    }
  });
}

TEST_CASE("LU spec: answers are right where the default blocks are wide") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      // llvmpipe takes 30 seconds for n = 2049: there the same spec has less to do.
      const Index wide = 2049, n = context.runs_long_loops() ? wide : 300;
      check_blocks(context, type, n, default_lu_spec(context.profile(), type, wide, LuFamily::gpu),
                   128);
      const LuSpec chosen = default_lu_spec(context, type, 1537);
      if (chosen.family == LuFamily::cpu) check_blocks(context, type, 1537, chosen, 192);
    }
  });
}

TEST_CASE("LU spec: the default is accepted, for every device that is known") {
  // The persistent panel needs redux.sync: NVIDIA's from compute capability 8.0 on, which a GT 555M
  // (2.1) is not.
  for (const auto& [name, persistent] :
       {std::pair<std::string, int>{"h200", 1}, {"gt_555m", 0}, {"mi250x", 0}, {"arc_a770", 0}}) {
    CAPTURE(name);
    DeviceProfile profile = test::recorded_profile(name).profile;
    profile.local_mem_bytes = 49152;
    for (const RealType type : {RealType::f32, RealType::f64})
      for (const Index n : {100, 2048, 2049})
        for (const LuFamily family : {LuFamily::cpu, LuFamily::gpu}) {
          const LuSpec spec = default_lu_spec(profile, type, n, family);
          check_lu_spec(spec, profile, type);
          if (family == LuFamily::gpu) CHECK(spec.value("PERSISTENT") == persistent);
        }
  }
}

TEST_CASE("LU spec: what makes no sense or does not fit is refused, never changed") {
  const DeviceProfile nvidia = nvidia_profile();
  const LuSpec gpu = default_lu_spec(nvidia, RealType::f64, 5000, LuFamily::gpu),
               cpu = default_lu_spec(nvidia, RealType::f64, 5000, LuFamily::cpu);
  CHECK(gpu.value("NB") == 128);
  CHECK(gpu.value("AHEAD") == 8192);
  CHECK(cpu.value("NB") == 192);
  CHECK(cpu.value("OPENCL_C") == 120);
  CHECK_THROWS_AS(check_lu_spec(changed(cpu, {{"OPENCL_C", 300}}), nvidia, RealType::f64),
                  DeviceLimit);
  const auto refused = [&](const LuSpec& spec, const Parameters& values) {
    CHECK_THROWS_AS(check_lu_spec(changed(spec, values), nvidia, RealType::f64), UsageError);
  };
  refused(gpu, {{"NB", 48}});
  refused(gpu, {{"NB", 0}});
  refused(gpu, {{"AHEAD", -1}});
  refused(cpu, {{"OPENCL_C", 180}});
  refused(cpu, {{"OPENCL_C", 310}});
  refused(gpu, {{"STRIP", 12}});
  refused(gpu, {{"SUB_GROUPS", 32}});
  refused(gpu, {{"COLUMNS_ROWS", 641}});
  refused(gpu, {{"SMALL_N", 129}});
  refused(gpu, {{"TOURNAMENT_GROUP", 32}});
  refused(cpu, {{"NB", 100}});
  refused(cpu, {{"MR", 5}});
  refused(cpu, {{"RB", 40}});
  refused(cpu, {{"VEC_WIDTH", 12}});
  refused(cpu, {{"TILE_COLS", 4}});
  LuSpec incomplete = gpu;
  incomplete.parameters.pop_back();
  refused(incomplete, {});
  incomplete.parameters.push_back(incomplete.parameters.front());
  refused(incomplete, {});
  refused({LuFamily::cpu, gpu.parameters}, {});

  DeviceProfile small = nvidia;
  small.attributes = {};
  const LuSpec portable = default_lu_spec(small, RealType::f64, 5000, LuFamily::gpu);
  check_lu_spec(portable, small, RealType::f64);
  const auto too_much = [&](const Parameters& values) {
    CHECK_THROWS_AS(check_lu_spec(changed(portable, values), small, RealType::f64), DeviceLimit);
  };
  too_much({{"PERSISTENT", 1}});
  too_much({{"NB", 512}});
  too_much({{"SMALL_N", 128}});
  small.local_mem_bytes = 32768;  // the least that OpenCL asks for
  CHECK(default_lu_spec(small, RealType::f64, 5000, LuFamily::gpu).value("SOLVE_BLOCK") == 128);
  CHECK(default_lu_spec(small, RealType::f32, 5000, LuFamily::gpu).value("SOLVE_BLOCK") == 256);
  small.max_work_group_size = 128;
  too_much({{"SOLVE_BLOCK", 256}});
}

TEST_CASE("LU spec: a spec decides the family, and an impossible one is refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    LuOptions options;
    options.spec = default_lu_spec(device.profile, RealType::f32, 50, LuFamily::cpu);
    options.pivoting = Pivoting::tournament;
    CHECK_THROWS_AS((void)Lu(context, RealType::f32, 50, options), UsageError);
    options.pivoting = Pivoting::partial;
    if (!context.runs_long_loops())
      CHECK_THROWS_AS((void)Lu(context, RealType::f32, 50, options), DeviceLimit);
    set_value(options.spec->parameters, "NB", 7);
    CHECK_THROWS_AS((void)Lu(context, RealType::f32, 50, options), UsageError);
  });
}
