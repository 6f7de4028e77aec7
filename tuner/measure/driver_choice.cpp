#include "tuner/measure/driver_choice.hpp"

#include <fmt/format.h>

#include <array>

namespace clgauss::tune {

namespace {

std::string group_text(std::size_t columns, std::size_t rows) {
  return fmt::format("{}x{}", columns, rows);
}

}  // namespace

std::string driver_group(Context& context, RealType type, const cl::Buffer& matrix, std::size_t ld,
                         const NdRange& range) {
  Kernel kernel = context.programs().kernel("laboratory.cl", "lab_local_size", real_defines(type));
  std::array<cl_uint, 2> seen{};
  const cl::Buffer size = context.allocate(sizeof seen, "a work-group size");
  const cl::CommandQueue& queue = context.queue();
  queue.enqueueFillBuffer(size, cl_uint{0}, 0, sizeof seen);
  kernel.set_arguments(matrix, cl_ulong{ld}, cl_ulong{0}, size);
  Launcher launcher(context.profile(), queue, {WorkGroupPolicy::Rule::driver, 0},
                    SplitMode::automatic);
  launcher.launch(kernel, range);
  queue.enqueueReadBuffer(size, CL_TRUE, 0, sizeof seen, seen.data());
  return group_text(seen[0], seen[1]);
}

std::string suggested_group(const Context& context, const Kernel& kernel, const NdRange& range) {
  using Ask = cl_int(CL_API_CALL*)(cl_command_queue, cl_kernel, cl_uint, const std::size_t*,
                                   const std::size_t*, std::size_t*);
  const auto device = context.queue().getInfo<CL_QUEUE_DEVICE>();
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  if (extensions.find("cl_khr_suggested_local_work_size") == std::string::npos) return {};
  const auto ask = reinterpret_cast<Ask>(clGetExtensionFunctionAddressForPlatform(
      device.getInfo<CL_DEVICE_PLATFORM>(), "clGetKernelSuggestedLocalWorkSizeKHR"));
  std::array<std::size_t, 2> size{1, 1};
  if (ask == nullptr || ask(context.queue()(), kernel.handle(), range.dims, range.offset.data(),
                            range.size.data(), size.data()) != CL_SUCCESS)
    return {};
  return group_text(size[0], size[1]);
}

}  // namespace clgauss::tune
