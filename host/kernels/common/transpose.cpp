#include "kernels/common/transpose.hpp"

#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

void enqueue_transpose(Context& context, RealType type, const MatrixView& from,
                       const MatrixView& to, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return;
  const std::size_t edge = context.profile().max_work_group_size >= 256 ? 16 : 8;
  Defines defines = real_defines(type);
  defines.emplace_back("EDGE", std::to_string(edge));
  Kernel kernel = context.programs().kernel("transpose.cl", "transpose", defines);
  cl_uint index = 0;
  pass_view(kernel, index, from);
  pass_view(kernel, index, to);
  kernel.set_arguments_from(index, static_cast<cl_uint>(rows), static_cast<cl_uint>(columns));
  enqueue_kernel(context.queue(), kernel, {round_up(columns, edge), round_up(rows, edge)},
                 {edge, edge});
}

}  // namespace clgauss
