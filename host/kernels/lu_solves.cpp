#include <algorithm>
#include <array>

#include "kernels/cpu_tile.hpp"
#include "kernels/known_answers.hpp"
#include "kernels/lu_parts.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kQuestionSize = 3 * kTrsvBlock - 11;  // n of a triangular solve's known answer

}  // namespace

LuSolves::LuSolves(KernelMemo& kernels, const LuFlags& flags, Gemm& gemm, const LuTuning& tuning,
                   Index n, bool persistent, bool substitute)
    : kernels_(kernels),
      flags_(flags),
      gemm_(gemm),
      tuning_(tuning),
      n_(n),
      persistent_(persistent),
      substitute_(substitute ? "1" : "0") {
  Context& context = kernels.context();
  if (!persistent) return;
  const Index elements = std::max<Index>(n, kQuestionSize);
  packets_ = context.allocate(elements * sizeof(cl_ulong2), "the workspace of a solve");
  context.queue().enqueueFillBuffer(packets_, cl_int{0}, 0, elements * sizeof(cl_ulong2));
}

Kernel& LuSolves::swap_kernel(cl_uint block, bool solve, const std::string& substitute) {
  return kernels_.get("trsm.cl", "lu_swap_solve",
                      tuning_.strip_macros(solve ? StripKernel::swap_solve : StripKernel::swap,
                                           swap_group(block), substitute));
}

Kernel& LuSolves::block_solve_kernel(const std::string& substitute) {
  return kernels_.get(
      "trsm.cl", "block_solve",
      tuning_.strip_macros(StripKernel::block_solve, tuning_.solve_block, substitute));
}

Kernel& LuSolves::one_solve_kernel(bool persistent, bool upper) {
  return persistent ? kernels_.get("trsv_persistent.cl", "trsv_persistent",
                                   tuning_.one_launch_macros(upper))
                    : kernels_.get("trsv.cl", "trsv_step", LuTuning::step_macros(upper));
}

Kernel& LuSolves::working_swap_kernel(cl_uint block, bool solve) {
  Kernel*& chosen = swap_kernels_[{swap_group(block), solve}];
  if (chosen != nullptr) return *chosen;
  Context& context = kernels_.context();
  const StripKernel kernel = solve ? StripKernel::swap_solve : StripKernel::swap;
  const char* const name = solve ? "trsm" : "laswp";
  for (const std::string& substitute : {substitute_, std::string("1")}) {
    const Defines macros = tuning_.strip_macros(kernel, swap_group(block), substitute);
    const bool works = kernels_.works_as(name, "trsm.cl", macros, [&] {
      require_swap_solve(context, kernels_.type(), swap_group(block) - 5, tuning_.strip, solve,
                         [&](const SwapSolve& q) {
                           launch_swap(context.queue(), swap_kernel(block, solve, substitute),
                                       q.diagonal, q.b, static_cast<cl_uint>(q.block),
                                       static_cast<cl_uint>(q.columns),
                                       static_cast<cl_uint>(q.hole_begin),
                                       static_cast<cl_uint>(q.hole_end), solve, q.pivots, 0);
                         });
    });
    if (works) return *(chosen = &swap_kernel(block, solve, substitute));
  }
  kernels_.none_works("row exchanges", {name});
}

Kernel& LuSolves::working_block_solve_kernel() {
  if (block_solve_ != nullptr) return *block_solve_;
  Context& context = kernels_.context();
  for (const std::string& substitute : {substitute_, std::string("1")}) {
    Defines macros =
        tuning_.strip_macros(StripKernel::block_solve, tuning_.solve_block, substitute);
    const bool works = kernels_.works_as("block_solve", "trsm.cl", macros, [&] {
      for (const bool upper : {false, true})
        require_triangular_solve(
            context, kernels_.type(), tuning_.solve_block - 5, tuning_.strip + 3, upper,
            [&](const MatrixView& t, const MatrixView& b) {
              launch_block_solve(context.queue(), block_solve_kernel(substitute), t, b,
                                 tuning_.solve_block - 5, tuning_.strip + 3, upper);
            });
    });
    if (works) return *(block_solve_ = &block_solve_kernel(substitute));
  }
  kernels_.none_works("triangular solves", {"block_solve"});
}

bool LuSolves::one_solve_works(bool persistent) {
  Context& context = kernels_.context();
  return std::ranges::all_of(std::array{false, true}, [&](bool upper) {
    return kernels_.works(
        persistent ? "trsv_persistent.cl" : "trsv.cl",
        persistent ? tuning_.one_launch_macros(upper) : LuTuning::step_macros(upper), [&] {
          const cl_uint n = kQuestionSize;
          require_triangular_solve(context, kernels_.type(), n, 1, upper,
                                   [&](const MatrixView& t, const MatrixView& b) {
                                     if (persistent)
                                       solve_one_persistent(context.queue(), t, n, b, upper);
                                     else
                                       solve_one_stepwise(context.queue(), t, n, b, upper);
                                   });
        });
  });
}

