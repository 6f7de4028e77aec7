#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "launch/launch_times.hpp"

namespace clgauss {

void Kernel::set_argument(cl_uint index, std::size_t bytes, const void* value) {
  if (handle() == nullptr && idle) return;
  const cl_int code = clSetKernelArg(handle(), index, bytes, value);
  if (code != CL_SUCCESS) throw_opencl_error("clSetKernelArg", code);
}

void enqueue_kernel(const cl::CommandQueue& queue, const Kernel& kernel, const cl::NDRange& global,
                    const cl::NDRange& local, const cl::NDRange& offset, cl::Event* event) {
  std::size_t group = local.dimensions() == 0 ? 0 : 1;
  for (cl::size_type d = 0; d < local.dimensions(); ++d) group *= local.get()[d];
  if (group > kernel.work_group_limit)
    throw DeviceLimit(
        fmt::format("{}: a work-group of {} work-items is above CL_KERNEL_WORK_GROUP_SIZE = {}",
                    kernel.name, group, kernel.work_group_limit));
  if (kernel.idle) {
    if (event != nullptr) queue.enqueueMarkerWithWaitList(nullptr, event);
    return;
  }
  cl::Event* const watched = LaunchTimes::next(kernel.name);
  queue.enqueueNDRangeKernel(kernel.handle, offset, global, local, nullptr,
                             watched != nullptr ? watched : event);
  if (watched != nullptr && event != nullptr) *event = cl::Event(*watched);
}

}  // namespace clgauss
