#include <clgauss/lab/lu_spec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>

#include "kernels/cpu_tile.hpp"
#include "kernels/lu_backend.hpp"
#include "kernels/lu_parts.hpp"
#include "kernels/parameter_rules.hpp"

namespace clgauss {

namespace {

constexpr int kAnyHeight = 1 << 30;  // n itself is not larger
constexpr int kStrip = 16;

constexpr ParameterRule kGpuRules[] = {{"NB", 32, 1024, 32},
                                       {"PERSISTENT", 0, 1},
                                       {"ROWS_1", 1, kAnyHeight},
                                       {"SUB_GROUPS_1", 1, 31},
                                       {"ROWS_2", 1, kAnyHeight},
                                       {"SUB_GROUPS_2", 1, 31},
                                       {"ROWS_3", 1, kAnyHeight},
                                       {"SUB_GROUPS_3", 1, 31},
                                       {"ROWS_4", 1, kAnyHeight},
                                       {"SUB_GROUPS_4", 1, 31},
                                       {"SUB_GROUPS_5", 1, 31},
                                       {"SPIN_LIMIT", 1, 1 << 30},
                                       {"GROUP_ROWS", 0, 1024, 64},
                                       {"TOURNAMENT_GROUP", 64, 1024, 16},
                                       {"STRIP", 1, 32},
                                       {"SOLVE_BLOCK", 32, 1024, 32},
                                       {"SMALL_N", 0, kLargestSmallSystem},
                                       {"SMALL_GROUP", 32, 1024, 32}};

constexpr ParameterRule kCpuRules[] = {{"VEC_WIDTH", 4, 16, 4},   {"MR", 4, 14, 2},
                                       {"NR", 4, 64, 4},          {"UNROLL", 1, 64},
                                       {"USE_FMA", 0, 1},         {"RB", 8, 64, 8},
                                       {"NB", 8, 4096, 8},        {"TILE_ROWS", 8, 1 << 16},
                                       {"TILE_COLS", 4, 1 << 16}, {"SOLVE_BLOCK", 1, 1 << 16}};

std::size_t number(const LuSpec& spec, const char* name) {
  return static_cast<std::size_t>(spec.value(name));
}

/// Local memory of the one-launch solve (cl/lu_small.cl) of n rows.
std::size_t small_bytes(std::size_t n, RealType type) { return n * (n + 2) * bytes_of(type) + 512; }

/// Largest system for the kernel that factors and solves in one work-group: its matrix lies in local memory.
Index small_limit(const DeviceProfile& device, RealType type) {
  if (device.max_work_group_size < 512) return 0;
  Index n = kLargestSmallSystem;
  while (n > 0 && small_bytes(n, type) > device.static_local_bytes()) --n;
  return n;
}

/// Local memory of the kernels of cl/trsm.cl with `rows` work-items: 16 scalars and a word for each, 32 scalars for every column
/// of the strip.
std::size_t trsm_bytes(std::size_t rows, std::size_t strip, RealType type) {
  return rows * (16 * bytes_of(type) + sizeof(cl_uint)) + 32 * strip * bytes_of(type);
}

/// Rows of a diagonal block: 256, or less where local memory is short (f64 on a device with 32 KiB).
int solve_block(const DeviceProfile& device, RealType type) {
  int rows = 256;
  while (rows > 64 &&
         trsm_bytes(static_cast<std::size_t>(rows), kStrip, type) > device.static_local_bytes())
    rows /= 2;
  return rows;
}

/// On an H200: up to n = 2048 the panel is everything and a wider block only costs launches; above, 128 columns keep the update's
/// traffic below its arithmetic. Sub-groups: up to 480 rows one group, which need not wait for others (0.95, 1.03, 1.3 us a
/// column instead of 1.75 with two groups or more); 8 are best up to 12288 rows, then 15 (fewer candidates to read).
Parameters default_gpu(const DeviceProfile& device, RealType type, Index n) {
  return {{"NB", n <= 2048 ? 32 : 128},
          {"PERSISTENT", device.lacks_compute_capability(kPersistentCapability).empty() ? 1 : 0},
          {"ROWS_1", 128},
          {"SUB_GROUPS_1", 4},
          {"ROWS_2", 256},
          {"SUB_GROUPS_2", 8},
          {"ROWS_3", 480},
          {"SUB_GROUPS_3", 15},
          {"ROWS_4", 12288},
          {"SUB_GROUPS_4", 8},
          {"SUB_GROUPS_5", 15},
          {"SPIN_LIMIT", kSpinLimit},
          {"GROUP_ROWS", 256},
          {"TOURNAMENT_GROUP", 256},
          {"STRIP", kStrip},
          {"SOLVE_BLOCK", solve_block(device, type)},
          {"SMALL_N", static_cast<int>(small_limit(device, type))},
          {"SMALL_GROUP", 512}};
}

/// With 64-byte vectors the best of a search on 2 cores with AVX-512.
Parameters default_cpu(const DeviceProfile& device, RealType type, Index n) {
  Parameters parameters = default_cpu_tile(device, type);
  const auto tile = [&](const char* name) { return value_of(parameters, name); };
  const Parameters more{{"RB", tile("MR") == 12 ? 3 * tile("VEC_WIDTH") : 8},
                        {"NB", n <= 1536 ? 96 : 192},
                        {"TILE_ROWS", 144},
                        {"TILE_COLS", 16 * tile("NR")},
                        {"SOLVE_BLOCK", 192}};
  parameters.insert(parameters.end(), more.begin(), more.end());
  return parameters;
}

void check_cpu(const LuSpec& spec) {
  const std::string what = "the LU's spec for CPUs";
  check_parameters(what, spec.parameters, kCpuRules);
  check_cpu_tile(what, spec.parameters);
  for (const char* unit : {"MR", "VEC_WIDTH"}) check_multiple(what, spec.parameters, "RB", unit);
  for (const char* unit : {"RB", "NR"}) check_multiple(what, spec.parameters, "NB", unit);
  check_multiple(what, spec.parameters, "TILE_ROWS", "RB");
  check_multiple(what, spec.parameters, "TILE_COLS", "NR");
  if (spec.value("RB") > 4 * spec.value("VEC_WIDTH"))
    throw UsageError(what + ": RB must be at most 4 VEC_WIDTH");
}

void check_gpu_limits(const LuSpec& spec, const DeviceProfile& device, RealType type) {
  const std::string lacks = device.lacks_compute_capability(kPersistentCapability);
  if (spec.value("PERSISTENT") == 1 && !lacks.empty())
    throw DeviceLimit("PERSISTENT = 1 on " + device.name + ": " + lacks);
  const auto limit = [&](const char* name, std::size_t needed, std::size_t there,
                         const char* unit) {
    if (needed > there)
      throw DeviceLimit(fmt::format("{} = {} needs {} {}, {} allows {}", name, spec.value(name),
                                    needed, unit, device.name, there));
  };
  const auto group = [&](const char* name, std::size_t size) {
    limit(name, size, device.max_work_group_size, "work-items a group");
  };
  const std::size_t swap = swap_group(static_cast<cl_uint>(spec.value("NB"))),
                    solve = swap_group(static_cast<cl_uint>(spec.value("SOLVE_BLOCK")));
  group("NB", swap);
  group("SOLVE_BLOCK", solve);
  for (const char* name : {"GROUP_ROWS", "TOURNAMENT_GROUP"}) group(name, number(spec, name));
  if (spec.value("SMALL_N") > 0) group("SMALL_GROUP", number(spec, "SMALL_GROUP"));
  if (spec.value("PERSISTENT") == 1)
    for (const char* name : LuTuning::kSubGroups) group(name, (number(spec, name) + 1) * 32);
  const std::size_t there = device.static_local_bytes();
  const std::size_t strip = number(spec, "STRIP");
  limit("NB", trsm_bytes(swap, strip, type), there, "bytes of local memory");
  limit("SOLVE_BLOCK", trsm_bytes(solve, strip, type), there, "bytes of local memory");
  if (spec.value("SMALL_N") > 0)
    limit("SMALL_N", small_bytes(number(spec, "SMALL_N"), type), there, "bytes of local memory");
}

void check_gpu(const LuSpec& spec, const DeviceProfile& device, RealType type) {
  const std::string what = "the LU's spec for GPUs";
  check_parameters(what, spec.parameters, kGpuRules);
  const int strip = spec.value("STRIP");
  if ((strip & (strip - 1)) != 0) throw UsageError(what + ": STRIP must be a power of two");
  int below = 0;
  for (const char* name : LuTuning::kRows) {
    if (spec.value(name) <= below)
      throw UsageError(fmt::format("{}: {} must be above the one before", what, name));
    below = spec.value(name);
  }
  check_gpu_limits(spec, device, type);
}

}  // namespace

std::string_view lu_family_name(LuFamily family) { return family == LuFamily::cpu ? "cpu" : "gpu"; }

LuSpec default_lu_spec(const DeviceProfile& device, RealType type, Index n, LuFamily family) {
  return {family,
          family == LuFamily::cpu ? default_cpu(device, type, n) : default_gpu(device, type, n)};
}

LuSpec default_lu_spec(Context& context, RealType type, Index n, Pivoting pivoting) {
  const bool cpu = pivoting == Pivoting::partial && suits_cpu_kernels(context);
  return default_lu_spec(context.profile(), type, n, cpu ? LuFamily::cpu : LuFamily::gpu);
}

void check_lu_spec(const LuSpec& spec, const DeviceProfile& device, RealType type) {
  if (spec.family == LuFamily::cpu)
    check_cpu(spec);
  else
    check_gpu(spec, device, type);
}

}  // namespace clgauss
