#include <algorithm>
#include <cctype>
#include <clgauss/device.hpp>

#include "device/device_internal.hpp"
#include "device/quirks.hpp"
#include "device/signal_handlers.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// Some drivers pad their strings with zeros or blanks. clinfo trims them too.
std::string trimmed(std::string text) {
  while (!text.empty() &&
         (text.back() == '\0' || std::isspace(static_cast<unsigned char>(text.back()))))
    text.pop_back();
  const auto first = std::ranges::find_if_not(
      text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  text.erase(text.begin(), first);
  return text;
}

DeviceType type_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceType::gpu;
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return DeviceType::accelerator;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceType::cpu;
  return DeviceType::other;
}

std::vector<cl_device_id> device_ids(cl_platform_id platform) {
  // A platform without devices returns CL_DEVICE_NOT_FOUND; on a plain Debian two of three do.
  cl_uint count = 0;
  const cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (error == CL_DEVICE_NOT_FOUND) return {};
  check_call("clGetDeviceIDs", error);
  std::vector<cl_device_id> ids(count);
  check_call("clGetDeviceIDs",
             clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr));
  return ids;
}

}  // namespace

DeviceProfile query_profile(const cl::Device& device, std::string spec) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  DeviceProfile profile;
  profile.spec = std::move(spec);
  profile.platform_name = trimmed(platform.getInfo<CL_PLATFORM_NAME>());
  profile.platform_vendor = trimmed(platform.getInfo<CL_PLATFORM_VENDOR>());
  profile.platform_version = trimmed(platform.getInfo<CL_PLATFORM_VERSION>());
  profile.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
  profile.vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>());
  profile.driver_version = trimmed(device.getInfo<CL_DRIVER_VERSION>());
  profile.opencl_version = trimmed(device.getInfo<CL_DEVICE_VERSION>());
  profile.type = type_of(device.getInfo<CL_DEVICE_TYPE>());
  profile.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  profile.max_work_group_size = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  const auto sizes = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  std::copy_n(sizes.begin(), std::min<std::size_t>(sizes.size(), 3),
              profile.max_work_item_sizes.begin());
  profile.preferred_multiple =
      query_or<std::size_t>(device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 0);
  profile.local_mem_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  profile.global_mem_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  profile.max_alloc_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  profile.native_vector_bytes =
      sizeof(cl_float) * query_or<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 0);
  profile.host_unified_memory =
      query_or<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) == CL_TRUE;
  profile.fast_fma =
      (query_or<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG, 0) & CL_FP_FMA) != 0;
  // A device that does not know this query supports fp64 if it has the extension.
  profile.fp64 =
      query_or<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG,
                                    has_extension(extensions, "cl_khr_fp64") ? 1 : 0) != 0;
  profile.int64_atomics = has_extension(extensions, "cl_khr_int64_base_atomics");
  constexpr cl_device_atomic_capabilities kDeviceFences =
      CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  profile.device_fences =
      (query_or<cl_device_atomic_capabilities>(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 0) &
       kDeviceFences) == kDeviceFences;
  profile.attributes = query_attributes(device, extensions);
  profile.cores = count_cores(profile);
  return profile;
}

std::vector<Device> list_devices() {
  const KeptSignalHandlers handlers;
  return translate_opencl_errors([] {
    std::vector<Device> found;
    const std::vector<cl_platform_id> platforms = platform_ids();
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      const std::vector<cl_device_id> ids = device_ids(platforms[p]);
      for (std::size_t d = 0; d < ids.size(); ++d) {
        cl::Device device(ids[d], true);
        DeviceProfile profile = query_profile(device, std::to_string(p) + ":" + std::to_string(d));
        found.push_back({std::move(device), std::move(profile)});
      }
    }
    return found;
  });
}

}  // namespace clgauss
