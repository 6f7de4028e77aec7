#include "launch/queue_order.hpp"

#include <clgauss/error.hpp>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// The context or device of `queue`, retained here. CLHPP's getInfo releases a reference even where
/// it failed to retain one.
template <typename Object>
Object owner_of(const cl::CommandQueue& queue, cl_command_queue_info what) {
  typename Object::cl_type owner = nullptr;
  check_call("clGetCommandQueueInfo",
             clGetCommandQueueInfo(queue(), what, sizeof owner, &owner, nullptr));
  return Object(owner, true);
}

cl::Event end_of(const cl::CommandQueue& queue) {
  cl::Event end;
  queue.enqueueMarkerWithWaitList(nullptr, &end);
  queue.flush();
  return end;
}

}  // namespace

void QueueOrder::begin(const cl::CommandQueue& queue, const EnqueueOptions& options) {
  std::vector<cl::Event> before(options.wait_for);
  if (queue() != last_()) {
    require_in_order(queue);
    if (last_() != nullptr) before.push_back(end_of(last_));
    last_ = cl::CommandQueue(queue);  // if the copy throws, last_ keeps its old value
  }
  if (!before.empty()) queue.enqueueBarrierWithWaitList(&before);
}

void wait_for(const cl::CommandQueue& queue, const cl::CommandQueue& other) {
  const std::vector<cl::Event> before{end_of(other)};
  queue.enqueueBarrierWithWaitList(&before);
}

cl::Device device_of(const cl::CommandQueue& queue) {
  return owner_of<cl::Device>(queue, CL_QUEUE_DEVICE);
}

cl::Context context_of(const cl::CommandQueue& queue) {
  return owner_of<cl::Context>(queue, CL_QUEUE_CONTEXT);
}

void settle(const cl::CommandQueue& queue) noexcept {
  clFlush(queue());
  cl_event end = nullptr;
  bool settled = clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &end) == CL_SUCCESS;
  if (settled) {
    settled = clWaitForEvents(1, &end) == CL_SUCCESS;
    clReleaseEvent(end);
  }
  if (!settled) clFinish(queue());
}

void require_in_order(const cl::CommandQueue& queue) {
  if ((queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    throw UsageError("clgauss needs an in-order command queue");
}

}  // namespace clgauss
