#pragma once
/// Reports how far a device has come with work that is enqueued step by step.

#include <clgauss/progress.hpp>
#include <deque>
#include <string>

#include "opencl_error.hpp"

namespace clgauss {

/// Enqueues a marker after every 64th part of the steps (after every step if there are fewer), or
/// less often where the device passes them within kBetween, at least after every 8th part, and
/// calls the callback when the device has passed it. The host stays at most kAhead markers ahead of
/// the device. A callback that throws therefore ends the work soon, and the device's queue never
/// runs empty. Without a callback, nothing is enqueued and nothing waits.
class QueueProgress {
 public:
  /// `what` names the steps in reports. `flops` is the total of all steps; 0 omits the rate. Queue
  /// and callback must outlive this object.
  QueueProgress(const cl::CommandQueue& queue, const ProgressCallback& callback, std::string what,
                std::size_t steps, double flops = 0)
      : queue_(queue),
        callback_(callback),
        what_(std::move(what)),
        steps_(steps),
        least_stride_(steps / 64 + 1),
        next_(least_stride_ - 1),
        stride_(least_stride_),
        flops_(flops) {}

  /// Step `step` has been enqueued; after it, the fraction `share` (0..1) of the work is enqueued.
  void step_enqueued(std::size_t step, double share);
  /// The same for steps of equal work.
  void step_enqueued(std::size_t step) {
    step_enqueued(step, static_cast<double>(step + 1) / static_cast<double>(steps_));
  }

  /// Waits for the queue and reports progress meanwhile.
  void finish();

 private:
  static constexpr std::size_t kAhead = 2;
  static constexpr double kBetween = 5e-3;  // s

  struct Mark {
    cl::Event event;
    std::size_t step;
    double share;
  };

  /// Waits until the device has passed the oldest marker and reports it.
  void tell_oldest();

  const cl::CommandQueue& queue_;
  const ProgressCallback& callback_;
  std::string what_;
  std::size_t steps_, least_stride_;
  std::size_t next_, stride_;  // the next step with a marker, and steps from one to the next
  double flops_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::deque<Mark> marks_;
};

}  // namespace clgauss
