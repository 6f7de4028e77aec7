#pragma once
/// A device opened for work: OpenCL context, in-order command queue, built programs.

#include <CL/opencl.hpp>
#include <clgauss/device.hpp>
#include <clgauss/lab/kernel_trials.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/lab/tuned.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace clgauss {

struct ContextOptions {
  bool profiling = false;  // events carry times; costs a little on every launch
  std::optional<std::filesystem::path>
      kernel_folder;  // empty: CLGAUSS_KERNEL_DIR, else the embedded kernels
  bool tuned = true;  // take up what was tuned for the device; CLGAUSS_TUNED=off also turns it off
  KernelFaults kernel_faults;  // kernels broken on purpose, for tests; empty: CLGAUSS_KERNEL_FAULTS
  std::optional<unsigned> cores_per_compute_unit;  // instead of what the device's attributes say
};

/// Keep one and use it again: programs are built once, a second solve on the same context builds
/// nothing.
class Context {
 public:
  explicit Context(const Device& device, const ContextOptions& options = {});

  /// Works inside an application's own OpenCL: on its context, its device and its in-order `queue`, so that clgauss
  /// takes the application's buffers. `options.profiling` is the queue's own affair.
  explicit Context(const cl::CommandQueue& queue, const ContextOptions& options = {});

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  /// Waits for what an error left in a queue of its own: a driver that still works while the process ends may crash it.
  ~Context();

  [[nodiscard]] const DeviceProfile& profile() const noexcept { return profile_; }
  [[nodiscard]] const cl::Context& context() const noexcept { return context_; }
  [[nodiscard]] const cl::CommandQueue& queue() const noexcept { return queue_; }
  [[nodiscard]] ProgramStore& programs() noexcept { return programs_; }
  /// What was tuned for this device; looked up once.
  [[nodiscard]] const Tuning& tuning() const noexcept { return tuning_; }

  /// Whether one work-item runs a long loop to its end, as kernels for CPUs need (cl/loop_probe.cl). Tried once, on the first
  /// call.
  [[nodiscard]] bool runs_long_loops();

  /// Which kernels gave their known answers here, and which are passed over and why.
  [[nodiscard]] KernelTrials& trials() noexcept { return *trials_; }

  /// Throws OutOfMemory, with the bytes needed and there, if `bytes` for `what` exceed the device's
  /// memory or one allocation's limit.
  void require_memory(std::uint64_t bytes, const std::string& what) const;

  /// A read-write buffer of `bytes` (at least one), after require_memory().
  [[nodiscard]] cl::Buffer allocate(std::uint64_t bytes, const std::string& what) const;

 private:
  DeviceProfile profile_;
  cl::Context context_;
  cl::CommandQueue queue_;
  bool owns_queue_;
  ProgramStore programs_;
  Tuning tuning_;
  std::optional<bool> runs_long_loops_;
  std::unique_ptr<KernelTrials> trials_ = std::make_unique<KernelTrials>(programs_);
};

}  // namespace clgauss
