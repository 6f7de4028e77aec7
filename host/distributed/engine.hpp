#pragma once
/// What stands behind Engine: StarPU's workers and what each of them keeps.

#include <clgauss/distributed.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <mutex>

#include "distributed/ranks.hpp"

namespace clgauss {

/// As StarPU counts time.
[[nodiscard]] inline double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Engine::Implementation {
  /// One device: the worker that StarPU drives it with, and clgauss's context on StarPU's queue,
  /// which belongs to that worker's thread.
  struct Worker {
    int id = 0;
    unsigned node = 0;                 // of StarPU's memory
    std::vector<std::uint32_t> alone;  // a set of workers in StarPU's bits: this one
    std::unique_ptr<Context> context;
  };

  explicit Implementation(const EngineOptions& options);
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation();

  /// Calls body(device) in the thread of each worker, one after the other, and throws what one of
  /// them threw, naming the device.
  void on_each_worker(const std::function<void(std::size_t)>& body);

  /// Runs what a task does; what it throws is kept, and every later task does nothing.
  void guard(std::size_t device, const std::function<void()>& body) noexcept;
  [[nodiscard]] bool failed() const { return stopped_; }
  void stop() { stopped_ = true; }
  void start_again() { stopped_ = false; }
  /// Throws what was kept, if anything, and lets tasks work again.
  void rethrow();

  /// Bytes of a device's memory that blocks may take.
  [[nodiscard]] std::uint64_t matrix_bytes(std::size_t device) const;
  /// Which of this rank's devices is that of the calling worker.
  [[nodiscard]] static std::size_t current_device();

  Ranks ranks;
  EngineOptions options;
  std::uint64_t kernels = 0;  // a checksum of their text
  std::vector<DeviceProfile> profiles;
  std::vector<Worker> workers;
  std::mutex mutex;  // of the records
  std::vector<StepRecord> records;

 private:
  void set_environment();
  void start(const std::vector<unsigned>& ids);

  std::atomic<bool> stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace clgauss
