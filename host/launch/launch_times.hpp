#pragma once
/// How long each launch took on the device, for whoever wants to see where the time goes.

#include <clgauss/opencl.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace clgauss {

/// What this thread launches while the object lives, on queues that profile. There is one at a
/// time.
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

  /// In the order of launching; all must have ended. Throws cl::Error where the queue did not
  /// profile.
  [[nodiscard]] std::vector<Launch> launches() const;

  /// Where enqueue_kernel() is to leave the event of a launch; null if nobody asked.
  [[nodiscard]] static cl::Event* next(const std::string& kernel);

 private:
  std::vector<std::pair<std::string, cl::Event>> events_;
};

}  // namespace clgauss
