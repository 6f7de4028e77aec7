#pragma once
/// The devices that the device and solver tests run on: all that are present.

#include <doctest/doctest.h>

#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/program.hpp>
#include <functional>
#include <string_view>

#include "support/thorough.hpp"

namespace clgauss::test {

/// Whether large systems are left out on a device: a CPU whose driver runs work-items in lockstep
/// (llvmpipe) takes 50 times as long.
[[nodiscard]] inline bool is_slow(Context& context) {
  return !thorough() && context.profile().type == DeviceType::cpu && !context.runs_long_loops();
}

/// A context in which kernels fail as `faults` says, for parse_kernel_faults().
[[nodiscard]] inline Context context_with_faults(const Device& device, std::string_view faults) {
  ContextOptions options = ContextOptions::from_environment();
  options.kernel_faults = parse_kernel_faults(faults);
  return Context(device, options);
}

/// Decorates a solver test that runs on slow devices as well where not all is asked for: those that
/// between them launch every kernel. The tests of kernels by themselves, in tests/device, always
/// do.
inline const doctest::description also_on_slow_devices("also on slow devices");

/// Whether the test that runs leaves slow devices out, see is_slow().
inline bool leaves_slow_devices_out() {
  const doctest::TestCaseData& now = *doctest::getContextOptions()->currentTest;
  return !thorough() && now.m_description == nullptr &&
         std::string_view(now.m_file.c_str()).find("/solver/") != std::string_view::npos;
}

/// Runs `body` on every device, with the device in each failure's message. No device at all is a
/// failure, not a skip.
inline void on_every_device(const std::function<void(const Device&)>& body) {
  const std::vector<Device> devices = list_devices();
  REQUIRE_FALSE(devices.empty());
  for (const Device& device : devices) {
    if (leaves_slow_devices_out()) {
      Context context(device, ContextOptions::from_environment());
      if (is_slow(context)) continue;
    }
    CAPTURE(device.profile.platform_name);
    CAPTURE(device.profile.name);
    body(device);
  }
}

/// The types that `device` can solve in.
inline std::vector<RealType> types_of(const DeviceProfile& device) {
  if (device.fp64) return {RealType::f32, RealType::f64};
  return {RealType::f32};
}

}  // namespace clgauss::test
