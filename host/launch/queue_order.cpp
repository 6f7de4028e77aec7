#include "launch/queue_order.hpp"

#include <clgauss/error.hpp>

namespace clgauss {

void QueueOrder::begin(const cl::CommandQueue& queue, const EnqueueOptions& options) {
  std::vector<cl::Event> before(options.wait_for);
  if (queue() != last_()) {
    require_in_order(queue);
    if (last_() != nullptr) {
      cl::Event done;
      last_.enqueueMarkerWithWaitList(nullptr, &done);
      last_.flush();
      before.push_back(done);
    }
    last_ = cl::CommandQueue(queue);  // a copy that fails must leave the old one as it was
  }
  if (!before.empty()) queue.enqueueBarrierWithWaitList(&before);
}

void require_in_order(const cl::CommandQueue& queue) {
  if ((queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    throw UsageError("clgauss needs an in-order command queue");
}

}  // namespace clgauss
