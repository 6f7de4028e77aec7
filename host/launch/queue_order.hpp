#pragma once
/// Implements EnqueueOptions.

#include <clgauss/context.hpp>
#include <clgauss/enqueue.hpp>

namespace clgauss {

/// Keeps the operations of one object, which share its workspace, in order, whichever queues they
/// are enqueued on.
class QueueOrder {
 public:
  /// Calls enqueue(queue), ordered after the events of `options` and after this object's last
  /// operation; sets options.done. Throws UsageError for a queue that is out of order.
  template <typename Enqueue>
  void run(const Context& context, const EnqueueOptions& options, const Enqueue& enqueue) {
    // A reference, not a copy: rusticl 22.3 flushes a queue when a reference is released, and
    // clFinish() then does not wait.
    const cl::CommandQueue& queue = options.queue != nullptr ? *options.queue : context.queue();
    begin(queue, options);
    enqueue(queue);
    if (options.done != nullptr) queue.enqueueMarkerWithWaitList(nullptr, options.done);
  }

  /// The queue of the last operation, or else the context's. Waiting for it waits for all
  /// operations.
  [[nodiscard]] const cl::CommandQueue& last(const Context& context) const {
    return last_() == nullptr ? context.queue() : last_;
  }

 private:
  void begin(const cl::CommandQueue& queue, const EnqueueOptions& options);

  cl::CommandQueue last_;
};

/// Work enqueued on `queue` from now on starts after the work already enqueued on `other`.
void wait_for(const cl::CommandQueue& queue, const cl::CommandQueue& other);

/// The device and the context of `queue`.
[[nodiscard]] cl::Device device_of(const cl::CommandQueue& queue);
[[nodiscard]] cl::Context context_of(const cl::CommandQueue& queue);

/// Waits until the device has finished or abandoned the work on `queue` and its events are
/// complete. Failures of that work are not reported. It waits for an event because clFinish() of
/// rusticl 22.3 does not wait for work that was flushed before. The marker is flushed separately,
/// because in rusticl it can complete before work that was flushed together with it.
void settle(const cl::CommandQueue& queue) noexcept;

/// Throws UsageError for a queue that is out of order.
void require_in_order(const cl::CommandQueue& queue);

}  // namespace clgauss
