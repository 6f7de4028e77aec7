#include "linalg/lu/lu_cpu_factors.hpp"

#include <algorithm>

#include "linalg/lu/lu_backend.hpp"

namespace clgauss {

namespace {

/// Phases share a launch until it does at least this many flops, so that launches cost nothing in
/// comparison. With a progress callback there are more launches: one cannot be ended on its way.
constexpr double kLeastFlops = 2e9, kLeastFlopsReported = 2e8;

}  // namespace

LuCpuFactors::LuCpuFactors(Context& context, NumberType number, Index n, const LuSpec& spec)
    : number_(number),
      cut_(spec.parameters, n),
      phases_(context, spec.parameters),
      buffers_(context, LuCpuWorkspace(cut_, number)),
      kernels_(context, number, spec.parameters) {}

void LuCpuFactors::factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                          const ProgressCallback& callback) {
  const double flops_of_pair = number_.complex ? 8 : 2;
  LuProgress progress(queue, callback, n, cut_.nb, flops_of_pair / 3);
  const cl_uint panels = ceil_div(n, cut_.nb), phases = lu_phases(panels);
  const MatrixView parts = number_.in_parts(a);
  const LuCpuBuffers& d = buffers_;
  kernels_.phases.set_arguments(parts.buffer, cl_ulong{parts.offset}, cl_ulong{parts.ld}, n,
                                cut_.nb, 0U, 0U, d.store, d.u, d.scratch, d.pivots, d.ids,
                                d.positions, d.moves, d.info, d.counters, cut_.tile_rows,
                                cut_.tile_cols, panels);
  queue.enqueueFillBuffer(d.info, static_cast<cl_int>(n), 0, sizeof(cl_int));
  clear_counters(queue, phases);
  const double least_flops = callback ? kLeastFlopsReported : kLeastFlops;
  double flops = 0;  // of the phases from `first` on
  cl_uint first = 0;
  for (cl_uint step = 0; step < panels; ++step) {
    const cl_uint right = n - std::min(n, (step + 1) * cut_.nb),
                  last = right > 0 ? 3 * step + 3 : phases;
    flops += flops_of_pair * cut_.nb * right * right;
    if (last < phases && flops < least_flops) continue;
    phases_.launch(queue, kernels_.phases, 5, first, last);
    progress.block_enqueued(step, right);
    first = last;
    flops = 0;
  }
  if (callback) progress.finish();
}

void LuCpuFactors::clear_counters(const cl::CommandQueue& queue, cl_uint phases) const {
  queue.enqueueFillBuffer(buffers_.counters, cl_uint{0}, 0, phases * kLuCpuCounterBytes);
}

void LuCpuFactors::solve_one(const cl::CommandQueue& queue, const MatrixView& lu,
                             const MatrixView& b, cl_uint n) {
  const LuCpuBuffers& d = buffers_;
  kernels_.solve.set_arguments(lu.buffer, cl_ulong{lu.offset}, cl_ulong{lu.ld}, n, b.buffer,
                               cl_ulong{b.offset}, 0U, 0U, d.x, d.ids, ceil_div(n, cut_.nb), d.info,
                               d.counters, cut_.solve_block);
  clear_counters(queue, cut_.solve_phases(n));
  phases_.launch(queue, kernels_.solve, 6, 0, cut_.solve_phases(n));
}

}  // namespace clgauss
