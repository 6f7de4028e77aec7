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

/// How large arrays are transferred to the device.
enum class Transfers {
  mapped,   // the buffer is mapped and written in place
  pinned,   // through host memory pinned by the driver
  pageable  // through ordinary host memory
};
[[nodiscard]] std::string_view transfers_name(Transfers transfers);

class Staging;
class KeptLu;

/// The settings of a context. Only from_environment() reads the environment.
struct ContextOptions {
  bool profiling = false;  // events record times; slows every launch a little
  std::optional<std::filesystem::path> kernel_folder;  // empty: the embedded kernels
  /// For built programs and self-tests, see ProgramCache; empty: nothing is cached.
  std::optional<std::filesystem::path> cache_folder;
  bool tuned = true;  // use the tuning results shipped for the device
  /// The results of clgauss-tune; empty: only the shipped ones.
  std::optional<std::filesystem::path> tuned_folder;
  bool driver_caches = true;  // a driver that can cache its own builds (PoCL) does so
  /// The folder of the driver's own cache. A full disk there is reported before it can end the
  /// process.
  std::optional<std::filesystem::path> driver_cache_folder;
  bool concurrent_builds = true;  // programs needed together are built in parallel
  /// Build with clgauss-builder, if it is installed and there is a cache_folder.
  bool build_processes = true;
  KernelFaults kernel_faults;  // kernels broken on purpose, for tests
  bool vendor_kernels = true;  // false: only plain OpenCL kernels, as for a GPU of any vendor
  std::optional<unsigned> cores_per_compute_unit;  // overrides the device's attributes
  /// For tests: assume that f32 is this many times as fast as f64, also on CPUs. Empty: it is
  /// measured, see Context::arithmetic_rates().
  std::optional<unsigned> pretended_ratio;
  /// Empty: mapped if device and host share memory, otherwise pinned.
  std::optional<Transfers> transfers;

  /// The settings that the programs use. Reads CLGAUSS_KERNEL_DIR, CLGAUSS_CACHE=off,
  /// CLGAUSS_TUNED=off, CLGAUSS_BUILDS=serial or threads, CLGAUSS_KERNELS, CLGAUSS_TRANSFERS,
  /// CLGAUSS_KERNEL_FAULTS, CLGAUSS_F64_RATIO, POCL_KERNEL_CACHE=0, POCL_CACHE_DIR, and the folders
  /// that XDG_CACHE_HOME, XDG_DATA_HOME and HOME name. Throws UsageError for an invalid value.
  [[nodiscard]] static ContextOptions from_environment();
};

/// A handle, like OpenCL's own: copies refer to the same device, queue and programs, which exist as
/// long as one copy does. Objects made on a context keep a copy. Reuse a context: its programs are
/// built once, so a second solve builds nothing.
///
/// A context and what is made on it belong to one thread at a time: give every thread a context of
/// its own, or lock. Contexts share no writable data except the program cache on disk, which any
/// number of processes may use.
class Context {
 public:
  explicit Context(const Device& device, const ContextOptions& options = {});

  /// Works within an application's own OpenCL: on the context, the device and the in-order `queue`,
  /// so that clgauss can use the application's buffers. `options.profiling` has no effect; the
  /// queue decides.
  explicit Context(const cl::CommandQueue& queue, const ContextOptions& options = {});

  [[nodiscard]] const DeviceProfile& profile() const noexcept;
  [[nodiscard]] const cl::Context& context() const noexcept;
  [[nodiscard]] const cl::CommandQueue& queue() const noexcept;
  [[nodiscard]] ProgramStore& programs() noexcept;
  /// The tuning results for this device; looked up once.
  [[nodiscard]] const Tuning& tuning() const noexcept;

  /// Whether a work-item completes a long loop, as the kernels for CPUs need
  /// (cl/laboratory/loop_probe.cl). Tested on the first call.
  [[nodiscard]] bool runs_long_loops();

  /// The measured speed of the device (cl/laboratory/arithmetic_rate.cl). The first call measures
  /// it, in about 10 ms besides building the kernels. The result is cached with the built programs
  /// for this device and driver. Empty without fp64, and if the kernels fail.
  [[nodiscard]] std::optional<ArithmeticRates> arithmetic_rates();

  /// Which kernels passed their self-test here, and which were skipped and why.
  [[nodiscard]] KernelTrials& trials() noexcept;

  /// The kind of uploads in use: pageable if pinned memory was requested but the driver has none.
  [[nodiscard]] Transfers transfers() const noexcept;
  [[nodiscard]] Staging& staging() const noexcept;
  /// The work of the last solve by LU.
  [[nodiscard]] KeptLu& kept_lu() const noexcept;

  /// A handle to the same that does not keep it open, for objects that this context keeps.
  [[nodiscard]] Context& observer() const;

  /// Throws OutOfMemory, with the bytes needed and available, if `bytes` for `what` exceed the
  /// device's memory or the limit of a single allocation.
  void require_memory(std::uint64_t bytes, const std::string& what) const;

  /// A read-write buffer of `bytes` (at least one), after require_memory().
  [[nodiscard]] cl::Buffer allocate(std::uint64_t bytes, const std::string& what) const;

 private:
  struct CLGAUSS_HIDDEN State;
  explicit Context(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace clgauss
