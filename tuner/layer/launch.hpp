#pragma once
/// One clEnqueueNDRangeKernel of the program, and how it is made in another way.

#include "tuner/layer/driver.hpp"
#include "tuner/layer/shape.hpp"
#include "tuner/layer/trial.hpp"

namespace clgauss::layer {

/// The arguments of clEnqueueNDRangeKernel, as the program gave them.
struct Launch {
  cl_command_queue queue;
  cl_kernel kernel;
  cl_uint dims;
  const std::size_t *offset, *global, *local;
  cl_uint waits;
  const cl_event* wait_list;
  cl_event* event;
};

/// Whether it has a range to speak of: all else is the drivers' to judge.
[[nodiscard]] bool has_range(const Launch& launch);

/// Of its range, or of its work-group.
[[nodiscard]] Shape shape_of(const Launch& launch, const std::size_t* sizes);

/// As the program has it.
cl_int enqueue(const Drivers& drivers, const Launch& launch);

/// What came of a launch in another way.
struct Enqueued {
  cl_int result = CL_SUCCESS;
  bool is_refused = false;  // the way was; the launch is as the program has it
};

/// In groups of `way`, which divide the range or are those of its main part. `launch.event`, if
/// given, becomes that of the last part. `first`, if given, becomes that of the first and is the
/// caller's to release: the same event where there is one part. The parts follow each other in a
/// queue in order, so that all are complete when the last is; each waits for the wait list, so that
/// an error there ends all of them. Where the driver refuses the first part, the launch is made as
/// the program has it; where a later one, that part is left to the driver's own groups.
[[nodiscard]] Enqueued enqueue_as(const Drivers& drivers, const Launch& launch, const Way& way,
                                  cl_event* first);

}  // namespace clgauss::layer
