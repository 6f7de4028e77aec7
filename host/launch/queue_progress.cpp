#include "launch/queue_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clock.hpp"

namespace clgauss {

void QueueProgress::step_enqueued(std::size_t step, double share) {
  if (!callback_ || (step < next_ && step + 1 < steps_)) return;
  next_ = step + stride_;
  cl::Event marker;
  queue_.enqueueMarkerWithWaitList(nullptr, &marker);
  queue_.flush();
  marks_.push_back({std::move(marker), step, share});
  while (marks_.size() > kAhead) tell_oldest();
}

void QueueProgress::finish() {
  while (!marks_.empty()) tell_oldest();
  queue_.finish();
}

void QueueProgress::tell_oldest() {
  marks_.front().event.wait();
  const Mark passed = std::move(marks_.front());
  marks_.pop_front();
  const double seconds = seconds_since(start_),
               of_step = seconds / static_cast<double>(passed.step + 1);
  const auto most_stride = static_cast<double>(std::max(least_stride_, steps_ / 8 + 1));
  stride_ =
      std::max(least_stride_, static_cast<std::size_t>(std::min(kBetween / of_step, most_stride)));
  std::string text = what_;
  if (flops_ > 0)
    text += fmt::format(": {} of {} blocks, {:.3g} GFLOP/s", passed.step + 1, steps_,
                        1e-9 * flops_ * passed.share / seconds);
  callback_(text, passed.share);
}

}  // namespace clgauss
