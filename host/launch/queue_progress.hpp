#pragma once
/// How far a device has come with what is enqueued step by step.

#include <clgauss/progress.hpp>
#include <deque>
#include <string>

#include "opencl_error.hpp"

namespace clgauss {

/// Puts a marker behind every 64th part of the steps (behind every step where there are fewer) and
/// tells the callback of those that the device has passed. The host stays at most kAhead markers in
/// front of the device, so that a callback which throws ends the work soon, and the device always
/// finds work in its queue. Without a callback nothing is done and nothing waits.
class QueueProgress {
 public:
  /// `steps` of what is `what`, of `flops` in all where these are to be told. Queue and callback
  /// must outlive it.
  QueueProgress(const cl::CommandQueue& queue, const ProgressCallback& callback, std::string what,
                std::size_t steps, double flops = 0)
      : queue_(queue),
        callback_(callback),
        what_(std::move(what)),
        steps_(steps),
        stride_(steps / 64 + 1),
        flops_(flops) {}

  /// Step `step` is enqueued, with which `share` of the work is: 0..1.
  void step_enqueued(std::size_t step, double share);
  /// The same where all steps are alike.
  void step_enqueued(std::size_t step) {
    step_enqueued(step, static_cast<double>(step + 1) / static_cast<double>(steps_));
  }

  /// Waits for the queue, telling on the way.
  void finish();

 private:
  static constexpr std::size_t kAhead = 2;

  struct Mark {
    cl::Event event;
    std::size_t step;
    double share;
  };

  /// Tells of the oldest marker, once the device has passed it.
  void tell_oldest();

  const cl::CommandQueue& queue_;
  const ProgressCallback& callback_;
  std::string what_;
  std::size_t steps_, stride_;
  double flops_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::deque<Mark> marks_;
};

}  // namespace clgauss
