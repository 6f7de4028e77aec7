#include "launch/queue_order.hpp"

#include <clgauss/error.hpp>

namespace clgauss {

namespace {

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
    last_ = cl::CommandQueue(queue);  // a copy that fails must leave the old one as it was
  }
  if (!before.empty()) queue.enqueueBarrierWithWaitList(&before);
}

void wait_for(const cl::CommandQueue& queue, const cl::CommandQueue& other) {
  const std::vector<cl::Event> before{end_of(other)};
  queue.enqueueBarrierWithWaitList(&before);
}

void require_in_order(const cl::CommandQueue& queue) {
  if ((queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    throw UsageError("clgauss needs an in-order command queue");
}

}  // namespace clgauss
