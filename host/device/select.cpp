#include <CL/cl_ext.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <clgauss/device.hpp>
#include <clgauss/error.hpp>

#include "device/device_internal.hpp"
#include "opencl_error.hpp"
#include "suggestion.hpp"

namespace clgauss {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool contains(const std::string& text, const std::string& lower_part) {
  return lower(text).find(lower_part) != std::string::npos;
}

bool platform_matches(const DeviceProfile& device, const std::string& part) {
  return contains(device.platform_name, part) || contains(device.platform_vendor, part) ||
         contains(device.platform_version, part);
}

/// Whether the lower-case `spec`, such as "1:0", "nvidia:h200" or "h200", names `device`.
bool matches(const DeviceProfile& device, const std::string& spec) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string::npos)
    return contains(device.name, spec) || platform_matches(device, spec);
  const std::string platform = spec.substr(0, colon), name = spec.substr(colon + 1);
  const std::size_t own_colon = device.spec.find(':');
  const bool platform_ok = is_number(platform) ? platform == device.spec.substr(0, own_colon)
                                               : platform_matches(device, platform);
  const bool device_ok =
      is_number(name) ? name == device.spec.substr(own_colon + 1) : contains(device.name, name);
  return platform_ok && device_ok;
}

std::string candidates(const std::vector<DeviceProfile>& devices) {
  std::string text;
  for (const DeviceProfile& device : devices)
    text += fmt::format("\n  {:<5} {} ({}, {})", device.spec, device.name, device.platform_name,
                        device_type_name(device.type));
  return text;
}

/// A suggestion for a spec that matches no device. Candidates are the device type words and the
/// words in the devices' names.
std::string suggestion_for(const std::string& spec, const std::vector<DeviceProfile>& devices) {
  std::vector<std::string> known{"auto", "gpu", "cpu", "accel"};
  for (const DeviceProfile& device : devices)
    for (const std::string& name : {device.name, device.platform_name, device.platform_version}) {
      std::string word;
      for (const char c : lower(name) + ' ') {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
          word += c;
          continue;
        }
        if (word.size() > 2) known.push_back(word);
        word.clear();
      }
    }
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string typed = spec.substr(0, colon), meant = nearest_word(typed, known);
  if (meant.empty() || meant == typed) return {};
  return fmt::format(" (did you mean {}{}?)", meant, spec.substr(colon));
}

/// The best device of the types in `order`; empty if there is none. An earlier type is better, then
/// fp64, then the earlier device.
std::optional<std::size_t> best_of_types(const std::vector<DeviceProfile>& devices,
                                         const std::vector<DeviceType>& order) {
  for (const DeviceType type : order)
    for (const bool fp64 : {true, false})
      for (std::size_t i = 0; i < devices.size(); ++i)
        if (devices[i].type == type && devices[i].fp64 == fp64) return i;
  return std::nullopt;
}

/// The types that a type word stands for; empty if `spec` is not a type word.
std::vector<DeviceType> types_of_word(const std::string& spec) {
  using enum DeviceType;
  if (spec == "auto") return {gpu, accelerator, cpu, other};
  if (spec == "gpu") return {gpu};
  if (spec == "cpu") return {cpu};
  if (spec == "accel" || spec == "accelerator") return {accelerator};
  return {};
}

}  // namespace

std::string_view device_type_name(DeviceType type) {
  switch (type) {
    case DeviceType::cpu:
      return "cpu";
    case DeviceType::gpu:
      return "gpu";
    case DeviceType::accelerator:
      return "accelerator";
    case DeviceType::other:
      break;
  }
  return "other";
}

namespace {

constexpr const char* kRusticlHint =
    "Mesa's rusticl shows its devices when RUSTICL_ENABLE names their drivers: "
    "RUSTICL_ENABLE=llvmpipe for this CPU";

bool has_rusticl() {
  return std::ranges::any_of(platform_ids(), [](cl_platform_id platform) {
    std::array<char, 100> name{};
    return clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr) ==
               CL_SUCCESS &&
           contains(name.data(), "rusticl");
  });
}

}  // namespace

std::string no_device_message() {
  const std::string text =
      "no OpenCL device found. Install a driver: on Debian, `apt-get install pocl-opencl-icd` "
      "runs on every CPU, "
      "mesa-opencl-icd and nvidia-opencl-icd on GPUs; `clinfo -l` shows what the loader sees";
  return has_rusticl() ? fmt::format("{}. {}", text, kRusticlHint) : text;
}

std::vector<cl_platform_id> platform_ids() {
  // Without a platform, the loader returns CL_PLATFORM_NOT_FOUND_KHR or a count of 0. That means no
  // device, not a failure.
  cl_uint count = 0;
  const cl_int error = clGetPlatformIDs(0, nullptr, &count);
  if (error == CL_PLATFORM_NOT_FOUND_KHR) return {};
  check_call("clGetPlatformIDs", error);
  std::vector<cl_platform_id> ids(count);
  if (count > 0) check_call("clGetPlatformIDs", clGetPlatformIDs(count, ids.data(), nullptr));
  return ids;
}

std::size_t select_device(const std::vector<DeviceProfile>& devices, std::string_view spec) {
  if (devices.empty()) throw DeviceNotFound(no_device_message());
  const std::string wanted = lower(spec);
  const std::vector<DeviceType> types = types_of_word(wanted);
  std::vector<std::size_t> found;
  if (!types.empty()) {
    if (const auto best = best_of_types(devices, types)) found.push_back(*best);
  } else if (!wanted.empty()) {
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (matches(devices[i], wanted)) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    const bool rusticl = contains(wanted, "rusticl") || contains(wanted, "llvmpipe");
    throw DeviceNotFound(fmt::format("no device matches '{}'{}. There are:{}{}{}", spec,
                                     rusticl ? "" : suggestion_for(wanted, devices),
                                     candidates(devices), rusticl ? "\n" : "",
                                     rusticl ? kRusticlHint : ""));
  }
  std::vector<DeviceProfile> several;
  for (const std::size_t i : found) several.push_back(devices[i]);
  throw DeviceNotFound(fmt::format("'{}' matches {} devices; name one of them by its number:{}",
                                   spec, found.size(), candidates(several)));
}

Device open_device(const std::string& spec) {
  std::vector<Device> devices = list_devices();
  std::vector<DeviceProfile> profiles;
  for (const Device& device : devices) profiles.push_back(device.profile);
  return std::move(devices[select_device(profiles, spec)]);
}

}  // namespace clgauss
