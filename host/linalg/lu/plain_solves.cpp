#include "linalg/lu/plain_solves.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <numeric>

#include "kernels/lu/lu_panels.hpp"
#include "linalg/lu/getrs.hpp"
#include "linalg/lu/pivots.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

cl::Buffer no_exchanges(const Context& context, Index n) {
  cl::Buffer identity =
      context.allocate(std::max<Index>(n, 1) * sizeof(cl_uint), "the row exchanges of an LU");
  std::vector<cl_uint> rows(n);
  std::iota(rows.begin(), rows.end(), 0U);
  if (n > 0)
    context.queue().enqueueWriteBuffer(identity, CL_TRUE, 0, n * sizeof(cl_uint), rows.data());
  return identity;
}

PlainSolves::PlainSolves(const Context& context, Index n) : identity_(no_exchanges(context, n)) {}

namespace {

class SolvesByCores : public PlainSolves {
 public:
  SolvesByCores(Context& context, RealType type, Index n, const GemmOptions& gemm_options)
      : PlainSolves(context, n),
        context_(context),
        type_(type),
        n_(n),
        gemm_options_(gemm_options),
        few_(context, type, n) {}

  /// Launches every kernel once, on a system of one row. PoCL compiles a kernel for a work-group
  /// size at the first launch with that size.
  void prepare(Index nrhs) override {
    if (nrhs == 0 || n_ == 0) return;
    const auto ones = [&](Index count) {
      return to_device(context_, type_, Matrix(1, count, Values(count, 1.0)), count,
                       "a first launch");
    };
    solve(context_.queue(), ones(1), 1, ones(nrhs), nrhs);
    context_.queue().finish();
  }

  void solve(const cl::CommandQueue& queue, const MatrixView& factors, cl_uint n,
             const MatrixView& b, Index nrhs) override {
    const auto columns = static_cast<cl_uint>(nrhs);
    if (few_.solves_plain(nrhs)) {
      few_.solve(queue, factors, n, {identity(), 0}, b, columns, false);
      return;
    }
    if (!many_) many_ = std::make_unique<ManySolves>(context_, type_, n_, gemm_options_);
    many_->substitute(queue, factors, n, b, columns);
  }

 private:
  Context context_;
  RealType type_;
  Index n_;
  GemmOptions gemm_options_;
  FewSolves few_;
  std::unique_ptr<ManySolves> many_;  // made when first needed
};

class SolvesByGroups : public PlainSolves {
 public:
  SolvesByGroups(const LuSetting& setting, Gemm& gemm, bool may_wait)
      : PlainSolves(setting.context(), setting.n),
        setting_(setting),
        updates_(setting.kernels, gemm),
        laswp_trsm_(setting_),
        getrs_(setting_, laswp_trsm_, updates_, may_wait),
        few_(setting.context(), setting.kernels.number(), setting.n,
             may_wait ? &setting_ : nullptr) {}

  void prepare(Index nrhs) override {
    if (!few_.prepare_faster(setting_.context(), nrhs)) getrs_.prepare_substitution(nrhs);
  }

  void solve(const cl::CommandQueue& queue, const MatrixView& factors, cl_uint n,
             const MatrixView& b, Index nrhs) override {
    const auto columns = static_cast<cl_uint>(nrhs);
    if (few_.beats_products(nrhs))
      few_.solve(queue, factors, n, {identity(), 0}, b, columns, false);
    else
      getrs_.substitute(queue, factors, n, b, columns);
  }

 private:
  LuSetting setting_;
  LuUpdates updates_;
  LaswpTrsmKernels laswp_trsm_;
  Getrs getrs_;
  FewSolves few_;
};

}  // namespace

std::unique_ptr<PlainSolves> make_plain_solves_cpu(Context& context, RealType type, Index n,
                                                   const GemmOptions& gemm_options) {
  return std::make_unique<SolvesByCores>(context, type, n, gemm_options);
}

std::unique_ptr<PlainSolves> make_plain_solves_gpu(const LuSetting& setting, Gemm& gemm,
                                                   bool may_wait) {
  return std::make_unique<SolvesByGroups>(setting, gemm, may_wait);
}

std::unique_ptr<PlainSolves> make_plain_solves_gpu(const LuSetting& setting, Gemm& gemm) {
  return make_plain_solves_gpu(setting, gemm, Panels(setting, PanelWays::fastest).persistent());
}

std::optional<Index> failed_column_of(Context& context, const LuFlags::Values& flags, Index n) {
  if (flags.gave_up) lose_residency(context, "a triangular solve");
  if (flags.first_bad_pivot) (void)checked_failed_column(*flags.first_bad_pivot, n);
  return flags.first_bad_pivot;
}

}  // namespace clgauss
