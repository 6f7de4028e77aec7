#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/known_answers.hpp"
#include "kernels/lu_backend.hpp"
#include "kernels/lu_parts.hpp"
#include "linalg/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

class LuGpu : public Lu {
 public:
  LuGpu(Context& context, RealType type, Index n, const LuOptions& options)
      : context_(context),
        n_(static_cast<cl_uint>(n)),
        kernels_(context, type),
        flags_(context),
        tuning_(options.spec ? *options.spec
                             : default_lu_spec(context.profile(), type, n, LuFamily::gpu)),
        gemm_(context, type, options.gemm),
        panels_(kernels_, flags_, tuning_, n, options.pivoting == Pivoting::tournament),
        solves_(kernels_, flags_, gemm_, tuning_, n, panels_.persistent(), options.substitute),
        pivots_(context.allocate(n * sizeof(cl_int), "the pivots of an LU")) {}

  void prepare(const MatrixView& a, Index nrhs) override {
    translate_opencl_errors([&] {
      if (nrhs <= 1 && small_works()) return;
      const cl_uint block = tuning_.nb;
      for (cl_uint k = 0; k < n_; k += kPanelWidth) {
        panels_.prepare(n_ - k);
        const cl_uint next = std::min(n_, k + kPanelWidth), rest = n_ - next;
        const MatrixView below = a.at(next, k), right = a.at(k, next), corner = a.at(next, next);
        for (const cl_uint columns : {rest, std::min(rest, block - kPanelWidth)})
          gemm_.prepare_update(rest, columns, kPanelWidth, below, right, corner);
      }
      for (const cl_uint width : {kPanelWidth, block}) solves_.prepare(width, nrhs);
    });
  }

  void factor(const MatrixView& a) override {
    translate_opencl_errors([&] {
      flags_.reset(context_.queue());
      factored_ = MatrixView(a);
      factor_blocks(a);
    });
  }

  void solve(const MatrixView& b, Index nrhs) override {
    require_factored(factored_);
    translate_opencl_errors([&] {
      solves_.solve(context_.queue(), factored_, n_, pivots_, b, static_cast<cl_uint>(nrhs));
    });
  }

  void factor_and_solve(const MatrixView& a, const MatrixView& b, Index nrhs) override {
    translate_opencl_errors([&] {
      if (nrhs > 1 || !small_works()) {
        Lu::factor_and_solve(a, b, nrhs);
        return;
      }
      flags_.reset(context_.queue());
      factored_ = MatrixView(a);
      factor_and_solve_small(a, b, static_cast<cl_uint>(nrhs));
    });
  }

  std::optional<Index> failed_column() override {
    return translate_opencl_errors([&] {
      const LuFlags::Values flags = flags_.read(context_.queue());
      if (flags.gave_up)
        throw CoResidencyLost("the work-groups of a panel did not all run at once on " +
                              context_.profile().name +
                              " (is it shared?); try again, or use --pivot tournament");
      if (flags.first_bad_pivot) (void)checked_failed_column(*flags.first_bad_pivot, n_);
      return flags.first_bad_pivot;
    });
  }

  std::vector<Index> pivots() override {
    return translate_opencl_errors(
        [&] { return read_pivots<cl_int>(context_.queue(), pivots_, n_, n_); });
  }

  void poison_if_failed(const MatrixView& b, Index nrhs) override {
    translate_opencl_errors([&] {
      enqueue_poison(context_, kernels_.type(), {flags_.buffer(), LuFlags::kNoBadPivot, true}, b,
                     n_, nrhs);
    });
  }

  Pivoting pivoting() const override {
    return panels_.persistent() ? Pivoting::partial : Pivoting::tournament;
  }

 private:
  void factor_blocks(const MatrixView& a) {
    const cl::CommandQueue& queue = context_.queue();
    const cl_uint block = tuning_.nb;
    for (cl_uint k = 0; k < n_; k += block) {
      const cl_uint nb = std::min(block, n_ - k), next = k + nb, rest = n_ - next;
      factor_block(a, k, nb);  // P_k A(k:n, k:k+nb) = L U
      if (nb == n_) break;
      solves_.swap_and_solve(queue, a.at(k, k), a.at(k, 0), nb, n_, k, next, true, pivots_,
                             k);  // A12 = L11^-1 P_k A12
      gemm_.update(queue, rest, rest, nb, a.at(next, k), a.at(k, next),
                   a.at(next, next));  // A22 = A22 - L21 U12
    }
  }

