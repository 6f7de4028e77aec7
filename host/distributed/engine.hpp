#pragma once
/// The implementation of Engine: StarPU's workers and what each of them keeps.

#include <clgauss/distributed.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <mutex>

#include "distributed/ranks.hpp"

namespace clgauss {

/// A time of StarPU's clock in seconds.
[[nodiscard]] inline double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Engine::Implementation {
  /// One device: the StarPU worker that drives it, and clgauss's context on StarPU's queue. The
  /// context belongs to the worker's thread.
  struct Worker {
    int id = 0;
    unsigned node = 0;                 // the device's memory in StarPU
    std::vector<std::uint32_t> alone;  // a StarPU bit set that contains only this worker
    std::unique_ptr<Context> context;
  };

  explicit Implementation(const EngineOptions& options);
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation();

  /// Calls body(device) in the thread of each worker, one after the other. Rethrows an exception
  /// with the device's name.
  void on_each_worker(const std::function<void(std::size_t)>& body);

  /// Runs the body of a task. Its exception is kept, and all later tasks then do nothing.
  void guard(std::size_t device, const std::function<void()>& body) noexcept;
  [[nodiscard]] bool failed() const { return stopped_; }
  void stop() { stopped_ = true; }
  void start_again() { stopped_ = false; }
  /// Rethrows the kept exception, if any, and enables tasks again.
  void rethrow();

  /// Bytes of a device's memory that blocks may use.
  [[nodiscard]] std::uint64_t matrix_bytes(std::size_t device) const;
  /// The index of the calling worker's device among this rank's devices.
  [[nodiscard]] static std::size_t current_device();

  Ranks ranks;
  EngineOptions options;
  std::uint64_t kernels = 0;  // a checksum of the kernels' sources
  std::vector<DeviceProfile> profiles;
  std::vector<Worker> workers;
  std::mutex mutex;  // protects the records
  std::vector<StepRecord> records;

 private:
  void set_environment();
  void start(const std::vector<unsigned>& ids);

  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace clgauss
