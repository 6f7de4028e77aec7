#pragma once
/// A device opened for work: OpenCL context, in-order command queue, built programs.

#include <clgauss/device.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/kernel_trials.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/lab/tuned.hpp>
#include <clgauss/opencl.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace CLGAUSS_EXPORT clgauss {

/// How large arrays reach the device.
enum class Transfers {
  mapped,   // written where the buffer lies, or by the driver from there
  pinned,   // through host memory that the driver pinned
  pageable  // through plain memory
};
[[nodiscard]] std::string_view transfers_name(Transfers transfers);

class Staging;

/// What a context does beside opening the device. Nothing is read from the environment but by
/// from_environment().
struct ContextOptions {
  bool profiling = false;  // events carry times; costs a little on every launch
  std::optional<std::filesystem::path> kernel_folder;  // empty: the embedded kernels
  /// for built programs and self-tests, see ProgramCache; empty: none is kept
  std::optional<std::filesystem::path> cache_folder;
  bool tuned = true;  // use the tuned numbers that are shipped for the device
  /// what clgauss-tune stored; empty: only what was shipped
  std::optional<std::filesystem::path> tuned_folder;
  bool driver_caches = true;  // a driver that can keep what it built itself (PoCL) does so
  /// where the driver does so; a full disk there is reported before it can end the process
  std::optional<std::filesystem::path> driver_cache_folder;
  bool concurrent_builds = true;  // programs that are needed together are built at the same time
  /// by clgauss-builder where that is installed and there is a cache_folder
  bool build_processes = true;
  KernelFaults kernel_faults;  // kernels broken on purpose, for tests
  bool vendor_kernels = true;  // false: only kernels of plain OpenCL, as a GPU of any vendor takes
  std::optional<unsigned> cores_per_compute_unit;  // instead of what the device's attributes say
  /// taken for how many times as fast f32 is as f64, on CPUs, too; for tests. Empty: that is
  /// measured, see Context::arithmetic_rates()
  std::optional<unsigned> pretended_ratio;
  /// empty: mapped where device and host share their memory, else pinned
  std::optional<Transfers> transfers;

  /// As the programs do it: CLGAUSS_KERNEL_DIR, CLGAUSS_CACHE=off, CLGAUSS_TUNED=off,
  /// CLGAUSS_BUILDS=serial or threads, CLGAUSS_KERNELS, CLGAUSS_TRANSFERS, CLGAUSS_KERNEL_FAULTS,
  /// CLGAUSS_F64_RATIO, POCL_KERNEL_CACHE=0, POCL_CACHE_DIR, and the folders that XDG_CACHE_HOME,
  /// XDG_DATA_HOME and HOME name. Throws UsageError for a value that makes no sense.
  [[nodiscard]] static ContextOptions from_environment();
};

/// A handle, like OpenCL's own: copies refer to the same device, queue and programs, which exist as
/// long as one copy does. Objects made on a context keep a copy. Keep a context and use it again:
/// programs are built once, and a second solve on the same context builds nothing.
///
/// A context and what is made on it belong to one thread at a time: give every thread a context of
/// its own, or lock. Contexts share no writable data except the program cache on disk, which any
/// number of processes may use.
class Context {
 public:
  explicit Context(const Device& device, const ContextOptions& options = {});

  /// Works inside an application's own OpenCL: on its context, its device and its in-order `queue`,
  /// so that clgauss takes the application's buffers. `options.profiling` is the queue's own
  /// affair.
  explicit Context(const cl::CommandQueue& queue, const ContextOptions& options = {});

  [[nodiscard]] const DeviceProfile& profile() const noexcept;
  [[nodiscard]] const cl::Context& context() const noexcept;
  [[nodiscard]] const cl::CommandQueue& queue() const noexcept;
  [[nodiscard]] ProgramStore& programs() noexcept;
  /// What was tuned for this device; looked up once.
  [[nodiscard]] const Tuning& tuning() const noexcept;

  /// Whether one work-item runs a long loop to its end, as kernels for CPUs need
  /// (cl/laboratory/loop_probe.cl). Tried once, on the first call.
  [[nodiscard]] bool runs_long_loops();

  /// How fast the device computes (cl/laboratory/arithmetic_rate.cl). Measured on the first call,
  /// in some 10 ms beside the kernels' build, and kept with the built programs for this device and
  /// driver. Empty without fp64, and where the kernels fail.
  [[nodiscard]] std::optional<ArithmeticRates> arithmetic_rates();

  /// Which kernels passed their self-test here, and which are skipped and why.
  [[nodiscard]] KernelTrials& trials() noexcept;

  /// How uploads are done: pageable where pinned memory was wanted and the driver has none.
  [[nodiscard]] Transfers transfers() const noexcept;
  [[nodiscard]] Staging& staging() const noexcept;

  /// Throws OutOfMemory, with the bytes needed and there, if `bytes` for `what` exceed the device's
  /// memory or one allocation's limit.
  void require_memory(std::uint64_t bytes, const std::string& what) const;

  /// A read-write buffer of `bytes` (at least one), after require_memory().
  [[nodiscard]] cl::Buffer allocate(std::uint64_t bytes, const std::string& what) const;

 private:
  struct CLGAUSS_HIDDEN State;
  std::shared_ptr<State> state_;
};

}  // namespace clgauss
