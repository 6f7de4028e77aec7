#pragma once
/// Shared by host/device and the context: the profile of one device, and the platforms.

#include <clgauss/device.hpp>
#include <vector>

namespace clgauss {

/// Every platform that the ICD loader knows; empty (not an error) when it knows none.
[[nodiscard]] std::vector<cl_platform_id> platform_ids();

/// All that is asked of a device. Throws cl::Error if the device answers none of the required
/// queries.
[[nodiscard]] DeviceProfile query_profile(const cl::Device& device, std::string spec);

}  // namespace clgauss
