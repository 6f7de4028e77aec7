#include "linalg/ldlt/sytrf.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/ldlt/known_answers.hpp"
#include "linalg/ldlt/ldlt_factors.hpp"
#include "linalg/lu/plain_solves.hpp"

namespace clgauss {

namespace {

class Ldlt : public LuBackend {
 public:
  Ldlt(Context& context, RealType type, Index n, const LuOptions& options, const LuSpec& spec,
       const LdltPanels& panels = {})
      : context_(context),
        type_(type),
        n_(n),
        columns_(static_cast<cl_uint>(n)),
        parameters_(spec.parameters),
        memo_(context_, type),
        pivoting_(panels.which == LdltPanels::rook ? Pivoting::rook : Pivoting::partial),
        factors_(memo_, spec.family, n, panels),
        setting_{memo_, factors_.flags(), parameters_, n},
        gemm_(context_, type,
              spec.family == LuFamily::gpu ? gemm_options_for_lu(context_, type, n, options.gemm)
                                           : options.gemm),
        solves_(spec.family == LuFamily::gpu
                    ? make_plain_solves_gpu(setting_, gemm_)
                    : make_plain_solves_cpu(context_, type, n, options.gemm)) {}

  void prepare(const MatrixView& a, Index nrhs) override {
    if (n_ == 0) return;
    factors_.prepare();
    const cl_uint width = std::min(factors_.width(), columns_);
    for (const cl_uint count : {width, width - 1})
      if (count > 0 && count < columns_) (void)update(a, 0, count).kernel_name(gemm_);
    solves_->prepare(nrhs);
  }

  void prepare_transposed(Index nrhs) override { solves_->prepare(nrhs); }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& callback) override {
    factors_.factor(queue, a, callback,
                    [&](cl_uint k, cl_uint count) { update(a, k, count).enqueue(gemm_, queue); });
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& factors, const MatrixView& b,
             Index nrhs) override {
    if (n_ == 0 || nrhs == 0) return false;
    const std::uint64_t bytes = n_ * nrhs * bytes_of(type_);
    if (x_.buffer() == nullptr || x_.buffer.getInfo<CL_MEM_SIZE>() < bytes)
      x_.buffer = context_.allocate(bytes, "right-hand sides in the order of pivots");
    x_.ld = nrhs;
    factors_.to_pivots(queue, b, nrhs, x_.buffer);
    solves_->solve(queue, factors, columns_, x_, nrhs);
    factors_.from_pivots(queue, x_.buffer, nrhs, b);
    return false;
  }

  void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& factors,
                        const MatrixView& b, Index nrhs) override {
    (void)getrs(queue, factors, b, nrhs);  // A^T = A
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return factors_.failed_column(queue);
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    enqueue_poison(context_, queue, type_, {factors_.flags().buffer(), LuFlags::kNoBadPivot, true},
                   b, n_, nrhs);
  }

  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    return factors_.pivots(queue);
  }

  std::optional<SymmetricPivots> symmetric_pivots(const cl::CommandQueue& queue) override {
    return factors_.symmetric_pivots(queue);
  }

  Pivoting pivoting() override { return pivoting_; }

  /// Self-test: throws if it factors or solves a known system wrong.
  void require_known_answer() {
    require_symmetric_solution(context_, type_, n_, [&](const MatrixView& a, const MatrixView& b) {
      getrf(context_.queue(), a);
      (void)getrs(context_.queue(), a, b, 1);
      return SymmetricAnswer{failed_column(context_.queue()), pivots(context_.queue()),
                             symmetric_pivots(context_.queue())->exchanges};
    });
  }

 private:
  /// C = C - L U; only the lower triangle of C is needed.
  struct Update {
    GemmShape shape;
    MatrixView l, u, c;

    [[nodiscard]] std::string kernel_name(const Gemm& gemm) const {
      return gemm.kernel_name(shape, l, u, c, -1, 1);
    }
    void enqueue(Gemm& gemm, const cl::CommandQueue& queue) const {
      gemm.multiply(shape, -1, l, u, 1, c, {&queue});
    }
  };

  /// The update of the remaining columns, once `count` columns from k on are factored.
  [[nodiscard]] Update update(const MatrixView& a, cl_uint k, cl_uint count) const {
    const cl_uint next = k + count, rest = columns_ - next;
    return {
        {rest, rest, count, false, false, true}, a.at(next, k), a.at(k, next), a.at(next, next)};
  }

  Context context_;
  RealType type_;
  Index n_;
  cl_uint columns_;
  Parameters parameters_;  // of the solves
  KernelMemo memo_;
  Pivoting pivoting_;
  LdltFactors factors_;
  LuSetting setting_;
  Gemm gemm_;
  std::unique_ptr<PlainSolves> solves_;
  MatrixView x_;
};

}  // namespace

std::unique_ptr<LuBackend> make_ldlt(Context& context, RealType type, Index n,
                                     const LuOptions& options, const LuSpec& spec) {
  const LdltPanels panels = ldlt_panels_for(options.pivoting);
  if (spec.family == LuFamily::cpu && ldlt_works(context, type, LuFamily::cpu))
    return std::make_unique<Ldlt>(context, type, n, options, spec, panels);
  if (!ldlt_works(context, type, LuFamily::gpu))
    throw NoUsableKernel("no kernel for L D L^T works on " + context.profile().name + ": " +
                         context.trials().reasons({ldlt_cpu_variant().name, ldlt_variant().name}));
  return std::make_unique<Ldlt>(context, type, n, options,
                                spec.family == LuFamily::gpu
                                    ? spec
                                    : default_lu_spec(context.profile(), type, n, LuFamily::gpu),
                                panels);
}

bool ldlt_works(Context& context, RealType type, LuFamily family) {
  KernelMemo memo(context, type);
  const LdltKernels kernels(memo, family, 1);
  return context.trials().passes(kernels.build(), [&] {
    const Index n = 2 * kernels.width() + 5;
    for (const auto panels : {LdltPanels::one_group, LdltPanels::rook})
      Ldlt(context, type, n, {}, default_lu_spec(context.profile(), type, n, family), {panels})
          .require_known_answer();
  });
}

bool ldlt_waiting_works(Context& context, RealType type, cl_uint rows) {
  KernelMemo memo(context, type);
  const LdltPanels waiting{LdltPanels::waiting, rows};
  const LdltKernels kernels(memo, LuFamily::gpu, 1, waiting);
  return context.trials().passes(kernels.build_of_waiting(), [&] {
    const Index n = 2 * rows + 5;
    Ldlt(context, type, n, {}, default_lu_spec(context.profile(), type, n, LuFamily::gpu), waiting)
        .require_known_answer();
  });
}

}  // namespace clgauss
