#include "linalg/cpu_tile.hpp"

#include <algorithm>

namespace clgauss {

CpuTile CpuTile::for_device(const DeviceContext& context, RealType type) {
  const auto device = context.queue().getInfo<CL_QUEUE_DEVICE>();
  const std::size_t vector_bytes =
      std::max<std::size_t>(16, 4 * device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>());
  CpuTile tile;
  tile.vec_width = std::clamp<cl_uint>(static_cast<cl_uint>(vector_bytes / bytes_of(type)), 4, 16);
  tile.mr = vector_bytes >= 64 ? 12 : 4;
  tile.nr = (vector_bytes >= 64 ? 2 : 3) * tile.vec_width;
  tile.use_fma = (device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_FMA) != 0;
  return tile;
}

Defines CpuTile::defines(RealType type) const {
  Defines defines = real_defines(type);
  defines.insert(defines.end(), {{"VEC_WIDTH", std::to_string(vec_width)},
                                 {"MR", std::to_string(mr)},
                                 {"NR", std::to_string(nr)},
                                 {"UNROLL", std::to_string(unroll)},
                                 {"USE_FMA", use_fma ? "1" : "0"}});
  return defines;
}

bool suits_cpu_kernels(DeviceContext& context) {
  if (context.profile().type != DeviceType::cpu) return false;
  constexpr cl_uint kSteps = 1U << 20U;
  cl_uint expected = 1, counted = 0;
  for (cl_uint i = 0; i < kSteps; ++i) expected = expected * 1664525U + 1013904223U;
  const cl::Buffer result = context.allocate(sizeof counted, "a probe");
  Kernel probe = context.programs().kernel("loop_probe.cl", "count_steps", {});
  probe.set_arguments(result, kSteps);
  const cl::CommandQueue& queue = context.queue();
  queue.enqueueNDRangeKernel(probe.handle, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
  queue.enqueueReadBuffer(result, CL_TRUE, 0, sizeof counted, &counted);
  return counted == expected;
}

}  // namespace clgauss