LuSolves::One LuSolves::way_for_one() {
  if (!way_for_one_)
    way_for_one_ = persistent_ && one_solve_works(true) ? One::persistent
                   : one_solve_works(false)             ? One::steps
                                                        : One::blocks;
  return *way_for_one_;
}

void LuSolves::prepare(cl_uint block, Index nrhs) {
  working_swap_kernel(block, true);
  if (nrhs == 0) return;
  working_swap_kernel(tuning_.solve_block, false);
  const One way = nrhs == 1 ? way_for_one() : One::blocks;
  if (way == One::blocks)
    working_block_solve_kernel();
  else
    for (const bool upper : {false, true}) one_solve_kernel(way == One::persistent, upper);
}

void LuSolves::launch_swap(const cl::CommandQueue& queue, Kernel& swap, const MatrixView& diagonal,
                           const MatrixView& b, cl_uint block, cl_uint columns, cl_uint hole_begin,
                           cl_uint hole_end, bool solve, const cl::Buffer& pivots,
                           cl_uint row) const {
  cl_uint index = 0;
  pass_view(swap, index, diagonal);
  pass_view(swap, index, b);
  swap.set_arguments_from(index, block, columns, hole_begin, hole_end, cl_uint{solve ? 1U : 0U},
                          pivots, cl_ulong{row}, row);
  launch_groups(queue, swap, ceil_div(columns, tuning_.strip), swap_group(block));
}

void LuSolves::swap_and_solve(const cl::CommandQueue& queue, const MatrixView& diagonal,
                              const MatrixView& b, cl_uint block, cl_uint columns,
                              cl_uint hole_begin, cl_uint hole_end, bool solve,
                              const cl::Buffer& pivots, cl_uint row) {
  launch_swap(queue, working_swap_kernel(block, solve), diagonal, b, block, columns, hole_begin,
              hole_end, solve, pivots, row);
}

void LuSolves::launch_block_solve(const cl::CommandQueue& queue, Kernel& kernel,
                                  const MatrixView& t, const MatrixView& b, cl_uint size,
                                  cl_uint nrhs, bool upper) const {
  cl_uint index = 0;
  pass_view(kernel, index, t);
  pass_view(kernel, index, b);
  kernel.set_arguments_from(index, size, nrhs, cl_uint{upper ? 1U : 0U});
  launch_groups(queue, kernel, ceil_div(nrhs, tuning_.strip), tuning_.solve_block);
}

void LuSolves::solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                     const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs) {
  if (nrhs == 0) return;
  const cl_uint block = tuning_.solve_block;
  for (cl_uint k = 0; k < n; k += block)  // B <- P B
    swap_and_solve(queue, lu.at(k, k), b.at(k, 0), std::min(block, n - k), nrhs, 0, 0, false,
                   pivots, k);
  const One way = nrhs > 1 || b.ld != 1 ? One::blocks : way_for_one();
  if (way == One::blocks) {
    solve_many(queue, lu, n, b, nrhs);
    return;
  }
  for (const bool upper : {false, true}) {  // b <- L^-1 b, b <- U^-1 b
    if (way == One::persistent)
      solve_one_persistent(queue, lu, n, b, upper);
    else
      solve_one_stepwise(queue, lu, n, b, upper);
  }
}

void LuSolves::solve_many(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                          const MatrixView& b, cl_uint nrhs) {
  const cl_uint nb = tuning_.solve_block;
  Kernel& diagonal = working_block_solve_kernel();
  const auto solve_block = [&](cl_uint k, cl_uint size, bool upper) {
    launch_block_solve(queue, diagonal, lu.at(k, k), b.at(k, 0), size, nrhs, upper);
  };
  for (cl_uint k = 0; k < n; k += nb) {
    const cl_uint size = std::min(nb, n - k), rest = n - k - size;
    solve_block(k, size, false);  // Y_k = L_kk^-1 B_k
    gemm_.update(queue, rest, nrhs, size, lu.at(k + size, k), b.at(k, 0),
                 b.at(k + size, 0));  // B_i -= L_ik Y_k
  }
  for (cl_uint block = ceil_div(n, nb); block-- > 0;) {
    const cl_uint k = block * nb, size = std::min(nb, n - k);
    solve_block(k, size, true);                                               // X_k = U_kk^-1 Y_k
    gemm_.update(queue, k, nrhs, size, lu.at(0, k), b.at(k, 0), b.at(0, 0));  // Y_i -= U_ik X_k
  }
}

void LuSolves::solve_one_persistent(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n,
                                    const MatrixView& b, bool upper) {
  Kernel& trsv = one_solve_kernel(true, upper);
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
  Kernel& step = one_solve_kernel(false, upper);
  if (work_() == nullptr)
    work_ = kernels_.context().allocate(
        std::max<Index>(n_, kQuestionSize) * bytes_of(kernels_.type()), "the workspace of a solve");
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
