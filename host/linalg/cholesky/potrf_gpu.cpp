#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/cholesky/cholesky.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/known_answers.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "linalg/cholesky/potrf.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/lu/plain_solves.hpp"

namespace clgauss {

namespace {

class CholeskyGpu : public CholeskyBackend {
 public:
  /// Updates by panels or by products.
  CholeskyGpu(Context& context, RealType type, Index n, const LuOptions& options,
              const LuSpec& spec, bool panels_update)
      : CholeskyBackend(context, type, n),
        columns_(static_cast<cl_uint>(n)),
        parameters_(spec.parameters),
        memo_(context_, type),
        flags_(context_),
        setting_{memo_, flags_, parameters_, n},
        gemm_(context_, type, gemm_options_for_lu(context_, type, n, options.gemm)),
        kernels_(memo_, flags_, n, panels_update),
        panels_update_(panels_update),
        solves_(make_plain_solves_gpu(setting_, gemm_)) {
    const Setting at{context_.profile(), type, n};
    blocks_ =
        context_.allocate(cholesky_variant().workspace_bytes(usual_cholesky_parameters(at), at),
                          "the workspace of Cholesky's factors");
  }

  void prepare(const MatrixView& a, Index nrhs) override {
    if (n_ == 0) return;
    for_each_block(a, [&](const Block& at) {
      for_each_update(a, at, [&](const Update& update) {
        (void)gemm_.kernel_name(update.shape, update.l, update.u, update.c, -1, 1);
      });
    });
    solves_->prepare(nrhs);
  }

  void prepare_transposed(Index nrhs) override { solves_->prepare(nrhs); }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& callback) override {
    LuProgress progress(queue, callback, n_, kernels_.block(), 1.0 / 3);
    flags_.reset(queue);
    for_each_block(a, [&](const Block& at) {
      kernels_.panel(queue, at.corner, at.size, at.rest, at.k, blocks_);
      for_each_update(a, at, [&](const Update& update) {
        gemm_.multiply(update.shape, -1, update.l, update.u, 1, update.c, {&queue});
      });
      progress.block_enqueued(at.k / kernels_.block(), at.rest);
    });
    if (callback) progress.finish();
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& factors, const MatrixView& b,
             Index nrhs) override {
    if (n_ > 0 && nrhs > 0) solves_->solve(queue, factors, columns_, b, nrhs);
    return false;
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return failed_column_of(context_, flags_.read(queue), n_);
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    enqueue_poison(context_, queue, type_, {flags_.buffer(), LuFlags::kNoBadPivot, true}, b, n_,
                   nrhs);
  }

 private:
  /// One step: `size` columns from column k on, and the rows below them.
  struct Block {
    cl_uint k, size, rest;
    MatrixView corner;
  };
  /// C = C - L U; only the lower triangle of C is needed.
  struct Update {
    GemmShape shape;
    MatrixView l, u, c;
  };

  template <typename Do>
  void for_each_block(const MatrixView& a, const Do& what) const {
    const cl_uint nb = kernels_.block();
    for (cl_uint k = 0; k < columns_; k += nb) {
      const cl_uint size = std::min(nb, columns_ - k), next = k + size;
      what(Block{k, size, columns_ - next, a.at(k, k)});
    }
  }

  /// The products that update the rest after a block, if the panels do not. Let 2^i be the largest
  /// power of two that divides the number of blocks done in the outer block. Inside an outer block,
  /// one product with the last 2^i blocks updates the next 2^i blocks, so that few columns are read
  /// and written often. At the end of an outer block, one product updates all of A22 = A22 - L21
  /// U12.
  template <typename Do>
  void for_each_update(const MatrixView& a, const Block& at, const Do& what) const {
    const cl_uint nb = kernels_.block(), outer = kernels_.outer_block(), next = at.k + at.size,
                  first = at.k / outer * outer, end = std::min(columns_, first + outer);
    if (panels_update_ || next == columns_) return;
    const cl_uint done = (next - first) / nb,
                  deep = next < end ? (done & -done) * nb : next - first,
                  columns = next < end ? std::min(deep, end - next) : columns_ - next,
                  from = next - deep;
    what(Update{{columns_ - next, columns, deep, false, false, true},
                a.at(next, from),
                a.at(from, next),
                a.at(next, next)});
  }

  cl_uint columns_;
  Parameters parameters_;  // of the solves
  KernelMemo memo_;
  LuFlags flags_;
  LuSetting setting_;
  Gemm gemm_;
  CholeskyKernels kernels_;
  bool panels_update_;
  std::unique_ptr<PlainSolves> solves_;
  cl::Buffer blocks_;
};

}  // namespace

std::unique_ptr<LuBackend> make_cholesky_gpu(Context& context, RealType type, Index n,
                                             const LuOptions& options, const LuSpec& spec) {
  const Parameters parameters = usual_cholesky_parameters({context.profile(), type, n});
  const bool few = n <= static_cast<Index>(value_of(parameters, "TILES_N"));
  const bool panels_update = few && cholesky_works(context, type, true);
  if (!panels_update && !cholesky_works(context, type, false))
    throw NoUsableKernel("no kernel for Cholesky's factorisation works on " +
                         context.profile().name + ": " +
                         context.trials().reasons({cholesky_trial(false)}));
  return std::make_unique<CholeskyGpu>(context, type, n, options, spec, panels_update);
}

bool cholesky_works(Context& context, RealType type, bool panels_update) {
  KernelMemo memo(context, type);
  const LuFlags flags(context);
  const CholeskyKernels kernels(memo, flags, 1, panels_update);
  const ProgramRequest program = kernels.program();
  return context.trials().passes(
      {cholesky_trial(panels_update), program.file, program.defines}, [&] {
        const Index n = 3 * kernels.block() + 5;  // tiles with and without rows in both halves
        CholeskyGpu(context, type, n, {},
                    default_lu_spec(context.profile(), type, n, LuFamily::gpu), panels_update)
            .require_known_answer();
      });
}

}  // namespace clgauss
