#include "tuner/layer/launch.hpp"

#include <algorithm>

namespace clgauss::layer {

bool has_range(const Launch& launch) {
  if (launch.queue == nullptr || launch.kernel == nullptr || launch.global == nullptr ||
      launch.dims < 1 || launch.dims > 3)
    return false;
  return std::all_of(launch.global, launch.global + launch.dims,
                     [](std::size_t size) { return size > 0; });
}

Shape shape_of(const Launch& launch, const std::size_t* sizes) {
  Shape shape{launch.dims, {1, 1, 1}};
  std::copy_n(sizes, launch.dims, shape.size.begin());
  return shape;
}

cl_int enqueue(const Drivers& drivers, const Launch& launch) {
  return drivers.clEnqueueNDRangeKernel(launch.queue, launch.kernel, launch.dims, launch.offset,
                                        launch.global, launch.local, launch.waits, launch.wait_list,
                                        launch.event);
}

Enqueued enqueue_as(const Drivers& drivers, const Launch& launch, const Way& way, cl_event* first) {
  const Shape range = shape_of(launch, launch.global);
  const std::vector<Part> parts = split(range, way.group);
  for (const Part& part : parts) {
    const bool is_first = &part == &parts.front(), is_last = &part == &parts.back();
    std::array<std::size_t, 3> offset = part.offset;
    for (cl_uint d = 0; launch.offset != nullptr && d < launch.dims; ++d)
      offset[d] += launch.offset[d];
    Launch one = launch;
    one.offset = is_first ? launch.offset : offset.data();
    one.global = part.range.size.data();
    one.local = part.group.size.data();
    one.event = is_last ? launch.event : is_first ? first : nullptr;
    cl_int result = enqueue(drivers, one);
    const bool is_refused = is_first && result != CL_SUCCESS;
    if (result != CL_SUCCESS) {
      one.local = nullptr;
      result = enqueue(drivers, is_first ? launch : one);
    }
    if (result != CL_SUCCESS && !is_first && first != nullptr) drivers.clReleaseEvent(*first);
    if (result == CL_SUCCESS && first != nullptr && is_first && (is_last || is_refused))
      drivers.clRetainEvent(*first = *launch.event);
    if (result != CL_SUCCESS || is_refused) return {result, is_refused};
  }
  return {};
}

}  // namespace clgauss::layer
