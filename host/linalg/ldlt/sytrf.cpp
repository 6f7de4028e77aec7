#include "linalg/ldlt/sytrf.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/ldlt/known_answers.hpp"
#include "kernels/ldlt/ldlt.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/lu/plain_solves.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

class Ldlt : public LuBackend {
 public:
  Ldlt(Context& context, RealType type, Index n, const LuOptions& options, const LuSpec& spec)
      : context_(context),
        type_(type),
        n_(n),
        columns_(static_cast<cl_uint>(n)),
        parameters_(spec.parameters),
        memo_(context_, type),
        flags_(context_),
        setting_{memo_, flags_, parameters_, n},
        gemm_(context_, type,
              spec.family == LuFamily::gpu ? gemm_options_for_lu(context_, type, n, options.gemm)
                                           : options.gemm),
        kernels_(memo_, spec.family, n),
        buffers_(context_, type, kernels_.cut()),
        solves_(spec.family == LuFamily::gpu
                    ? make_plain_solves_gpu(setting_, gemm_)
                    : make_plain_solves_cpu(context_, type, n, options.gemm)) {}

  void prepare(const MatrixView& a, Index nrhs) override {
    if (n_ == 0) return;
    kernels_.prepare();
    const cl_uint width = std::min(kernels_.width(), columns_);
    for (const cl_uint count : {width, width - 1})
      if (count > 0 && count < columns_) (void)update(a, 0, count).kernel_name(gemm_);
    solves_->prepare(nrhs);
  }

