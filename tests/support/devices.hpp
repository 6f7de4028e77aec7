#pragma once
/// The devices that the device and solver tests run on: all that are present.

#include <doctest/doctest.h>

#include <clgauss/lab/gauss.hpp>
#include <functional>

namespace clgauss::test {

/// Runs `body` on every device, with the device in each failure's message. No device at all is a
/// failure, not a skip.
inline void on_every_device(const std::function<void(const Device&)>& body) {
  const std::vector<Device> devices = list_devices();
  REQUIRE_FALSE(devices.empty());
  for (const Device& device : devices) {
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
