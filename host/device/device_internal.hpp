#pragma once
/// Shared by host/device and the context: the profile of a device, and the list of platforms.

#include <clgauss/device.hpp>
#include <vector>

namespace clgauss {

/// Every platform that the ICD loader knows. If it knows none, the list is empty; that is no error.
[[nodiscard]] std::vector<cl_platform_id> platform_ids();

/// Queries all properties of a device. Throws cl::Error if a required query fails.
[[nodiscard]] DeviceProfile query_profile(const cl::Device& device, std::string spec);

}  // namespace clgauss
