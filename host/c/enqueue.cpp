#include "c/enqueue.hpp"

#include <fmt/format.h>

#include "c/call.hpp"

namespace clgauss::c {

namespace {

/// The value that `query`, a clGet...Info function, returns for `object`. A returned OpenCL object
/// is not retained.
template <typename Value, typename Query, typename Object>
Value info(const char* call, const Query& query, Object object, cl_uint name) {
  Value value{};
  check_call(call, query(object, name, sizeof value, &value, nullptr));
  return value;
}

void check_queue(const Context& context, cl_command_queue queue) {
  const auto of = [](cl_command_queue of_queue, cl_uint name) {
    return info<void*>("clGetCommandQueueInfo", clGetCommandQueueInfo, of_queue, name);
  };
  const cl_command_queue own = context.queue()();
  if (of(queue, CL_QUEUE_CONTEXT) != of(own, CL_QUEUE_CONTEXT))
    throw UsageError("the queue belongs to another OpenCL context than the clgauss_context");
  if (of(queue, CL_QUEUE_DEVICE) != of(own, CL_QUEUE_DEVICE))
    throw UsageError("the queue is of another device than the clgauss_context");
}

/// A queue whose reference count clgauss leaves alone. rusticl 22.3 flushes a queue when a
/// reference is released, and clFinish() then does not wait.
class Borrowed {
 public:
  explicit Borrowed(cl_command_queue queue) : queue_(queue, false) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { queue_() = nullptr; }

  [[nodiscard]] const cl::CommandQueue& queue() const { return queue_; }

 private:
  cl::CommandQueue queue_;
};

std::vector<cl::Event> checked_events(const Context& context, std::uint32_t count,
                                      const cl_event* list) {
  if ((count == 0) != (list == nullptr))
    throw UsageError(fmt::format("the wait list has {} events and is {}NULL", count,
                                 list == nullptr ? "" : "not "));
  std::vector<cl::Event> events;
  for (std::uint32_t i = 0; i < count; ++i) {
    const cl_event event = not_null(list[i], "an event of the wait list");
    if (info<cl_context>("clGetEventInfo", clGetEventInfo, event, CL_EVENT_CONTEXT) !=
        context.context()())
      throw UsageError(
          fmt::format("event {} of the wait list belongs to another OpenCL context", i + 1));
    events.emplace_back(event, true);
  }
  return events;
}

}  // namespace

cl::Buffer caller_buffer(const Context& context, cl_mem buffer, const char* name) {
  if (buffer == nullptr) return {};  // only for an empty matrix; its user checks that
  const auto of = [&]<typename Value>(cl_uint what, Value) {
    return info<Value>("clGetMemObjectInfo", clGetMemObjectInfo, buffer, what);
  };
  if (of(CL_MEM_TYPE, cl_mem_object_type{}) != CL_MEM_OBJECT_BUFFER)
    throw UsageError(fmt::format("{} is a cl_mem, but not a buffer", name));
  if (of(CL_MEM_CONTEXT, cl_context{}) != context.context()())
    throw UsageError(
        fmt::format("{} belongs to another OpenCL context than the clgauss_context", name));
  if ((of(CL_MEM_FLAGS, cl_mem_flags{}) & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) != 0)
    throw UsageError(fmt::format("{} must be a buffer that kernels may read and write", name));
  return cl::Buffer(buffer, true);
}

void enqueue_nothing(const EnqueueOptions& options) {
  if (!options.wait_for.empty()) options.queue->enqueueBarrierWithWaitList(&options.wait_for);
  if (options.done != nullptr) options.queue->enqueueMarkerWithWaitList(nullptr, options.done);
}

void CallerEnqueue::run(const Context& context,
                        const std::function<void(const EnqueueOptions&)>& body) const {
  if (event != nullptr) *event = nullptr;
  if (queue != nullptr) check_queue(context, queue);
  const Borrowed borrowed(queue);
  cl::Event done;
  EnqueueOptions options{
      .queue = queue != nullptr ? &borrowed.queue() : &context.queue(),
      .wait_for = checked_events(context, events, wait_list),
      .done = event != nullptr ? &done : nullptr,
  };
  body(options);
  if (event != nullptr) std::swap(*event, done());
}

}  // namespace clgauss::c
