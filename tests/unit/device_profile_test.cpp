#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "support/recorded_profiles.hpp"

using namespace clgauss;
using clgauss::test::recorded_profile;

TEST_CASE("cores and LCM rule of recorded devices are the published ones") {
  struct Expected {
    std::string device;
    unsigned cores_per_compute_unit;
    std::size_t total_cores, raw, clamped;
  };
  const Expected table[] = {
      {"gt_555m", 48, 144, 192, 192},     // Baranov and Vlatskaya 2013: rule 192, measured best 192
      {"gtx_770", 192, 1536, 1728, 960},  // 8 SMX of 192 cores
      {"h200", 128, 16896, 17024, 1024},  // 132 x 128
      {"rx_7900_xtx", 128, 6144, 6272, 256},  // 6144 stream processors
      {"mi250x", 64, 7040, 7104, 256},        // 7040 a die
      {"arc_a770", 8, 4096, 4160, 1024},      // 4096 shading units
      {"pocl", 1, 2, 8, 8},
      {"rusticl", 1, 8, 32, 32},
  };
  for (const Expected& expected : table) {
    CAPTURE(expected.device);
    const auto recorded = recorded_profile(expected.device);
    const DeviceProfile& profile = recorded.profile;
    CHECK(profile.cores.per_compute_unit == expected.cores_per_compute_unit);
    CHECK(profile.total_cores() == expected.total_cores);
    CHECK_FALSE(profile.cores.source.empty());
    const LcmRule rule = lcm_rule({profile.total_cores(), profile.compute_units,
                                   recorded.kernel_multiple, recorded.kernel_limit});
    CHECK(rule.raw == expected.raw);
    CHECK(rule.clamped == expected.clamped);
  }
}

TEST_CASE("cores are unknown, with advice, where no query tells them") {
  DeviceProfile profile = recorded_profile("h200").profile;
  SUBCASE("a compute capability that is not in the table") { profile.attributes.nvidia = {99, 7}; }
  SUBCASE("a GPU without a vendor's attributes") { profile.attributes.nvidia.reset(); }
  SUBCASE("AMD attributes that are zero") {
    profile.attributes.nvidia.reset();
    profile.attributes.amd = {0, 0, 0};
  }
  SUBCASE("Intel attributes that are zero") {
    profile.attributes.nvidia.reset();
    profile.attributes.intel = {0, 0, 0, 0};
  }
  profile.cores = count_cores(profile);
  CHECK_FALSE(profile.cores.per_compute_unit.has_value());
  CHECK_FALSE(profile.total_cores().has_value());
  CHECK(profile.cores.source.find("--cores-per-cu") != std::string::npos);
}

TEST_CASE("Intel lanes follow the IP version, and fused-off EUs do not lower them") {
  DeviceProfile profile = recorded_profile("arc_a770").profile;
  const auto cores = [&](unsigned major, unsigned minor, unsigned sub_slices,
                         unsigned compute_units) {
    profile.attributes.intel = {major << 22U | minor << 14U, 1, sub_slices, 16};
    profile.compute_units = compute_units;
    return count_cores(profile).per_compute_unit;
  };
  CHECK(cores(12, 60, 64, 1024) == 16U);  // Xe-HPC
  CHECK(cores(12, 71, 8, 128) == 8U);     // Xe-LPG
  CHECK(cores(20, 1, 4, 64) == 16U);      // Xe2
  CHECK(cores(12, 1, 6, 80) == 8U);       // 96 EUs, 80 in use
}

TEST_CASE("the user's number of cores outranks the device's") {
  DeviceProfile profile = recorded_profile("pocl").profile;
  override_cores(profile, std::nullopt);
  CHECK(profile.cores.per_compute_unit == 1U);
  override_cores(profile, 16);
  CHECK(profile.total_cores() == 32U);
  CHECK(profile.cores.source == "given by the user");
}

namespace {

/// Two GPUs of one kind, a CPU with fp64 and one without; with the specs that list_devices() would
/// give them.
std::vector<DeviceProfile> machine() {
  std::vector<DeviceProfile> devices{
      recorded_profile("rusticl").profile, recorded_profile("pocl").profile,
      recorded_profile("h200").profile, recorded_profile("h200").profile};
  devices[0].spec = "0:0";
  devices[1].spec = "2:0";
  devices[1].platform_version = "OpenCL 3.0 PoCL 3.1+debian";
  devices[2].spec = "3:0";
  devices[3].spec = "3:1";
  return devices;
}

std::string failure_of(const std::vector<DeviceProfile>& devices, const std::string& spec) {
  try {
    (void)select_device(devices, spec);
  } catch (const DeviceNotFound& error) {
    CHECK(error.exit_code() == ExitCode::no_device);
    return error.what();
  }
  return "no failure";
}

}  // namespace

TEST_CASE("a device spec finds its device") {
  const auto devices = machine();
  CHECK(select_device(devices, "auto") == 2);
  CHECK(select_device(devices, "AUTO") == 2);
  CHECK(select_device(devices, "gpu") == 2);
  CHECK(select_device(devices, "cpu") == 1);  // fp64 before the order
  CHECK(select_device(devices, "3:1") == 3);
  CHECK(select_device(devices, "0:0") == 0);
  CHECK(select_device(devices, "nvidia:1") == 3);
  CHECK(select_device(devices, "RustiCL:llvm") == 0);
  CHECK(select_device(devices, "llvmpipe") == 0);
  CHECK(select_device(devices, "pocl") == 1);
  CHECK(select_device(devices, "2:") == 1);
  CHECK(select_device(devices, ":epyc") == 1);
}

TEST_CASE("auto falls back from GPU to accelerator to CPU") {
  auto devices = machine();
  devices.resize(2);
  CHECK(select_device(devices, "auto") == 1);
  devices[0].type = DeviceType::accelerator;
  CHECK(select_device(devices, "auto") == 0);
  CHECK(select_device(devices, "accel") == 0);
}

TEST_CASE("no match and an ambiguous one name the candidates") {
  const auto devices = machine();
  const std::string ambiguous = failure_of(devices, "nvidia:h200");
  CHECK(ambiguous.find("3:0") != std::string::npos);
  CHECK(ambiguous.find("3:1") != std::string::npos);
  CHECK(ambiguous.find("llvmpipe") == std::string::npos);
  for (const std::string spec : {"radeon", "1:0", "3:7", "nvidia:a100", "accel", "99"}) {
    CAPTURE(spec);
    const std::string none = failure_of(devices, spec);
    CHECK(none.find("no device matches") != std::string::npos);
    CHECK(none.find("llvmpipe") != std::string::npos);
  }
  CHECK(failure_of({}, "auto").find("pocl-opencl-icd") != std::string::npos);
}
