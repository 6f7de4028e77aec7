#include <algorithm>
#include <clgauss/error.hpp>

#include "device/quirks.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/lu/lu_panels.hpp"
#include "kernels/lu/lu_small.hpp"
#include "launch/queue_order.hpp"
#include "linalg/lu/getrs.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/lu/updates.hpp"

namespace clgauss {

namespace {

/// What look-ahead needs: it factors the next block during the last block's update.
struct LookAhead {
  LookAhead(KernelMemo& kernels, const GemmOptions& options, cl_uint blocks)
      : queue(kernels.context().context(), device_of(kernels.context().queue()),
              kernels.context().queue().getInfo<CL_QUEUE_PROPERTIES>()),
        gemm(kernels.context(), kernels.type(), options),
        updates(kernels, gemm),
        shared_gemm(make_gemm_gpu(kernels.context(), kernels.type(), options)),
        taken(kernels.context().allocate(blocks * sizeof(cl_uint),
                                         "the tiles taken of an LU's updates")) {}

  cl::CommandQueue queue;  // factors the blocks
  Gemm gemm;
  LuUpdates updates;                         // products within a block
  std::unique_ptr<GemmBackend> shared_gemm;  // the update, done by both queues
  cl::Buffer taken;                          // TileShare::taken of each block's update
};

class LuGpu : public LuBackend {
 public:
  LuGpu(Context& context, NumberType number, Index n, const LuOptions& options, const LuSpec& spec)
      : context_(context),
        n_(static_cast<cl_uint>(n)),
        parameters_(spec.parameters),
        memo_(context_, number),
        flags_(context_),
        setting_{memo_, flags_, parameters_, n},
        nb_(setting_.number("NB")),
        ahead_rows_(setting_.number("AHEAD")),
        gemm_(context_, number.real, gemm_options_for_lu(context_, number.real, n, options.gemm)),
        updates_(memo_, gemm_),
        pivots_(context_.allocate(n * sizeof(cl_int), "the pivots of an LU")),
        small_(setting_, pivots_),
        panels_(setting_, options.pivoting == Pivoting::tournament ? PanelWays::tournament
                                                                   : PanelWays::fastest),
        laswp_trsm_(setting_) {
    if (options.look_ahead && ahead_rows_ > 0 && n_ > nb_)
      ahead_.emplace(memo_, gemm_options_for_lu(context_, number.real, n, options.gemm),
                     ceil_div(n_, nb_));
  }

  void prepare_gesv(const MatrixView& a, Index nrhs) override {
    if (nrhs > 1 || !is_small()) prepare(a, nrhs);
  }

  void prepare(const MatrixView& a, Index nrhs) override {
    if (nrhs == 1) (void)is_small();
    for (cl_uint k = 0; k < n_; k += kPanelWidth) {
      panels_.prepare(n_ - k);
      const cl_uint next = std::min(n_, k + kPanelWidth), rest = n_ - next;
      const MatrixView below = a.at(next, k), right = a.at(k, next), corner = a.at(next, next);
      for (const cl_uint columns : {rest, std::min(rest, nb_ - kPanelWidth)})
        updates_.prepare(rest, columns, kPanelWidth, below, right, corner);
    }
    if (ahead_)
      for (cl_uint k = 0; has_rest_ahead(k); k += nb_) {
        const TileShare share{ahead_->taken, k / nb_, 0};
        (void)ahead_->shared_gemm->can_multiply(rest_ahead(a, k, share));
      }
    for (const cl_uint width : {kPanelWidth, nb_}) laswp_trsm_.prepare(width, true);
    prepare_getrs(nrhs);
  }

  void prepare_getrs(Index nrhs) override {
    if (solves_few(nrhs) && few_solves().prepare_faster(context_, nrhs))
      order_.reset();  // the first launch has overwritten the row order
    else
      getrs_kernels().prepare(nrhs);
  }

