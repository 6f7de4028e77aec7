#pragma once
/// Device profiles from data/devices, so that what depends on a device can be tested without it.

#include <clgauss/device.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/paths.hpp"

namespace clgauss::test {

struct RecordedProfile {
  DeviceProfile profile;
  std::size_t kernel_multiple = 0;
  std::size_t kernel_limit = 0;
};

inline VendorAttributes attributes_from(const nlohmann::json& json) {
  const auto number = [](const nlohmann::json& from, const char* key) {
    return from.at(key).get<unsigned>();
  };
  VendorAttributes attributes;
  if (json.contains("nvidia")) {
    const auto& nvidia = json["nvidia"];
    attributes.nvidia = {number(nvidia, "capability_major"), number(nvidia, "capability_minor")};
  }
  if (json.contains("amd")) {
    const auto& amd = json["amd"];
    attributes.amd = {number(amd, "simd_per_compute_unit"), number(amd, "simd_width"),
                      number(amd, "simd_instruction_width")};
  }
  if (json.contains("intel")) {
    const auto& intel = json["intel"];
    attributes.intel = {number(intel, "ip_version"), number(intel, "slices"),
                        number(intel, "sub_slices_per_slice"), number(intel, "eus_per_sub_slice")};
  }
  return attributes;
}

/// Reads data/devices/`name`.json and counts the cores as for a device that is present.
inline RecordedProfile recorded_profile(const std::string& name) {
  const auto json =
      nlohmann::json::parse(std::ifstream(data_folder() / "devices" / (name + ".json")));
  RecordedProfile recorded;
  DeviceProfile& profile = recorded.profile;
  profile.platform_name = json.at("platform");
  profile.name = json.at("name");
  profile.vendor = json.at("vendor");
  profile.type = json.at("type") == "gpu" ? DeviceType::gpu : DeviceType::cpu;
  profile.compute_units = json.at("compute_units");
  profile.max_work_group_size = json.at("max_work_group_size");
  profile.preferred_multiple = json.at("preferred_multiple");
  profile.fp64 = json.at("fp64");
  profile.attributes = attributes_from(json.at("attributes"));
  profile.cores = count_cores(profile);
  recorded.kernel_multiple = json.at("preferred_multiple");
  recorded.kernel_limit = json.at("kernel_work_group_limit");
  return recorded;
}

}  // namespace clgauss::test
