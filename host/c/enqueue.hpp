#pragma once
/// A caller's queue, events and buffers, checked before anything is enqueued with them.

#include <clgauss.h>

#include <clgauss/context.hpp>
#include <clgauss/enqueue.hpp>
#include <functional>

namespace clgauss::c {

/// A buffer of the context's OpenCL context that kernels may write to. Throws UsageError for one
/// that is not.
[[nodiscard]] cl::Buffer caller_buffer(const Context& context, cl_mem buffer, const char* name);

/// Where and when a function of clgauss.h enqueues its work: the last four arguments of those on
/// cl_mem.
struct CallerEnqueue {
  cl_command_queue queue;
  std::uint32_t events;
  const cl_event* wait_list;
  cl_event* event;

  /// Calls body with the options, whose queue is there, and gives the caller the event, which is
  /// NULL where body throws. Throws
  /// UsageError for a queue of another context or device, or out of order, for a wait list and a
  /// number that do not belong together, and for events that are NULL or of another context.
  void run(const Context& context, const std::function<void(const EnqueueOptions&)>& body) const;
};

/// An operation of no work, with the events of one.
void enqueue_nothing(const EnqueueOptions& options);

}  // namespace clgauss::c
