#pragma once
/// A caller's queue, events and buffers, checked before anything is enqueued with them.

#include <clgauss.h>

#include <clgauss/context.hpp>
#include <clgauss/enqueue.hpp>
#include <functional>

namespace clgauss::c {

/// The caller's `buffer`, which must belong to the context's OpenCL context and be writable by
/// kernels. Throws UsageError otherwise.
[[nodiscard]] cl::Buffer caller_buffer(const Context& context, cl_mem buffer, const char* name);

/// The last four arguments of the functions of clgauss.h that take cl_mem: where and when the work
/// is enqueued.
struct CallerEnqueue {
  cl_command_queue queue;
  std::uint32_t events;
  const cl_event* wait_list;
  cl_event* event;

  /// Calls body with the options, which include the queue, and gives the caller the event; the
  /// event is NULL if body throws. Throws UsageError in these cases: the queue belongs to another
  /// context or device, or is out of order; the wait list and its length contradict each other; an
  /// event is NULL or belongs to another context.
  void run(const Context& context, const std::function<void(const EnqueueOptions&)>& body) const;
};

/// Enqueues an operation that does no work but waits for and signals events as usual.
void enqueue_nothing(const EnqueueOptions& options);

}  // namespace clgauss::c
