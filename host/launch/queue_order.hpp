#pragma once
/// EnqueueOptions, carried out.

#include <clgauss/context.hpp>
#include <clgauss/enqueue.hpp>

namespace clgauss {

/// Keeps the operations of one object, which share its workspace, in order, whatever queues they
/// are enqueued on.
class QueueOrder {
 public:
  /// enqueue(queue), after the events of `options` and after this object's last operation; sets
  /// options.done. Throws UsageError for a queue that is not in order.
  template <typename Enqueue>
  void run(const Context& context, const EnqueueOptions& options, const Enqueue& enqueue) {
    // Never a copy: rusticl 22.3 flushes a queue when a reference to it is given up, and then does
    // not wait in clFinish().
    const cl::CommandQueue& queue = options.queue != nullptr ? *options.queue : context.queue();
    begin(queue, options);
    enqueue(queue);
    if (options.done != nullptr) queue.enqueueMarkerWithWaitList(nullptr, options.done);
  }

  /// The queue of the last operation, else the context's: who waits for it waits for all.
  [[nodiscard]] const cl::CommandQueue& last(const Context& context) const {
    return last_() == nullptr ? context.queue() : last_;
  }

 private:
  void begin(const cl::CommandQueue& queue, const EnqueueOptions& options);

  cl::CommandQueue last_;
};

/// What is enqueued on `queue` from now on starts after what is on `other` by now.
void wait_for(const cl::CommandQueue& queue, const cl::CommandQueue& other);

/// What `queue` belongs to.
[[nodiscard]] cl::Device device_of(const cl::CommandQueue& queue);
[[nodiscard]] cl::Context context_of(const cl::CommandQueue& queue);

/// Waits until the device has done what is on `queue`, or given it up, and the events say so; what
/// failed there is not told. By an event: rusticl 22.3 does not wait in clFinish() for what was
/// flushed before. And of its own: there the event of a marker may be complete before those that
/// were flushed with it.
void settle(const cl::CommandQueue& queue) noexcept;

/// Throws UsageError for a queue that is not in order.
void require_in_order(const cl::CommandQueue& queue);

}  // namespace clgauss
