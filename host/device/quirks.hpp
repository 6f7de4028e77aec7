#pragma once
/// What only some vendors' devices and drivers have, do or get wrong. Nothing outside quirks.cpp
/// asks who made a device.

#include <CL/opencl.hpp>
#include <clgauss/device.hpp>
#include <cstddef>
#include <string>

#include "opencl_error.hpp"

namespace clgauss {

struct Kernel;

/// The value of a query that a device may not know: an unknown query gives `fallback`, one that
/// fails throws cl::Error.
template <typename T>
T query_or(const cl::Device& device, cl_device_info what, T fallback) {
  T value{};
  const cl_int error = clGetDeviceInfo(device(), what, sizeof value, &value, nullptr);
  if (error == CL_INVALID_VALUE) return fallback;
  check_call("clGetDeviceInfo", error);
  return value;
}

/// Whether `extensions`, a list as devices give it, names `name`.
[[nodiscard]] bool has_extension(const std::string& extensions, const std::string& name);

/// The vendors' own attributes of a device with these extensions.
[[nodiscard]] VendorAttributes query_attributes(const cl::Device& device,
                                                const std::string& extensions);

/// CL_KERNEL_WORK_GROUP_SIZE, but for two drivers that answer with a preference instead of a limit
/// and run, rightly, every group up to the device's limit: NVIDIA's says 256 for any kernel without
/// a required size (an H200 runs 1024), Mesa's rusticl 22.3 the preferred multiple, 32 (llvmpipe
/// runs 1024). There the device's limit is the kernel's.
[[nodiscard]] std::size_t kernel_work_group_limit(const Kernel& kernel, const cl::Device& device);

/// PoCL keeps what it built itself, and would compile every kernel a second time, for no work-group
/// size in particular, to give its binary: half of a first start.
[[nodiscard]] bool driver_keeps_programs(const cl::Device& device);

/// Oclgrind's compiler shares its state between threads: two clBuildProgram at once corrupt its
/// heap, as soon as a program needs several kernels together.
[[nodiscard]] bool driver_builds_side_by_side(const cl::Device& device);

/// NVIDIA's compiler takes the programs of a process one after the other, whichever thread asks: 13
/// s for the 20 of a first LU on an H100. Four processes that built the same at once took as long
/// as one alone did. (Mesa's and Intel's build by all threads.)
[[nodiscard]] bool driver_builds_one_by_one(const cl::Device& device);

/// Whether an LU gains where panels are factored beside the update before them. No query tells: it
/// was measured on an H200, and goes for NVIDIA's devices of compute capability 9 that take inline
/// PTX.
[[nodiscard]] bool gains_by_look_ahead(const DeviceProfile& device);

/// For a program that has one context, whose work is in two queues at most (an LU's panels go
/// beside its updates): sets CUDA_DEVICE_MAX_CONNECTIONS=2 where the environment does not set it.
/// NVIDIA's driver makes 8 connections to a device by itself; with 2 a warm `clgauss solve` of n =
/// 1000 takes 0.25 s instead of 0.35 on an H100, and LU as long as before. (With 1 the two queues
/// wait for each other: LU of n = 8192 1.45 times slower.) To be called before anything else of
/// OpenCL.
void expect_two_queues();

}  // namespace clgauss
