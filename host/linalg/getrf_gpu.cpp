#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/gemm_backend.hpp"
#include "kernels/lu_small.hpp"
#include "kernels/panel.hpp"
#include "linalg/getrs.hpp"
#include "linalg/lu_backend.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

class LuGpu : public LuBackend {
 public:
  LuGpu(Context& context, RealType type, Index n, const LuOptions& options, const LuSpec& spec)
      : context_(context),
        n_(static_cast<cl_uint>(n)),
        parameters_(spec.parameters),
        memo_(context_, type),
        flags_(context_),
        setting_{memo_, flags_, parameters_, n},
        nb_(setting_.number("NB")),
        gemm_(context_, type, gemm_options_for_lu(context_, type, n, options.gemm)),
        pivots_(context_.allocate(n * sizeof(cl_int), "the pivots of an LU")),
        small_(setting_, pivots_),
        panels_(setting_, options.pivoting == Pivoting::tournament ? PanelWays::tournament
                                                                   : PanelWays::fastest),
        laswp_trsm_(setting_) {
    if (!small_.fits()) context_.programs().build_all(programs());
    getrs_.emplace(setting_, laswp_trsm_, gemm_, panels_.persistent());
  }

  void prepare(const MatrixView& a, Index nrhs) override {
    if (nrhs <= 1 && small_.works()) return;
    for (cl_uint k = 0; k < n_; k += kPanelWidth) {
      panels_.prepare(n_ - k);
      const cl_uint next = std::min(n_, k + kPanelWidth), rest = n_ - next;
      const MatrixView below = a.at(next, k), right = a.at(k, next), corner = a.at(next, next);
      for (const cl_uint columns : {rest, std::min(rest, nb_ - kPanelWidth)})
        gemm_.prepare_update(rest, columns, kPanelWidth, below, right, corner);
    }
    for (const cl_uint width : {kPanelWidth, nb_}) laswp_trsm_.prepare(width, true);
    getrs_->prepare(nrhs);
  }

