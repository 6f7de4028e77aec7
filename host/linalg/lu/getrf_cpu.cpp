#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "linalg/lu/getrs.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/lu_cpu_factors.hpp"
#include "linalg/lu/pivots.hpp"

namespace clgauss {

namespace {

class LuCpu : public LuBackend {
 public:
  LuCpu(Context& context, RealType type, Index n, const LuOptions& options, const LuSpec& spec)
      : context_(context),
        type_(type),
        gemm_options_(options.gemm),
        factors_(context_, type, n, spec) {}

  /// Launches every kernel once, on the smallest system possible. PoCL compiles a kernel for a
  /// work-group size at the first launch with that size. Otherwise that compilation would count as
  /// factorisation time.
  void prepare(const MatrixView& /*a*/, Index nrhs) override {
    const cl::CommandQueue& queue = context_.queue();
    const cl_uint n = nrhs > 1 && !by_columns(nrhs, nrhs)
                          ? std::min(order(), many_solves().rows_to_prepare())
                          : 1;
    const std::uint64_t element = bytes_of(type_);
    const MatrixView a{context_.allocate(n * n * element, "a first launch"), 0, n};
    const MatrixView b{context_.allocate(n * nrhs * element, "a first launch"), 0, nrhs};
    for (const MatrixView& view : {a, b})
      queue.enqueueFillBuffer(view.buffer, cl_uchar{0}, 0, view.buffer.getInfo<CL_MEM_SIZE>());
    factors_.factor(queue, a, n, {});
    enqueue_diagonal(queue, factors_.diagonal_kernel(), a, 1, factors_.buffers().x);
    if (nrhs > 0) (void)solve(queue, a, b, n, nrhs);
    queue.finish();
  }

  void prepare_transposed(Index nrhs) override { few_solves().prepare_transposed(context_, nrhs); }
  void prepare_both(Index nrhs) override { few_solves().prepare_both(context_, nrhs); }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& progress) override {
    factors_.factor(queue, a, order(), progress);
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
             Index nrhs) override {
    return solve(queue, lu, b, order(), nrhs);
  }

  void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                        Index nrhs) override {
    few_solves().solve(queue, lu, order(), factors_.row_order(order()), b,
                       static_cast<cl_uint>(nrhs), true);
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return factors_.failed_column(queue);
  }

  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    return read_pivots<cl_uint>(queue, factors_.buffers().pivots, order(), order());
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    enqueue_poison(context_, queue, type_,
                   {factors_.buffers().info, static_cast<cl_int>(order()), false}, b, order(),
                   nrhs);
  }

  Pivoting pivoting() override { return Pivoting::partial; }

  std::optional<Kernel> diagonal_kernel() override { return factors_.diagonal_kernel(); }

 private:
  [[nodiscard]] cl_uint order() const { return factors_.n(); }

  ManySolves& many_solves() {
    if (!many_) many_ = std::make_unique<ManySolves>(context_, type_, order(), gemm_options_);
    return *many_;
  }

  FewSolves& few_solves() {
    if (!few_) few_.emplace(context_, type_, order());
    return *few_;
  }

  /// Whether to solve with the right-hand sides as columns. This way reads the factors in longer
  /// runs. On 2 cores it halves the time for one right-hand side from n = 4096 on. Small systems
  /// gain nothing from it, and without it they need one program less.
  bool by_columns(Index nrhs, Index ld) {
    constexpr cl_uint kFrom = 1024;
    return nrhs > 0 && (ld > 1 || order() >= kFrom) && few_solves().solves_plain(nrhs);
  }

  /// B <- A^-1 B with the n-by-n factors `lu` of the last factorisation. Returns the same as
  /// getrs().
  bool solve(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b, cl_uint n,
             Index nrhs) {
    const bool columns = by_columns(nrhs, b.ld), one = !columns && nrhs == 1 && b.ld == 1;
    if (columns)
      few_solves().solve(queue, lu, n, factors_.row_order(n), b, static_cast<cl_uint>(nrhs), false);
    else if (one)
      factors_.solve_one(queue, lu, b, n);
    else
      many_solves().solve(queue, lu, n, factors_.buffers().pivots, b, static_cast<cl_uint>(nrhs));
    return one;
  }

  Context context_;
  RealType type_;
  GemmOptions gemm_options_;
  LuCpuFactors factors_;
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
