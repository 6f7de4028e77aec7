#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "kernels/lu/lu_cpu.hpp"
#include "linalg/lu/getrs.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/pivots.hpp"

namespace clgauss {

namespace {

/// Phases share a launch until it does at least this many flops, so that launches cost nothing in
/// comparison. With a progress callback there are more launches: one cannot be ended on its way.
constexpr double kLeastFlops = 2e9, kLeastFlopsReported = 2e8;

class LuCpu : public LuBackend {
 public:
  LuCpu(Context& context, RealType type, Index n, const LuOptions& options, const LuSpec& spec)
      : context_(context),
        type_(type),
        cut_(spec.parameters, n),
        gemm_options_(options.gemm),
        phases_(context, spec.parameters),
        buffers_(context, LuCpuWorkspace(cut_, type)),
        kernels_(context_, type, spec.parameters) {}

  /// Launches every kernel once, on the smallest system possible. PoCL compiles a kernel for a
  /// work-group size at the first launch with that size. Otherwise that compilation would count as
  /// factorisation time.
  void prepare(const MatrixView& /*a*/, Index nrhs) override {
    const cl::CommandQueue& queue = context_.queue();
    const cl_uint n =
        nrhs > 1 && !by_columns(nrhs, nrhs) ? std::min(cut_.n, many_solves().rows_to_prepare()) : 1;
    const std::uint64_t element = bytes_of(type_);
    const MatrixView a{context_.allocate(n * n * element, "a first launch"), 0, n};
    const MatrixView b{context_.allocate(n * nrhs * element, "a first launch"), 0, nrhs};
    for (const MatrixView& view : {a, b})
      queue.enqueueFillBuffer(view.buffer, cl_uchar{0}, 0, view.buffer.getInfo<CL_MEM_SIZE>());
    factor(queue, a, n, {});
    enqueue_diagonal(queue, kernels_.diagonal, a, 1, buffers_.x);
    if (nrhs > 0) (void)solve(queue, a, b, n, nrhs);
    queue.finish();
  }

  void prepare_transposed(Index nrhs) override { few_solves().prepare_transposed(context_, nrhs); }
  void prepare_both(Index nrhs) override { few_solves().prepare_both(context_, nrhs); }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& progress) override {
    factor(queue, a, cut_.n, progress);
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
             Index nrhs) override {
    return solve(queue, lu, b, cut_.n, nrhs);
  }