  void prepare_transposed(Index nrhs) override {
    few_solves().prepare_transposed(context_, memo_.type(), nrhs);
    order_.reset();  // that of the first launch lies in its place
  }
  void prepare_both(Index nrhs) override {
    few_solves().prepare_both(context_, memo_.type(), nrhs);
    order_.reset();
  }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& callback) override {
    LuProgress progress(queue, callback, n_, nb_);
    flags_.reset(queue);
    order_.reset();
    for (cl_uint k = 0; k < n_; k += nb_) {
      const cl_uint nb = std::min(nb_, n_ - k), next = k + nb, rest = n_ - next;
      factor_block(queue, a, k, nb);  // P_k A(k:n, k:k+nb) = L U
      if (nb == n_) break;
      laswp_trsm_.laswp_trsm(queue, {a.at(k, k), a.at(k, 0), nb, n_, k, next, true, pivots_,
                                     k});  // A12 = L11^-1 P_k A12
      gemm_.update(rest, rest, nb, a.at(next, k), a.at(k, next), a.at(next, next),
                   {&queue});  // A22 = A22 - L21 U12
      progress.block_enqueued(k / nb_, rest);
    }
    if (callback) progress.finish();
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
             Index nrhs) override {
    if (nrhs > 1 && few_solves().beats_products(nrhs))
      few_solves().solve(queue, lu, n_, order(queue), b, static_cast<cl_uint>(nrhs), false);
    else
      getrs_->solve(queue, lu, n_, pivots_, b, static_cast<cl_uint>(nrhs));
    return false;  // the substitution itself may give up waiting
  }

  void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                        Index nrhs) override {
    if (n_ > 0 && nrhs > 0)
      few_solves().solve(queue, lu, n_, order(queue), b, static_cast<cl_uint>(nrhs), true);
  }

  bool gesv(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& b,
            Index nrhs) override {
    if (nrhs > 1 || !small_.works()) return LuBackend::gesv(queue, a, b, nrhs);
    flags_.reset(queue);
    order_.reset();
    small_.gesv(queue, a, b, static_cast<cl_uint>(nrhs));
    return true;
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    const LuFlags::Values flags = flags_.read(queue);
    if (flags.gave_up)
      throw CoResidencyLost("the work-groups of a panel did not all run at once on " +
                            context_.profile().name +
                            " (is it shared?); try again, or with tournament pivoting");
    if (flags.first_bad_pivot) (void)checked_failed_column(*flags.first_bad_pivot, n_);
    return flags.first_bad_pivot;
  }

  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    return read_pivots<cl_int>(queue, pivots_, n_, n_);
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    enqueue_poison(context_, queue, memo_.type(), {flags_.buffer(), LuFlags::kNoBadPivot, true}, b,
                   n_, nrhs);
  }

  Pivoting pivoting() override {
    return panels_.partial(n_) ? Pivoting::partial : Pivoting::tournament;
  }

 private:
  FewSolves& few_solves() {
    if (!few_) few_.emplace(context_, memo_.type(), n_, panels_.persistent() ? &setting_ : nullptr);
    return *few_;
  }

  /// Of the last factorisation.
  RowOrder order(const cl::CommandQueue& queue) {
    if (!order_) order_ = few_solves().order(queue, pivots_, n_);
    return *order_;
  }

  /// Columns first .. first + columns, panel by panel; the three steps of getrf() inside the block.
  void factor_block(const cl::CommandQueue& queue, const MatrixView& a, cl_uint first,
                    cl_uint columns) {
    for (cl_uint i = 0; i < columns; i += kPanelWidth) {
      const cl_uint j = first + i, w = std::min(kPanelWidth, columns - i), next = j + w,
                    right = columns - i - w;
      panels_.factor(queue, {a.at(j, j), n_ - j, w, j, pivots_});
      if (w == columns) return;
      laswp_trsm_.laswp_trsm(queue,
                             {a.at(j, j), a.at(j, first), w, columns, i, i + w, true, pivots_, j});
      gemm_.update(n_ - next, right, w, a.at(next, j), a.at(j, next), a.at(next, next), {&queue});
    }
  }

  /// What is needed if all kernels work, so that it is built side by side.
  [[nodiscard]] std::vector<ProgramRequest> programs() {
    std::vector<ProgramRequest> programs = panels_.programs(n_);
    for (const cl_uint block : {kPanelWidth, nb_})
      programs.push_back(laswp_trsm_.program(block, true));
    const auto add = [&](const std::vector<ProgramRequest>& more) {
      programs.insert(programs.end(), more.begin(), more.end());
    };
    // In whole blocks of an A that is aligned; edges take what the blocks take, or are built later.
    const MatrixView view{{}, 0, padded_ld(n_, memo_.type())};
    for (cl_uint rest = n_ > nb_ ? n_ - nb_ : 0; rest > 0; rest -= std::min(rest, nb_))
      if (auto program = gemm_.update_program(rest, rest, nb_, view, view, view))
        programs.push_back(*std::move(program));
    add(Getrs(setting_, laswp_trsm_, gemm_, panels_.may_persist()).programs(1));
    return programs;
  }

  Context context_;
  cl_uint n_;
  Parameters parameters_;
  KernelMemo memo_;
  LuFlags flags_;
  LuSetting setting_;
  cl_uint nb_;
  Gemm gemm_;
  cl::Buffer pivots_;
  LuSmall small_;
  Panels panels_;
  LaswpTrsmKernels laswp_trsm_;
  std::optional<Getrs> getrs_;
  std::optional<FewSolves> few_;  // made when first needed
  std::optional<RowOrder> order_;
};

}  // namespace

std::unique_ptr<LuBackend> make_lu_gpu(Context& context, RealType type, Index n,
                                       const LuOptions& options, const LuSpec& spec) {
  return std::make_unique<LuGpu>(context, type, n, options, spec);
}

}  // namespace clgauss
