#pragma once
/// What OpenCL devices there are, how one is chosen, and what each is: its limits and its number of
/// cores.

#include <array>
#include <clgauss/export.hpp>
#include <clgauss/opencl.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

enum class DeviceType { cpu, gpu, accelerator, other };
[[nodiscard]] std::string_view device_type_name(DeviceType type);

/// Cores of one compute unit, which are processing elements that do one fp32 operation per cycle.
/// OpenCL has no query for it.
struct CoreCount {
  std::optional<unsigned> per_compute_unit;  // empty: unknown
  std::string source;                        // where the number comes from, or why it is unknown
};

/// The results of vendor-specific attribute queries; empty if the device lacks the extension.
struct VendorAttributes {
  struct Nvidia {
    unsigned capability_major, capability_minor;
  };
  struct Amd {
    unsigned simd_per_compute_unit, simd_width, simd_instruction_width;
  };
  struct Intel {
    unsigned ip_version, slices, sub_slices_per_slice, eus_per_sub_slice;
  };
  std::optional<Nvidia> nvidia;  // cl_nv_device_attribute_query
  std::optional<Amd> amd;        // cl_amd_device_attribute_query
  std::optional<Intel> intel;    // cl_intel_device_attribute_query
};

/// How fast a device computes in f32 and in f64.
struct ArithmeticRates {
  double f32 = 0, f64 = 0;  // multiply-adds per second; both 0 if pretended()
  /// How many times as fast f32 is, rounded to a power of two from 1 to 64, so that measurement
  /// noise rarely changes it.
  unsigned ratio = 1;

  [[nodiscard]] static ArithmeticRates of(double f32, double f64);
  [[nodiscard]] bool pretended() const { return f64 == 0; }
};

/// Everything that clgauss needs to know about a device, as plain data. It can be recorded, and
/// read without the device.
struct DeviceProfile {
  std::string spec;  // "platform:device" in the ICD loader's numbering, as clinfo counts
  std::string platform_name, platform_vendor, platform_version;
  std::string name, vendor, driver_version, opencl_version;
  DeviceType type = DeviceType::other;
  unsigned compute_units = 0;
  CoreCount cores;
  std::size_t max_work_group_size = 0;
  std::array<std::size_t, 3> max_work_item_sizes{};
  std::size_t preferred_multiple = 0;  // of the device (OpenCL 3.0); 0 if unknown
  std::uint64_t local_mem_bytes = 0;
  std::uint64_t global_mem_bytes = 0;
  std::uint64_t max_alloc_bytes = 0;
  std::size_t native_vector_bytes = 0;  // preferred size of f32 vectors on CPUs
  bool host_unified_memory = false;     // device and host share one memory
  bool fp64 = false;
  bool fast_fma = false;       // fma() in f32 is a single instruction
  bool int64_atomics = false;  // on global memory (cl_khr_int64_base_atomics)
  bool device_fences = false;  // OpenCL C 3.0's acquire and release reach all work-groups
  bool vendor_kernels = true;  // false: vendor-specific kernels are off
  std::optional<unsigned> pretended_ratio;  // see ContextOptions
  VendorAttributes attributes;

  /// Bytes that the static local arrays of a kernel may use: what the device reports. If it reports
  /// a compute capability, the larger size that NVIDIA's driver is known to support. The self-test
  /// of a kernel shows whether it works with that much.
  [[nodiscard]] std::uint64_t static_local_bytes() const;

  /// Why the device cannot run a kernel with inline PTX instructions of compute capability
  /// `major`.0 (redux.sync, cp.async and mma in tf32: 8; shfl.sync: 3); empty if it may.
  [[nodiscard]] std::string lacks_ptx(unsigned major = 8) const;

  /// Cores of the whole device; empty if the cores per compute unit are unknown.
  [[nodiscard]] std::optional<std::size_t> total_cores() const;
};

/// Cores per compute unit: by compute capability on NVIDIA, SIMD attributes on AMD, EU counts on
/// Intel, 1 on a CPU.
[[nodiscard]] CoreCount count_cores(const DeviceProfile& profile);

/// The same, but the user's own number (`--cores-per-cu`) takes precedence.
void override_cores(DeviceProfile& profile, std::optional<unsigned> cores_per_compute_unit);

/// A device that is present.
struct Device {
  cl::Device handle;
  DeviceProfile profile;
};

/// Sets driver options that improve speed, unless the environment sets them. A program should call
/// it before any OpenCL call. No function in clgauss calls it, because a library must not change
/// its host's environment.
///
/// POCL_AFFINITY=1: PoCL pins its workers to cores. Otherwise the scheduler often places two of
/// them on one core (LU of n = 1000 on 2 cores: 1.4 times slower in f32, 1.65 in f64). Not set if
/// the process may not use the cores 0, 1, 2 .., because PoCL ends the process when a core is
/// refused.
void set_driver_environment();

/// Every device of every platform, in the loader's order; empty if there is none. Platforms without
/// devices are skipped.
[[nodiscard]] std::vector<Device> list_devices();

/// The message for a user whose machine has no OpenCL device.
[[nodiscard]] std::string no_device_message();

/// Index into `devices` of the one that `spec` names. The specs, in upper or lower case:
///   auto           the first GPU, else accelerator, else CPU; one with fp64 before one without
///   gpu cpu accel  the same among devices of that type
///   1:0            platform 1, device 0, as `clgauss devices` prints them
///   nvidia:h200    a part of the platform's name, vendor or version, and a part of the device's
///                  name; either may be empty
///   h200           a part of any of these names
/// Throws DeviceNotFound, with the candidates, if no device or more than one matches.
[[nodiscard]] std::size_t select_device(const std::vector<DeviceProfile>& devices,
                                        std::string_view spec);

/// Calls list_devices() and select_device().
[[nodiscard]] Device open_device(const std::string& spec = "auto");

}  // namespace clgauss
