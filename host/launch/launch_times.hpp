#pragma once
/// Records the device time of each launch, to show where the time goes.

#include <clgauss/opencl.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace clgauss {

/// Records this thread's launches on profiling queues during the object's lifetime. Only one object
/// at a time may exist in a thread.
class LaunchTimes {
 public:
  LaunchTimes();
  ~LaunchTimes();
  LaunchTimes(const LaunchTimes&) = delete;
  LaunchTimes& operator=(const LaunchTimes&) = delete;

  struct Launch {
    std::string kernel;
    std::uint64_t start_ns = 0, end_ns = 0;  // on the device's clock
  };

  /// The launches in order. All must have ended. Throws cl::Error if a queue was created without
  /// profiling.
  [[nodiscard]] std::vector<Launch> launches() const;

  /// Where enqueue_kernel() stores the event of a launch; null while nothing is recorded.
  [[nodiscard]] static cl::Event* next(const std::string& kernel);

 private:
  std::vector<std::pair<std::string, cl::Event>> events_;
};

}  // namespace clgauss
