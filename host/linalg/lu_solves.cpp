#include <algorithm>

#include "linalg/cpu_tile.hpp"
#include "linalg/lu_parts.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kTrsvBlock = 64;

}  // namespace

LuSolves::LuSolves(KernelMemo& kernels, const LuFlags& flags, Gemm& gemm, const LuTuning& tuning,
                   Index n, bool persistent, bool substitute)
    : kernels_(kernels),
      flags_(flags),
      gemm_(gemm),
      tuning_(tuning),
      persistent_(persistent),
      substitute_(substitute ? "1" : "0") {
  DeviceContext& context = kernels.context();
  if (!persistent) {
    work_ = context.allocate(n * bytes_of(kernels.type()), "the workspace of a solve");
    return;
  }
  packets_ = context.allocate(n * sizeof(cl_ulong2), "the workspace of a solve");
  context.queue().enqueueFillBuffer(packets_, cl_int{0}, 0, n * sizeof(cl_ulong2));
}

Kernel& LuSolves::swap_kernel(cl_uint block, bool solve) {
  return kernels_.get("trsm.cl", "lu_swap_solve",
                      {{"WG_SIZE", std::to_string(swap_group(block))},
                       {"STRIP", std::to_string(tuning_.strip)},
                       {"SUBSTITUTE", substitute_},
                       {"KERNEL", solve ? "1" : "0"}});
}

Kernel& LuSolves::block_solve_kernel() {
  return kernels_.get("trsm.cl", "block_solve",
                      {{"WG_SIZE", std::to_string(tuning_.solve_block)},
                       {"STRIP", std::to_string(tuning_.strip)},
                       {"SUBSTITUTE", substitute_},
                       {"KERNEL", "2"}});
}

Kernel& LuSolves::one_solve_kernel(bool upper) {
  const char* const is_upper = upper ? "1" : "0";
  if (!persistent_)
    return kernels_.get("trsv.cl", "trsv_step",
                        {{"WG_SIZE", std::to_string(kTrsvBlock)}, {"UPPER", is_upper}});
  return kernels_.get("trsv_persistent.cl", "trsv_persistent",
                      {{"BLOCK", std::to_string(kTrsvBlock)},
                       {"UPPER", is_upper},
                       {"SPIN_LIMIT", std::to_string(tuning_.spin_limit)}});
}

void LuSolves::prepare(cl_uint block, Index nrhs) {
  swap_kernel(block, true);
  if (nrhs == 0) return;
  swap_kernel(tuning_.solve_block, false);
  if (nrhs == 1)
    for (const bool upper : {false, true}) one_solve_kernel(upper);
  else
    block_solve_kernel();
}

void LuSolves::swap_and_solve(const cl::CommandQueue& queue, const MatrixView& diagonal,
                              const MatrixView& b, cl_uint block, cl_uint columns,
                              cl_uint hole_begin, cl_uint hole_end, bool solve,
                              const cl::Buffer& pivots, cl_uint row) {
  Kernel& swap = swap_kernel(block, solve);
  cl_uint index = 0;
  pass_view(swap, index, diagonal);
  pass_view(swap, index, b);
  swap.set_arguments_from(index, block, columns, hole_begin, hole_end, cl_uint{solve ? 1U : 0U},
                          pivots, cl_ulong{row}, row);
  launch_groups(queue, swap, ceil_div(columns, tuning_.strip), swap_group(block));
}

void LuSolves::solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                     const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs) {
  if (nrhs == 0) return;
  const cl_uint block = tuning_.solve_block;
  for (cl_uint k = 0; k < n; k += block)  // B <- P B
    swap_and_solve(queue, lu.at(k, k), b.at(k, 0), std::min(block, n - k), nrhs, 0, 0, false,
                   pivots, k);
  if (nrhs > 1 || b.ld != 1) {
    solve_many(queue, lu, n, b, nrhs);
    return;
  }
  for (const bool upper : {false, true}) {  // b <- L^-1 b, b <- U^-1 b
    if (persistent_)
      solve_one_persistent(queue, lu, n, b, upper);
    else
      solve_one_stepwise(queue, lu, n, b, upper);
  }
}

void LuSolves::solve_many(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                          const MatrixView& b, cl_uint nrhs) {
  const cl_uint nb = tuning_.solve_block;
  Kernel& diagonal = block_solve_kernel();
  const auto solve_block = [&](cl_uint k, cl_uint size, cl_uint upper) {
    cl_uint index = 0;
    pass_view(diagonal, index, lu.at(k, k));
    pass_view(diagonal, index, b.at(k, 0));
    diagonal.set_arguments_from(index, size, nrhs, upper);
    launch_groups(queue, diagonal, ceil_div(nrhs, tuning_.strip), nb);
  };
  for (cl_uint k = 0; k < n; k += nb) {
    const cl_uint size = std::min(nb, n - k), rest = n - k - size;
    solve_block(k, size, 0);  // Y_k = L_kk^-1 B_k
    gemm_.update(queue, rest, nrhs, size, lu.at(k + size, k), b.at(k, 0),
                 b.at(k + size, 0));  // B_i -= L_ik Y_k
  }
  for (cl_uint block = ceil_div(n, nb); block-- > 0;) {
    const cl_uint k = block * nb, size = std::min(nb, n - k);
    solve_block(k, size, 1);                                                  // X_k = U_kk^-1 Y_k
    gemm_.update(queue, k, nrhs, size, lu.at(0, k), b.at(k, 0), b.at(0, 0));  // Y_i -= U_ik X_k
  }
}

void LuSolves::solve_one_persistent(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n,
                                    const MatrixView& b, bool upper) {
  Kernel& trsv = one_solve_kernel(upper);
  if (++packets_epoch_ == 0) {  // tags would repeat: start afresh
    queue.enqueueFillBuffer(packets_, cl_int{0}, 0, packets_.getInfo<CL_MEM_SIZE>());
    packets_epoch_ = 1;
  }
  cl_uint index = 0;
  pass_view(trsv, index, t);
  trsv.set_arguments_from(index, n, b.buffer, cl_ulong{b.offset}, packets_, packets_epoch_,
                          flags_.buffer());
  const cl_uint compute_units = kernels_.context().profile().compute_units;
  launch_groups(queue, trsv, std::min(compute_units, ceil_div(n, kTrsvBlock)), 4 * kTrsvBlock);
}

void LuSolves::solve_one_stepwise(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n,
                                  const MatrixView& b, bool upper) {
  Kernel& step = one_solve_kernel(upper);
  const cl_uint blocks = ceil_div(n, kTrsvBlock);
  for (cl_uint i = 0; i < blocks; ++i) {
    const cl_uint block = upper ? blocks - 1 - i : i;
    cl_uint index = 0;
    pass_view(step, index, t);
    step.set_arguments_from(index, n, block, b.buffer, cl_ulong{b.offset}, work_);
    launch_groups(queue, step, std::max<cl_uint>(1, blocks - 1 - i), kTrsvBlock);
  }
  const std::size_t element = bytes_of(kernels_.type());
  queue.enqueueCopyBuffer(work_, b.buffer, 0, b.offset * element, n * element);
}

}  // namespace clgauss
