#pragma once
/// Vendor-specific properties and bugs of devices and drivers. Only quirks.cpp checks the vendor of
/// a device.

#include <CL/opencl.hpp>
#include <clgauss/device.hpp>
#include <cstddef>
#include <string>

#include "opencl_error.hpp"

namespace clgauss {

struct Kernel;

/// The value of a query that a device may not support. An unsupported query returns `fallback`; any
/// other failure throws cl::Error.
template <typename T>
T query_or(const cl::Device& device, cl_device_info what, T fallback) {
  T value{};
  const cl_int error = clGetDeviceInfo(device(), what, sizeof value, &value, nullptr);
  if (error == CL_INVALID_VALUE) return fallback;
  check_call("clGetDeviceInfo", error);
  return value;
}

/// Whether the device's extension list `extensions` contains `name`.
[[nodiscard]] bool has_extension(const std::string& extensions, const std::string& name);

/// The vendor-specific attributes of a device with these extensions.
[[nodiscard]] VendorAttributes query_attributes(const cl::Device& device,
                                                const std::string& extensions);

/// CL_KERNEL_WORK_GROUP_SIZE, corrected for two drivers. They return a preferred size instead of
/// the limit, yet correctly run every group up to the device's limit. NVIDIA's returns 256 for any
/// kernel without a required size (an H200 runs 1024). Mesa's rusticl 22.3 returns the preferred
/// multiple, 32 (llvmpipe runs 1024). For these two, the result is the device's limit.
[[nodiscard]] std::size_t kernel_work_group_limit(const Kernel& kernel, const cl::Device& device);

/// Whether the driver caches its own builds. PoCL does. To return a binary, it would also compile
/// every kernel a second time, for no particular work-group size: half of a first start.
[[nodiscard]] bool driver_keeps_programs(const cl::Device& device);

/// Whether several threads may build at once. Oclgrind's compiler shares its state between threads:
/// two simultaneous clBuildProgram calls corrupt its heap. That happens as soon as a program needs
/// several kernels together.
[[nodiscard]] bool driver_builds_side_by_side(const cl::Device& device);

/// Whether the driver builds the programs of one process one at a time, whichever thread asks.
/// NVIDIA's compiler does: 13 s for the 20 programs of a first LU on an H100. Four processes that
/// built the same programs at once took as long as one alone. (Mesa's and Intel's compilers use all
/// threads.)
[[nodiscard]] bool driver_builds_one_by_one(const cl::Device& device);

/// Whether the driver's compiler is known to end the process over some kernels: that of PoCL 5 does
/// so by an assertion, over two of clgauss's.
[[nodiscard]] bool driver_compiler_crashes(const cl::Device& device);

/// Whether look-ahead, which factors a panel during the preceding update, makes an LU faster. No
/// query tells, so the answer rests on measurements on an H200: true for NVIDIA devices of compute
/// capability 9 that accept inline PTX.
[[nodiscard]] bool gains_by_look_ahead(const DeviceProfile& device);

/// For a program with a single context and at most two busy queues (an LU runs panels beside
/// updates): sets CUDA_DEVICE_MAX_CONNECTIONS=2 unless the environment sets it. NVIDIA's driver
/// otherwise opens 8 connections to a device. With 2, a warm `clgauss solve` of n = 1000 takes 0.25
/// s instead of 0.35 on an H100, and LU takes as long as before. With 1, the two queues wait for
/// each other: LU of n = 8192 takes 1.45 times as long. Call it before any OpenCL call.
void expect_two_queues();

}  // namespace clgauss
