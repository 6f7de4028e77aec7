#include <fmt/format.h>

#include <algorithm>
#include <clgauss/device.hpp>

namespace clgauss {

namespace {

struct CapabilityCores {
  unsigned major, minor, cores;
};

/// fp32 cores of a streaming multiprocessor by compute capability: CUDA C++ Programming Guide,
/// "Arithmetic Instructions" (results per clock cycle, 32-bit floating-point add), for
/// capability 1.x and 2.x its editions up to 8.0.
constexpr CapabilityCores kNvidiaCores[] = {
    {1, 0, 8},    {1, 1, 8},    {1, 2, 8},    {1, 3, 8},    {2, 0, 32},  {2, 1, 48},
    {3, 0, 192},  {3, 2, 192},  {3, 5, 192},  {3, 7, 192},  {5, 0, 128}, {5, 2, 128},
    {5, 3, 128},  {6, 0, 64},   {6, 1, 128},  {6, 2, 128},  {7, 0, 64},  {7, 2, 64},
    {7, 5, 64},   {8, 0, 64},   {8, 6, 128},  {8, 7, 128},  {8, 9, 128}, {9, 0, 128},
    {10, 0, 128}, {10, 3, 128}, {11, 0, 128}, {12, 0, 128}, {12, 1, 128}};

CoreCount nvidia_cores(const VendorAttributes::Nvidia& nvidia) {
  const auto known = std::ranges::find_if(kNvidiaCores, [&](const CapabilityCores& row) {
    return row.major == nvidia.capability_major && row.minor == nvidia.capability_minor;
  });
  const std::string capability =
      fmt::format("compute capability {}.{}", nvidia.capability_major, nvidia.capability_minor);
  if (known == std::end(kNvidiaCores))
    return {{}, capability + " is not in the table; give --cores-per-cu"};
  return {known->cores, capability + " (CUDA programming guide)"};
}

CoreCount amd_cores(const VendorAttributes::Amd& amd) {
  const unsigned cores = amd.simd_per_compute_unit * amd.simd_width * amd.simd_instruction_width;
  std::string source =
      fmt::format("{} SIMDs x width {} x instruction width {} (AMD attributes)",
                  amd.simd_per_compute_unit, amd.simd_width, amd.simd_instruction_width);
  if (cores == 0) return {{}, source + " are not usable; give --cores-per-cu"};
  return {cores, std::move(source)};
}

/// fp32 lanes of one EU: 8 up to Xe-LPG, 16 on Xe-HPC (12.60 .. 12.69) and from Xe2 (20.x) on. The
/// IP version holds the major number in bits 22..31 and the minor one in bits 14..21
/// (cl_intel_device_attribute_query).
unsigned intel_lanes(unsigned ip_version) {
  const unsigned major = ip_version >> 22U;
  const unsigned minor = (ip_version >> 14U) & 0xFFU;
  const bool wide = major >= 20 || (major == 12 && minor >= 60 && minor < 70);
  return wide ? 16 : 8;
}

CoreCount intel_cores(const VendorAttributes::Intel& intel, unsigned compute_units) {
  const unsigned eus = intel.slices * intel.sub_slices_per_slice * intel.eus_per_sub_slice;
  const unsigned lanes = intel_lanes(intel.ip_version);
  std::string source =
      fmt::format("{} x {} x {} EUs of {} lanes, {} compute units (Intel attributes)", intel.slices,
                  intel.sub_slices_per_slice, intel.eus_per_sub_slice, lanes, compute_units);
  if (eus == 0 || compute_units == 0) return {{}, source + " are not usable; give --cores-per-cu"};
  // Rounded, because a part with EUs fused off has fewer compute units than this product has EUs.
  const unsigned eus_per_compute_unit = std::max(1U, (eus + compute_units / 2) / compute_units);
  return {eus_per_compute_unit * lanes, std::move(source)};
}

}  // namespace

std::optional<std::size_t> DeviceProfile::total_cores() const {
  if (!cores.per_compute_unit) return std::nullopt;
  return std::size_t{*cores.per_compute_unit} * compute_units;
}

CoreCount count_cores(const DeviceProfile& profile) {
  const VendorAttributes& attributes = profile.attributes;
  if (attributes.nvidia) return nvidia_cores(*attributes.nvidia);
  if (attributes.amd) return amd_cores(*attributes.amd);
  if (attributes.intel && profile.type == DeviceType::gpu)
    return intel_cores(*attributes.intel, profile.compute_units);
  if (profile.type == DeviceType::cpu) return {1, "a CPU's compute unit is one core"};
  return {{}, "the vendor has no query for it; give --cores-per-cu"};
}

void override_cores(DeviceProfile& profile, std::optional<unsigned> cores_per_compute_unit) {
  if (cores_per_compute_unit) profile.cores = {cores_per_compute_unit, "given by the user"};
}

}  // namespace clgauss
