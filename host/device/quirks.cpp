#include "device/quirks.hpp"

#include <CL/cl_ext.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/device.hpp>
#include <clgauss/lab/program.hpp>
#include <cstdlib>

#include "opencl_error.hpp"
#include "operating_system.hpp"

namespace clgauss {

namespace {

struct ComputeCapability {
  unsigned major, minor, cores, local_kib;
};

/// Per compute capability: the fp32 cores of a streaming multiprocessor, and the KiB of local
/// memory that one work-group can use. Sources in the CUDA C++ Programming Guide: "Arithmetic
/// Instructions", results per clock cycle of the 32-bit floating-point add (for 1.x and 2.x its
/// editions up to 8.0); "Technical Specifications", maximum shared memory per thread block.
constexpr ComputeCapability kCapabilities[] = {
    {1, 0, 8, 16},     {1, 1, 8, 16},     {1, 2, 8, 16},    {1, 3, 8, 16},    {2, 0, 32, 48},
    {2, 1, 48, 48},    {3, 0, 192, 48},   {3, 2, 192, 48},  {3, 5, 192, 48},  {3, 7, 192, 48},
    {5, 0, 128, 48},   {5, 2, 128, 48},   {5, 3, 128, 48},  {6, 0, 64, 48},   {6, 1, 128, 48},
    {6, 2, 128, 48},   {7, 0, 64, 96},    {7, 2, 64, 96},   {7, 5, 64, 64},   {8, 0, 64, 163},
    {8, 6, 128, 99},   {8, 7, 128, 163},  {8, 9, 128, 99},  {9, 0, 128, 227}, {10, 0, 128, 227},
    {10, 3, 128, 227}, {11, 0, 128, 227}, {12, 0, 128, 99}, {12, 1, 128, 99}};

const ComputeCapability* capability_of(const VendorAttributes::Nvidia& nvidia) {
  const auto known = std::ranges::find_if(kCapabilities, [&](const ComputeCapability& row) {
    return row.major == nvidia.capability_major && row.minor == nvidia.capability_minor;
  });
  return known == std::end(kCapabilities) ? nullptr : known;
}

CoreCount nvidia_cores(const VendorAttributes::Nvidia& nvidia) {
  const ComputeCapability* known = capability_of(nvidia);
  const std::string capability =
      fmt::format("compute capability {}.{}", nvidia.capability_major, nvidia.capability_minor);
  if (known == nullptr)
    return {{}, capability + " is not in the table; it can be given (cores per compute unit)"};
  return {known->cores, capability + " (CUDA programming guide)"};
}

CoreCount amd_cores(const VendorAttributes::Amd& amd) {
  const unsigned cores = amd.simd_per_compute_unit * amd.simd_width * amd.simd_instruction_width;
  std::string source =
      fmt::format("{} SIMDs x width {} x instruction width {} (AMD attributes)",
                  amd.simd_per_compute_unit, amd.simd_width, amd.simd_instruction_width);
  if (cores == 0) return {{}, source + " are not usable; it can be given (cores per compute unit)"};
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
  if (eus == 0 || compute_units == 0)
    return {{}, source + " are not usable; it can be given (cores per compute unit)"};
  // Rounded, because a part with EUs fused off has fewer compute units than this product has EUs.
  const unsigned eus_per_compute_unit = std::max(1U, (eus + compute_units / 2) / compute_units);
  return {eus_per_compute_unit * lanes, std::move(source)};
}

}  // namespace

std::uint64_t DeviceProfile::static_local_bytes() const {
  const ComputeCapability* known = attributes.nvidia ? capability_of(*attributes.nvidia) : nullptr;
  return std::max<std::uint64_t>(local_mem_bytes, known != nullptr ? known->local_kib * 1024 : 0);
}

std::string DeviceProfile::lacks_ptx(unsigned major) const {
  if (!vendor_kernels) return "vendors' kernels are switched off";
  if (!attributes.nvidia)
    return "it needs NVIDIA's instructions, and the device reports no compute capability";
  if (attributes.nvidia->capability_major >= major) return {};
  return fmt::format("it needs compute capability {}.0, the device has {}.{}", major,
                     attributes.nvidia->capability_major, attributes.nvidia->capability_minor);
}

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
  return {{}, "the vendor has no query for it; it can be given (cores per compute unit)"};
}

void override_cores(DeviceProfile& profile, std::optional<unsigned> cores_per_compute_unit) {
  if (cores_per_compute_unit) profile.cores = {cores_per_compute_unit, "given by the user"};
}

bool has_extension(const std::string& extensions, const std::string& name) {
  return (" " + extensions + " ").find(" " + name + " ") != std::string::npos;
}

VendorAttributes query_attributes(const cl::Device& device, const std::string& extensions) {
  const auto number = [&](cl_device_info what) { return query_or<cl_uint>(device, what, 0); };
  VendorAttributes attributes;
  if (has_extension(extensions, "cl_nv_device_attribute_query"))
    attributes.nvidia = {number(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV),
                         number(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV)};
  if (has_extension(extensions, "cl_amd_device_attribute_query"))
    attributes.amd = {number(CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD), number(CL_DEVICE_SIMD_WIDTH_AMD),
                      number(CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD)};
  if (has_extension(extensions, "cl_intel_device_attribute_query"))
    attributes.intel = {number(CL_DEVICE_IP_VERSION_INTEL), number(CL_DEVICE_NUM_SLICES_INTEL),
                        number(CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL),
                        number(CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL)};
  return attributes;
}

std::size_t kernel_work_group_limit(const Kernel& kernel, const cl::Device& device) {
  const auto limit = kernel.handle.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
  const auto platform =
      cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>();
  const bool is_preference = (platform == "NVIDIA CUDA" && limit == 256) ||
                             (platform == "rusticl" && limit == kernel.preferred_multiple);
  return is_preference ? device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() : limit;
}

namespace {

std::string platform_of(const cl::Device& device) {
  return cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>();
}

}  // namespace

bool driver_keeps_programs(const cl::Device& device) {
  return platform_of(device) == "Portable Computing Language";
}

bool driver_builds_side_by_side(const cl::Device& device) {
  return platform_of(device) != "Oclgrind";
}

bool driver_builds_one_by_one(const cl::Device& device) {
  return platform_of(device) == "NVIDIA CUDA";
}

bool driver_compiler_crashes(const cl::Device& device) {
  return platform_of(device) == "Portable Computing Language" &&
         device.getInfo<CL_DRIVER_VERSION>().starts_with("5.");
}

void set_driver_environment() {
  if (operating_system::has_first_cores()) setenv("POCL_AFFINITY", "1", 0);
}

bool gains_by_look_ahead(const DeviceProfile& device) {
  return device.lacks_ptx().empty() && device.attributes.nvidia->capability_major == 9;
}

void expect_two_queues() { setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0); }

}  // namespace clgauss
