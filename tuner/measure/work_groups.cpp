#include "tuner/measure/work_groups.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>

namespace clgauss::tune {

void require_local_memory(const DeviceProfile& device, std::uint64_t bytes,
                          const std::string& what) {
  if (bytes > device.static_local_bytes())
    throw DeviceLimit(fmt::format("{} needs {} bytes of local memory; {} has {}", what, bytes,
                                  device.name, device.static_local_bytes()));
}

void require_group(const DeviceProfile& device, const Kernel& kernel,
                   std::array<std::size_t, 2> local) {
  const auto require = [&](std::size_t size, const char* limit, std::size_t value) {
    if (size > value)
      throw DeviceLimit(fmt::format("{}: a work-group of {} x {} is above {} = {} on {}",
                                    kernel.name, local[0], local[1], limit, value, device.name));
  };
  const std::size_t size = local[0] * local[1];
  require(size, "CL_DEVICE_MAX_WORK_GROUP_SIZE", device.max_work_group_size);
  require(local[0], "CL_DEVICE_MAX_WORK_ITEM_SIZES[0]", device.max_work_item_sizes[0]);
  require(local[1], "CL_DEVICE_MAX_WORK_ITEM_SIZES[1]", device.max_work_item_sizes[1]);
  require(size, "CL_KERNEL_WORK_GROUP_SIZE", kernel.work_group_limit);
}

}  // namespace clgauss::tune