  void prepare_transposed(Index nrhs) override { solves_->prepare(nrhs); }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& callback) override {
    LuProgress progress(queue, callback, n_, kernels_.width(), 1.0 / 3);
    flags_.reset(queue);
    start(queue);
    for (cl_uint k = 0; k < columns_;) {
      const cl_uint width = std::min(kernels_.width(), columns_ - k);
      kernels_.panel(queue, a, columns_, k, width, buffers_, flags_);  // W1^T = (L D)^T
      const cl_uint count = taken(queue, k, width), next = k + count;
      kernels_.spread(queue, a, columns_, k, count, buffers_);         // L21 and U12
      if (next < columns_) update(a, k, count).enqueue(gemm_, queue);  // A22 -= L21 U12
      progress.block_enqueued(k / kernels_.width(), columns_ - next);
      k = next;
    }
    if (n_ > 0) kernels_.exchange(queue, a, columns_, buffers_);
    if (callback) progress.finish();
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& factors, const MatrixView& b,
             Index nrhs) override {
    if (n_ == 0 || nrhs == 0) return false;
    const std::uint64_t bytes = n_ * nrhs * bytes_of(type_);
    if (x_.buffer() == nullptr || x_.buffer.getInfo<CL_MEM_SIZE>() < bytes)
      x_.buffer = context_.allocate(bytes, "right-hand sides in the order of pivots");
    x_.ld = nrhs;
    kernels_.permute(queue, b, columns_, nrhs, buffers_.rows, x_.buffer, false);
    solves_->solve(queue, factors, columns_, x_, nrhs);
    kernels_.permute(queue, b, columns_, nrhs, buffers_.order, x_.buffer, true);
    return false;
  }

  void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& factors,
                        const MatrixView& b, Index nrhs) override {
    (void)getrs(queue, factors, b, nrhs);  // A^T = A
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return failed_column_of(context_, flags_.read(queue), n_);
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    enqueue_poison(context_, queue, type_, {flags_.buffer(), LuFlags::kNoBadPivot, true}, b, n_,
                   nrhs);
  }

  /// The row exchanges; the two rows of a 2-by-2 block of D change places.
  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    const SymmetricPivots found = *symmetric_pivots(queue);
    return row_exchanges_of(found.exchanges, found.pairs);
  }

  std::optional<SymmetricPivots> symmetric_pivots(const cl::CommandQueue& queue) override {
    SymmetricPivots found;
    const Values d = download(queue, buffers_.d, type_, 2 * n_);
    found.diagonal.assign(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(n_));
    found.below.assign(d.begin() + static_cast<std::ptrdiff_t>(n_), d.end());
    found.exchanges = read_pivots<cl_uint>(queue, buffers_.exchanges, n_, n_);
    std::vector<cl_uint> kinds(n_);
    if (n_ > 0)
      queue.enqueueReadBuffer(buffers_.kinds, CL_TRUE, 0, n_ * sizeof(cl_uint), kinds.data());
    for (Index k = 0; k < n_; ++k) {
      const bool second = k > 0 && kinds[k - 1] == LdltKernels::kFirst;
      if ((kinds[k] == LdltKernels::kSecond) != second || kinds[k] > LdltKernels::kSecond)
        throw DeviceFault("the blocks of D read from the device overlap");
      found.pairs.push_back(kinds[k] == LdltKernels::kFirst);
    }
    return found;
  }

  Pivoting pivoting() override { return Pivoting::partial; }

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

  /// Sets the initial contents of the panels' buffers.
  void start(const cl::CommandQueue& queue) {
    if (n_ == 0) return;
    const std::size_t bytes = n_ * sizeof(cl_uint);
    for (const cl::Buffer* indices : {&buffers_.exchanges, &buffers_.order, &buffers_.rows})
      queue.enqueueCopyBuffer(solves_->identity(), *indices, 0, 0, bytes);
    queue.enqueueFillBuffer(buffers_.kinds, LdltKernels::kOne, 0, bytes);
    queue.enqueueFillBuffer(buffers_.ends, columns_, 0, bytes);
    for (const cl::Buffer* zeros : {&buffers_.done, &buffers_.team})
      queue.enqueueFillBuffer(*zeros, cl_uint{0}, 0, zeros->getInfo<CL_MEM_SIZE>());
  }

  /// How many of its `width` columns from k on the panel factored. Waits.
  [[nodiscard]] cl_uint taken(const cl::CommandQueue& queue, cl_uint k, cl_uint width) const {
    cl_uint count = 0;
    queue.enqueueReadBuffer(buffers_.done, CL_TRUE, 0, sizeof count, &count);
    if (count == 0 || count > width || count + 1 < width)
      throw DeviceFault("the device says that a panel of " + std::to_string(width) +
                        " columns from column " + std::to_string(k + 1) + " on took " +
                        std::to_string(count));
    return count;
  }

  Context context_;
  RealType type_;
  Index n_;
  cl_uint columns_;
  Parameters parameters_;  // of the solves
  KernelMemo memo_;
  LuFlags flags_;
  LuSetting setting_;
  Gemm gemm_;
  LdltKernels kernels_;
  LdltBuffers buffers_;
  std::unique_ptr<PlainSolves> solves_;
  MatrixView x_;
};

}  // namespace

std::unique_ptr<LuBackend> make_ldlt(Context& context, RealType type, Index n,
                                     const LuOptions& options, const LuSpec& spec) {
  if (spec.family == LuFamily::cpu && ldlt_works(context, type, LuFamily::cpu))
    return std::make_unique<Ldlt>(context, type, n, options, spec);
  if (!ldlt_works(context, type, LuFamily::gpu))
    throw NoUsableKernel("no kernel for L D L^T works on " + context.profile().name + ": " +
                         context.trials().reasons({ldlt_cpu_variant().name, ldlt_variant().name}));
  return std::make_unique<Ldlt>(context, type, n, options,
                                spec.family == LuFamily::gpu
                                    ? spec
                                    : default_lu_spec(context.profile(), type, n, LuFamily::gpu));
}

bool ldlt_works(Context& context, RealType type, LuFamily family) {
  KernelMemo memo(context, type);
  const LdltKernels kernels(memo, family, 1);
  return context.trials().passes(kernels.build(), [&] {
    const Index n = 2 * kernels.width() + 5;
    Ldlt(context, type, n, {}, default_lu_spec(context.profile(), type, n, family))
        .require_known_answer();
  });
}

}  // namespace clgauss