  void prepare_transposed(Index nrhs) override {
    few_solves().prepare_transposed(context_, nrhs);
    order_.reset();  // as there
  }
  void prepare_both(Index nrhs) override {
    few_solves().prepare_both(context_, nrhs);
    order_.reset();
  }

  using LuBackend::getrf;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a,
             const ProgressCallback& callback) override {
    LuProgress progress(queue, callback, n_, nb_, memo_.number().complex ? 8.0 / 3 : 2.0 / 3);
    flags_.reset(queue);
    order_.reset();
    by_small_ = false;
    if (ahead_)
      factor_ahead(queue, a, progress);
    else
      factor(queue, a, progress);
    if (callback) progress.finish();
  }

  bool getrs(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
             Index nrhs) override {
    if (solves_few(nrhs) && few_solves().beats_products(nrhs))
      few_solves().solve(queue, lu, n_, order(queue), b, static_cast<cl_uint>(nrhs), false);
    else
      getrs_kernels().solve(queue, lu, n_, pivots_, b, static_cast<cl_uint>(nrhs));
    return false;  // the substitution itself may stop waiting
  }

  void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                        Index nrhs) override {
    if (n_ > 0 && nrhs > 0)
      few_solves().solve(queue, lu, n_, order(queue), b, static_cast<cl_uint>(nrhs), true);
  }

