#pragma once
/// Work-groups: how many cover a length, and whether a device allows them.

#include <array>
#include <clgauss/device.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <string>

namespace clgauss::tune {

/// ceil(n / size): groups that cover n.
[[nodiscard]] inline std::size_t groups_for(Index n, std::size_t size) {
  return (n + size - 1) / size;
}

/// Throws DeviceLimit if the device has less local memory than `bytes` for `what`. NVIDIA's driver
/// takes more than it reports (48 KiB), so there the attempt decides.
void require_local_memory(const DeviceProfile& device, std::uint64_t bytes,
                          const std::string& what);

/// Throws DeviceLimit, naming the limit, if the device forbids this kernel groups of `local`.
void require_group(const DeviceProfile& device, const Kernel& kernel,
                   std::array<std::size_t, 2> local);

}  // namespace clgauss::tune