  /// Columns first .. first + columns, panel by panel; the same three steps inside the block.
  void factor_block(const MatrixView& a, cl_uint first, cl_uint columns) {
    const cl::CommandQueue& queue = context_.queue();
    for (cl_uint i = 0; i < columns; i += kPanelWidth) {
      const cl_uint j = first + i, w = std::min(kPanelWidth, columns - i), next = j + w,
                    right = columns - i - w;
      panels_.factor(queue, a.at(j, j), n_ - j, w, j, pivots_);
      if (w == columns) return;
      solves_.swap_and_solve(queue, a.at(j, j), a.at(j, first), w, columns, i, i + w, true, pivots_,
                             j);
      gemm_.update(queue, n_ - next, right, w, a.at(next, j), a.at(j, next), a.at(next, next));
    }
  }

  [[nodiscard]] Defines small_macros() const {
    return {{"SMALL_N", std::to_string(std::min((n_ + 31) / 32 * 32, tuning_.small_n))},
            {"SMALL_NRHS", "1"},
            {"WG_SIZE", std::to_string(tuning_.small_group)}};
  }

  Kernel& small_kernel() { return kernels_.get("lu_small.cl", "lu_small", small_macros()); }

  /// Whether one launch may do it all.
  bool small_works() {
    if (n_ > tuning_.small_n) return false;
    if (!small_works_)
      small_works_ = kernels_.works("lu_small.cl", small_macros(), [&] {
        require_solution(context_, kernels_.type(), n_,
                         [&](const MatrixView& a, const MatrixView& b) {
                           factor_and_solve_small(a, b, 1);
                           return pivots();
                         });
      });
    return *small_works_;
  }

  void factor_and_solve_small(const MatrixView& a, const MatrixView& b, cl_uint nrhs) {
    Kernel& small = small_kernel();
    cl_uint index = 0;
    pass_view(small, index, a);
    small.set_arguments_from(index++, n_);
    pass_view(small, index, b);
    small.set_arguments_from(index, nrhs, pivots_, cl_ulong{0}, flags_.buffer());
    launch_groups(context_.queue(), small, 1, tuning_.small_group);
  }

  Context& context_;
  cl_uint n_;
  KernelMemo kernels_;
  LuFlags flags_;
  LuTuning tuning_;
  Gemm gemm_;
  LuPanels panels_;
  LuSolves solves_;
  cl::Buffer pivots_;
  MatrixView factored_;
  std::optional<bool> small_works_;
};

/// What an LU of this n needs if all kernels work; of its products those on matrix units.
std::vector<ProgramRequest> programs_for(const LuTuning& tuning, RealType type, cl_uint n,
                                         bool persistent) {
  std::vector<ProgramRequest> programs;
  for (const GemmSpec& spec : gemm_specs())
    if (persistent && spec.needs_nvidia() && spec.use == GemmUse::update && spec.type == type &&
        spec.alignment() > 1)
      programs.push_back({spec.file, spec.defines()});
  const auto add = [&](const char* file, const Defines& macros) {
    programs.push_back({file, with_real(type, macros)});
  };
  for (cl_uint m = n; m > 0; m -= std::min(m, kPanelWidth)) {
    if (persistent)
      add("lu_panel_persistent.cl", tuning.persistent_macros(m, kSpinLimit));
    else if (m <= tuning.group_rows)
      add("lu_panel_group.cl", tuning.group_macros(m));
    else
      add("lu_panel_tournament.cl", tuning.tournament_macros());
  }
  for (const cl_uint block : {kPanelWidth, tuning.nb})
    add("trsm.cl", tuning.strip_macros(StripKernel::swap_solve, swap_group(block), "0"));
  add("trsm.cl", tuning.strip_macros(StripKernel::swap, swap_group(tuning.solve_block), "0"));
  for (const bool upper : {false, true})
    if (persistent)
      add("trsv_persistent.cl", tuning.one_launch_macros(upper));
    else
      add("trsv.cl", LuTuning::step_macros(upper));
  return programs;
}

}  // namespace

std::unique_ptr<Lu> make_lu_gpu(Context& context, RealType type, Index n,
                                const LuOptions& options) {
  return translate_opencl_errors([&] {
    const LuTuning tuning(
        options.spec ? *options.spec : default_lu_spec(context.profile(), type, n, LuFamily::gpu));
    if (n > tuning.small_n)
      context.programs().build_all(
          programs_for(tuning, type, static_cast<cl_uint>(n),
                       tuning.persistent && options.pivoting == Pivoting::partial));
    return std::make_unique<LuGpu>(context, type, n, options);
  });
}

}  // namespace clgauss