  bool gesv(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& b,
            Index nrhs) override {
    if (nrhs > 1 || !is_small()) return LuBackend::gesv(queue, a, b, nrhs);
    flags_.reset(queue);
    order_.reset();
    by_small_ = true;
    small_.gesv(queue, a, b, static_cast<cl_uint>(nrhs));
    return true;
  }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    const LuFlags::Values flags = flags_.read(queue);
    if (flags.gave_up)
      lose_residency(context_, "a panel", ", or with tournament pivoting", ahead_.has_value());
    if (flags.first_bad_pivot) (void)checked_failed_column(*flags.first_bad_pivot, n_);
    return flags.first_bad_pivot;
  }

  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    return read_pivots<cl_int>(queue, pivots_, n_, n_);
  }

  void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    const NumberType number = memo_.number();
    enqueue_poison(context_, queue, number.real, {flags_.buffer(), LuFlags::kNoBadPivot, true},
                   number.in_parts(b), n_, number.parts() * nrhs);
  }

  Pivoting pivoting() override {
    return by_small_ || panels_.partial(n_) ? Pivoting::partial : Pivoting::tournament;
  }

 private:
  bool is_small() { return !memo_.number().complex && small_.works(); }

  Getrs& getrs_kernels() {
    if (!getrs_) getrs_.emplace(setting_, laswp_trsm_, updates_, panels_.persistent());
    return *getrs_;
  }

  [[nodiscard]] bool solves_few(Index nrhs) const { return nrhs > 1 && !memo_.number().complex; }
  FewSolves& few_solves() {
    if (!few_)
      few_.emplace(context_, memo_.number(), n_, panels_.persistent() ? &setting_ : nullptr);
    return *few_;
  }

  /// The row order of the last factorisation.
  RowOrder order(const cl::CommandQueue& queue) {
    if (!order_) order_ = few_solves().order(queue, pivots_, n_);
    return *order_;
  }

  void factor(const cl::CommandQueue& queue, const MatrixView& a, LuProgress& progress) {
    for (cl_uint k = 0; k < n_; k += nb_) {
      const cl_uint nb = std::min(nb_, n_ - k), next = k + nb, rest = n_ - next;
      factor_block(queue, updates_, a, k, nb);  // P_k A(k:n, k:k+nb) = L U
      if (nb == n_) break;
      exchange_and_solve(queue, a, k, nb);
      updates_.update(queue, rest, rest, nb, a.at(next, k), a.at(k, next),
                      a.at(next, next));  // A22 = A22 - L21 U12
      progress.block_enqueued(k / nb_, rest);
    }
  }

  /// As factor(), with A22 updated in two parts. The columns of the next block come first. That
  /// block is then factored on its own queue while the rest is updated. (Tried: splitting the
  /// exchanges and the triangular solve as well, with the rest's part beside the next block's
  /// panels. On an H200 in f64, n = 4096 took 10.7 ms instead of 9.7, 8192 31.6 instead of 24.3.)
  void factor_ahead(const cl::CommandQueue& queue, const MatrixView& a, LuProgress& progress) {
    queue.enqueueFillBuffer(ahead_->taken, cl_uint{0}, 0, ceil_div(n_, nb_) * sizeof(cl_uint));
    factor_block(queue, updates_, a, 0, nb_);
    for (cl_uint k = 0; k < n_; k += nb_) {
      const cl_uint nb = std::min(nb_, n_ - k), next = k + nb, rest = n_ - next,
                    columns = std::min(nb_, rest);
      exchange_and_solve(queue, a, k, nb);
      if (rest > 0) {
        updates_.update(queue, rest, columns, nb, a.at(next, k), a.at(k, next), a.at(next, next));
        if (has_rest_ahead(k))
          updates_.bring(queue, n_ - next - columns, nb, a.at(k, next + columns));
        wait_for(ahead_->queue, queue);
        factor_block(ahead_->queue, ahead_->updates, a, next, columns);
        if (has_rest_ahead(k)) update_rest_ahead(queue, a, k);
        wait_for(queue, ahead_->queue);
      }
      progress.block_enqueued(k / nb_, rest);
    }
  }

  [[nodiscard]] bool has_rest_ahead(cl_uint k) const { return n_ - k > 2 * nb_; }

  /// The product A22 = A22 - L21 U12 of block k, without the columns of the next block.
  [[nodiscard]] GemmCall rest_ahead(const MatrixView& a, cl_uint k, const TileShare& share) {
    const cl_uint next = k + nb_, rest = next + nb_;
    GemmCall call = updates_.as_product(n_ - next, n_ - rest, nb_, a.at(next, k), a.at(k, rest),
                                        a.at(next, rest));
    call.share = &share;
    return call;
  }

  /// The work-groups of a panel wait for each other, so the update must leave them compute units.
  /// If the update takes longer than the block, a second launch gives it those units, too.
  void update_rest_ahead(const cl::CommandQueue& queue, const MatrixView& a, cl_uint k) {
    const cl_uint rows = n_ - k - nb_;
    TileShare share{ahead_->taken, k / nb_, units_for_block(rows)};
    const GemmCall call = rest_ahead(a, k, share);
    if (!ahead_->shared_gemm->can_multiply(call)) {
      const auto& [m, n, depth, transpose_a, transpose_b, lower] = call.shape;
      gemm_.update(m, n, depth, call.a, call.b, call.c, {&queue});
      return;
    }
    ahead_->shared_gemm->multiply(queue, call);
    if (rows <= ahead_rows_) return;
    share.left_units = 0;
    ahead_->shared_gemm->multiply(ahead_->queue, call);
  }

  /// Compute units for factoring a block of `rows` rows. A panel needs one for each of its
  /// work-groups, and one more because the update does not leave all of them free (SHARED in
  /// cl/gemm/gemm_mma.clh). If the update can spare more units at no cost in time, the block gets
  /// those; at most three quarters.
  [[nodiscard]] cl_uint units_for_block(cl_uint rows) {
    const cl_uint units = context_.profile().compute_units;
    const double busy = std::min(1.0, static_cast<double>(rows) / ahead_rows_);
    const auto idle = static_cast<cl_uint>(units * (1 - busy * busy));
    return std::min(std::max(panels_.waiting_groups(rows) + 1, idle), units * 3 / 4);
  }

  /// Applies the exchanges of block k to all other columns, and A12 = L11^-1 P_k A12.
  void exchange_and_solve(const cl::CommandQueue& queue, const MatrixView& a, cl_uint k,
                          cl_uint nb) {
    laswp_trsm_.laswp_trsm(queue, {a.at(k, k), a.at(k, 0), nb, n_, k, k + nb, true, pivots_, k});
  }

  /// Factors columns first .. first + columns, panel by panel, by the three steps of factor()
  /// inside the block.
  void factor_block(const cl::CommandQueue& queue, LuUpdates& updates, const MatrixView& a,
                    cl_uint first, cl_uint columns) {
    for (cl_uint i = 0; i < columns; i += kPanelWidth) {
      const cl_uint j = first + i, w = std::min(kPanelWidth, columns - i), next = j + w,
                    right = columns - i - w;
      const bool done_beside = panels_.factor(queue, {a.at(j, j), n_ - j, w, j, pivots_, i, right});
      if (w == columns) return;
      if (!done_beside)
        laswp_trsm_.laswp_trsm(
            queue, {a.at(j, j), a.at(j, first), w, columns, i, i + w, true, pivots_, j});
      updates.update(queue, n_ - next, right, w, a.at(next, j), a.at(j, next), a.at(next, next));
    }
  }

  Context context_;
  cl_uint n_;
  Parameters parameters_;
  KernelMemo memo_;
  LuFlags flags_;
  LuSetting setting_;
  cl_uint nb_, ahead_rows_;
  Gemm gemm_;
  LuUpdates updates_;
  std::optional<LookAhead> ahead_;
  cl::Buffer pivots_;
  LuSmall small_;
  Panels panels_;
  LaswpTrsmKernels laswp_trsm_;
  bool by_small_ = false;         // whether the last factorisation was by small_
  std::optional<Getrs> getrs_;    // made when first needed
  std::optional<FewSolves> few_;  // likewise
  std::optional<RowOrder> order_;
};

}  // namespace