  void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                        Index nrhs) override {
    few_solves().solve(queue, lu, cut_.n, row_order(cut_.n), b, static_cast<cl_uint>(nrhs), true);
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return read_failed_column(queue, buffers_.info, cut_.n);
  }

  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    return read_pivots<cl_uint>(queue, buffers_.pivots, cut_.n, cut_.n);
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    enqueue_poison(context_, queue, type_, {buffers_.info, static_cast<cl_int>(cut_.n), false}, b,
                   cut_.n, nrhs);
  }

  Pivoting pivoting() override { return Pivoting::partial; }

  std::optional<Kernel> diagonal_kernel() override { return kernels_.diagonal; }

 private:
  ManySolves& many_solves() {
    if (!many_) many_ = std::make_unique<ManySolves>(context_, type_, cut_.n, gemm_options_);
    return *many_;
  }

  FewSolves& few_solves() {
    if (!few_) few_.emplace(context_, type_, cut_.n);
    return *few_;
  }

  /// Whether to solve with the right-hand sides as columns. This way reads the factors in longer
  /// runs. On 2 cores it halves the time for one right-hand side from n = 4096 on. Small systems
  /// gain nothing from it, and without it they need one program less.
  bool by_columns(Index nrhs, Index ld) {
    constexpr cl_uint kFrom = 1024;
    return nrhs > 0 && (ld > 1 || cut_.n >= kFrom) && few_solves().solves_plain(nrhs);
  }

  /// The row order of the last factorisation, of n rows.
  [[nodiscard]] RowOrder row_order(cl_uint n) const {
    return {buffers_.ids, cl_ulong{ceil_div(n, cut_.nb) - 1} * n};
  }

  /// Factors the n-by-n `a`, where n <= cut_.n.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
              const ProgressCallback& callback) {
    LuProgress progress(queue, callback, n, cut_.nb);
    const cl_uint panels = ceil_div(n, cut_.nb), phases = lu_phases(panels);
    bind_matrix(a, n, panels);
    queue.enqueueFillBuffer(buffers_.info, static_cast<cl_int>(n), 0, sizeof(cl_int));
    clear_counters(queue, phases);
    const double least_flops = callback ? kLeastFlopsReported : kLeastFlops;
    double flops = 0;  // of the phases from `first` on
    cl_uint first = 0;
    for (cl_uint step = 0; step < panels; ++step) {
      const cl_uint right = n - std::min(n, (step + 1) * cut_.nb),
                    last = right > 0 ? 3 * step + 3 : phases;
      flops += 2.0 * cut_.nb * right * right;
      if (last < phases && flops < least_flops) continue;
      phases_.launch(queue, kernels_.phases, 5, first, last);
      progress.block_enqueued(step, right);
      first = last;
      flops = 0;
    }
    if (callback) progress.finish();
  }

  void clear_counters(const cl::CommandQueue& queue, cl_uint phases) const {
    queue.enqueueFillBuffer(buffers_.counters, cl_uint{0}, 0, phases * kLuCpuCounterBytes);
  }

  /// B <- A^-1 B with the n-by-n factors `lu` of the last factorisation. Returns the same as
  /// getrs().
  bool solve(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b, cl_uint n,
             Index nrhs) {
    const bool columns = by_columns(nrhs, b.ld), one = !columns && nrhs == 1 && b.ld == 1;
    if (columns)
      few_solves().solve(queue, lu, n, row_order(n), b, static_cast<cl_uint>(nrhs), false);
    else if (one)
      solve_one(queue, lu, b, n);
    else
      many_solves().solve(queue, lu, n, buffers_.pivots, b, static_cast<cl_uint>(nrhs));
    return one;
  }

  void bind_matrix(const MatrixView& a, cl_uint n, cl_uint panels) {
    const LuCpuBuffers& d = buffers_;
    kernels_.phases.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, cut_.nb, 0U, 0U,
                                  d.store, d.u, d.scratch, d.pivots, d.ids, d.positions, d.moves,
                                  d.info, d.counters, cut_.tile_rows, cut_.tile_cols, panels);
  }

  /// b <- U^-1 L^-1 P b, block by block. Leaves NaN in b if the factorisation failed.
  void solve_one(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                 cl_uint n) {
    const LuCpuBuffers& d = buffers_;
    kernels_.solve.set_arguments(lu.buffer, cl_ulong{lu.offset}, cl_ulong{lu.ld}, n, b.buffer,
                                 cl_ulong{b.offset}, 0U, 0U, d.x, d.ids, ceil_div(n, cut_.nb),
                                 d.info, d.counters, cut_.solve_block);
    clear_counters(queue, cut_.solve_phases(n));
    phases_.launch(queue, kernels_.solve, 6, 0, cut_.solve_phases(n));
  }

  Context context_;
  RealType type_;
  LuCpuBlocking cut_;
  GemmOptions gemm_options_;
  LuCpuPhases phases_;
  LuCpuBuffers buffers_;
  LuCpuKernels kernels_;
  std::unique_ptr<ManySolves> many_;  // made when first needed
  std::optional<FewSolves> few_;
};

}  // namespace

std::unique_ptr<LuBackend> make_lu_cpu(Context& context, RealType type, Index n,
                                       const LuOptions& options, const LuSpec& spec) {
  return std::make_unique<LuCpu>(context, type, n, options, spec);
}

bool lu_cpu_works(Context& context, RealType type, const LuSpec& spec) {
  return works_in_panels(context, lu_cpu_variant(), type, spec, [&](const LuSpec& small, Index n) {
    LuCpu lu(context, type, n, {}, small);
    require_solution(context, type, n, [&](const MatrixView& a, const MatrixView& b) {
      lu.getrf(context.queue(), a);
      (void)lu.getrs(context.queue(), a, b, 1);
      return lu.pivots(context.queue());
    });
  });
}

}  // namespace clgauss
