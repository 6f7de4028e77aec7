#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "kernels/cholesky/cholesky_cpu.hpp"
#include "kernels/common/known_answers.hpp"
#include "kernels/common/variants.hpp"
#include "linalg/cholesky/potrf.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/lu/plain_solves.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

class CholeskyCpu : public CholeskyBackend {
 public:
  CholeskyCpu(Context& context, RealType type, Index n, const LuOptions& options,
              const LuSpec& spec)
      : CholeskyBackend(context, type, n),
        cut_(spec.parameters, n),
        compute_units_(context.profile().compute_units),
        buffers_(context, CholeskyCpuWorkspace(cut_, type)),
        kernels_(context_, type, spec.parameters),
        solves_(make_plain_solves_cpu(context_, type, n, options.gemm)) {}

  /// Launches every kernel once, on a system of one row. PoCL compiles a kernel for a work-group
  /// size at the first launch with that size. Otherwise that compilation would count as
  /// factorisation time.
  void prepare(const MatrixView& /*a*/, Index nrhs) override {
    if (cut_.n == 0) return;
    const cl::CommandQueue& queue = context_.queue();
    const MatrixView a =
        to_device(context_, type_, Matrix(1, 1, Values(1, 1.0)), 1, "a first launch");
    factor(queue, a, 1, {});
    enqueue_diagonal(queue, kernels_.diagonal, a, 1, buffers_.triangle);
    queue.finish();
    solves_->prepare(nrhs);
  }

  void prepare_transposed(Index nrhs) override { prepare({}, nrhs); }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& progress) override {
    factor(queue, a, cut_.n, progress);
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& factors, const MatrixView& b,
             Index nrhs) override {
    if (cut_.n > 0 && nrhs > 0) solves_->solve(queue, factors, cut_.n, b, nrhs);
    return false;
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return read_failed_column(queue, buffers_.info, cut_.n);
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    enqueue_poison(context_, queue, type_, {buffers_.info, static_cast<cl_int>(cut_.n), false}, b,
                   cut_.n, nrhs);
  }

  std::optional<Kernel> diagonal_kernel() override { return kernels_.diagonal; }

 private:
  /// Factors the n-by-n `a`, where n <= cut_.n.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
              const ProgressCallback& callback) {
    LuProgress progress(queue, callback, n, cut_.nb, 1.0 / 3);
    const cl_uint panels = ceil_div(n, cut_.nb);
    CholeskyCpuKernels& k = kernels_;
    const CholeskyCpuBuffers& d = buffers_;
    for (Kernel* kernel : {&k.extract, &k.advance, &k.rows})
      kernel->set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, cut_.nb);
    k.extract.set_arguments_from(6, d.store, d.u);
    k.advance.set_arguments_from(6, d.store, d.u, d.triangle, d.info, d.tickets, cut_.tile_rows,
                                 cut_.tile_cols);
    k.rows.set_arguments_from(6, d.store, d.u, d.triangle);
    queue.enqueueFillBuffer(d.info, static_cast<cl_int>(n), 0, sizeof(cl_int));
    queue.enqueueFillBuffer(d.tickets, cl_uint{0}, 0, panels * sizeof(cl_uint));
    for (cl_uint step = 0; step < panels; ++step) {
      const cl_uint k0 = step * cut_.nb, chunks = ceil_div(n - k0, cut_.rb);
      for (Kernel* kernel : {&k.extract, &k.advance, &k.rows}) kernel->set_arguments_from(5, step);
      enqueue(queue, k.extract, chunks);          // W = A11 and A21, updated
      enqueue(queue, k.advance, compute_units_);  // W1 = L D L^T, the rest of the last A -= L U
      enqueue(queue, k.rows, chunks);             // L21 = A21 U11^-1
      progress.block_enqueued(step, n - std::min(n, k0 + cut_.nb));
    }
    if (callback) progress.finish();
  }

  static void enqueue(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint items) {
    if (items > 0) enqueue_kernel(queue, kernel, cl::NDRange(items), cl::NDRange(1));
  }

  LuCpuBlocking cut_;
  cl_uint compute_units_;
  CholeskyCpuBuffers buffers_;
  CholeskyCpuKernels kernels_;
  std::unique_ptr<PlainSolves> solves_;
};

}  // namespace

std::unique_ptr<LuBackend> make_cholesky_cpu(Context& context, RealType type, Index n,
                                             const LuOptions& options, const LuSpec& spec) {
  return std::make_unique<CholeskyCpu>(context, type, n, options, spec);
}

bool cholesky_cpu_works(Context& context, RealType type, const LuSpec& spec) {
  return works_in_panels(context, cholesky_cpu_variant(), type, spec,
                         [&](const LuSpec& small, Index n) {
                           CholeskyCpu(context, type, n, {}, small).require_known_answer();
                         });
}

}  // namespace clgauss