std::unique_ptr<LuBackend> make_lu_gpu(Context& context, RealType type, Index n,
                                       const LuOptions& options, const LuSpec& spec) {
  return std::make_unique<LuGpu>(context, type, n, options, spec);
}

// Measured on an H100. Blocks of 128 columns are best from n = 500 on (f64, n = 2048: 5.9 ms, with
// 32 columns 6.8), but in f32 up to n = 1024 with panels that leave the exchanges to others (H200,
// ms: n = 500 0.83, with 128 columns 0.92; 1024 1.95 and 1.98; 2048 5.02 and 4.59). Four sub-groups
// are best where a row takes twice the registers (6.3 ms with eight). Products take four times as
// long as real ones, so AHEAD is half that of real numbers. In f64 and f32 look-ahead then takes
// 12.8 and 11.3 ms at n = 4096 (15.4 and 12.9 without it, 18.8 and 15.8 with AHEAD = 8192), and 49
// and 37 ms at 8192 (57 and 43 without it).
LuSpec complex_lu_spec(const DeviceProfile& device, RealType type, Index n) {
  LuSpec spec = default_lu_spec(device, type, n, LuFamily::gpu);
  for (const char* name : {"NB", "SOLVE_BLOCK"})
    set_value(spec.parameters, name, laswp_trsm_rows(128, device, {type, true}));
  if (type == RealType::f32 && n <= 1024 && device.lacks_ptx().empty())
    set_value(spec.parameters, "NB", 32);
  if (type == RealType::f64 ? n <= 12288 : n <= 1024) set_value(spec.parameters, "SUB_GROUPS", 4);
  set_value(spec.parameters, "AHEAD", n > 2048 && gains_by_look_ahead(device) ? 4096 : 0);
  return spec;
}

std::unique_ptr<LuBackend> make_complex_lu_gpu(Context& context, RealType type, Index n,
                                               const LuOptions& options, const LuSpec& spec) {
  return std::make_unique<LuGpu>(context, NumberType(type, true), n, options, spec);
}

}  // namespace clgauss
