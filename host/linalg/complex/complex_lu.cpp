#include "linalg/complex/complex_lu.hpp"

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <numeric>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/complex/known_answers.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "launch/queue_progress.hpp"
#include "linalg/complex/complex_cholesky.hpp"
#include "linalg/complex/complex_ldlt.hpp"
#include "linalg/complex/complex_substitution.hpp"
#include "linalg/lu/getrs.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/lu_cpu_factors.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/lu/updates.hpp"
#include "linalg/solve/memory_need.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

Index whole(Index count, Index unit) { return (count + unit - 1) / unit * unit; }

Parameters parameters_for(const DeviceProfile& device, RealType type, Index n) {
  return usual_complex_lu_parameters({device, type, n});
}

/// Uses the kernels of cl/complex/complex_lu.cl, which run anywhere. On a GPU each step of a panel
/// is a launch. Row operations on A are applied to B, too.
class ByColumns : public ComplexLuWay {
 public:
  ByColumns(Context& context, RealType type, const ComplexLayout& layout,
            const Parameters& parameters)
      : layout_(layout),
        memo_(context, type),
        kernels_(memo_, layout.m, layout.end, parameters),
        transposed_(context, {type, true}, layout.n),
        gemm_(context, type, gemm_options_for_lu(context, type, layout.n, {})) {}

  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& callback) override;
  void solve(const cl::CommandQueue& queue, const MatrixView& a) override;
  void solve_again(const cl::CommandQueue& queue, const MatrixView& a, Index columns) override;
  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& a, Index columns) override;
  /// Whole panels are computed in any case.
  Index columns_at_once() const override { return (layout_.end - layout_.b) / 2; }
  void prepare_transposed() override {
    transposed_.prepare_transposed(memo_.context(), columns_at_once());
    order_.reset();  // the first launch has overwritten the row order
  }
  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return kernels_.failed_column(queue, layout_.n);
  }
  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    return read_pivots<cl_uint>(queue, kernels_.pivots(), layout_.n, layout_.m);
  }

 protected:
  [[nodiscard]] const ComplexLayout& layout() const { return layout_; }
  /// Takes over the row exchanges of other factors, which A holds now.
  void take_pivots(const cl::CommandQueue& queue, const cl::Buffer& pivots) {
    queue.enqueueCopyBuffer(pivots, kernels_.pivots(), 0, 0, layout_.n * sizeof(cl_uint));
    order_.reset();
  }

 private:
  void factor_columns(const cl::CommandQueue& queue, const MatrixView& a, Index k, Index count);
  void update(const cl::CommandQueue& queue, const MatrixView& a, Index k, Index count, Index begin,
              Index end);

  ComplexLayout layout_;
  KernelMemo memo_;
  ComplexLuKernels kernels_;
  FewSolves transposed_;
  std::optional<RowOrder> order_;  // of the last factorisation; made on first use
  Gemm gemm_;
};

/// Factors, and solves with one right-hand side, as a real LU on a CPU does.
class ByPanels : public ByColumns {
 public:
  ByPanels(Context& context, RealType type, const ComplexLayout& layout,
           const Parameters& parameters, const LuSpec& spec)
      : ByColumns(context, type, layout, parameters),
        number_(type, true),
        factors_(context, number_, layout.n, spec),
        x_{context.allocate(layout.n * number_.bytes(), "a complex right-hand side"), 0, 1} {
    // PoCL compiles a kernel at its first launch, which would count as factorisation.
    const cl::CommandQueue& queue = context.queue();
    queue.enqueueFillBuffer(x_.buffer, cl_uchar{0}, 0, number_.bytes());
    factors_.factor(queue, x_, 1, {});
    factors_.solve_one(queue, x_, x_, 1);
    queue.finish();
  }

  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& progress) override {
    factors_.factor(queue, number_.in_numbers(a), factors_.n(), progress);
    take_pivots(queue, factors_.buffers().pivots);
  }
  void solve(const cl::CommandQueue& queue, const MatrixView& a) override {
    solve_again(queue, a, layout().nrhs);
  }
  void solve_again(const cl::CommandQueue& queue, const MatrixView& a, Index columns) override {
    if (columns > 1) return ByColumns::solve_again(queue, a, columns);
    const MatrixView lu = number_.in_numbers(a);
    solve_contiguous(queue, number_, layout(), lu, x_,
                     [&] { factors_.solve_one(queue, lu, x_, factors_.n()); });
  }
  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return factors_.failed_column(queue);
  }

 private:
  NumberType number_;
  LuCpuFactors factors_;
  MatrixView x_;
};

/// Factors as a real LU on a GPU does.
class ByBlocks : public ComplexLuWay {
 public:
  ByBlocks(Context& context, RealType type, const ComplexLayout& layout, const LuOptions& options)
      : number_(type, true),
        layout_(layout),
        lu_(make_complex_lu_gpu(context, type, layout.n, options,
                                complex_lu_spec(context.profile(), type, layout.n))),
        x_{context.allocate(layout.n * number_.bytes(), "a complex right-hand side"), 0, 1} {
    lu_->prepare(number_.in_numbers({{}, 0, layout.ld}), layout.nrhs);
  }

  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& progress) override {
    lu_->getrf(queue, number_.in_numbers(a), progress);
  }

  void solve(const cl::CommandQueue& queue, const MatrixView& a) override {
    solve_again(queue, a, layout_.nrhs);
  }
  /// A single right-hand side is copied to contiguous memory and solved there.
  void solve_again(const cl::CommandQueue& queue, const MatrixView& a, Index columns) override {
    const MatrixView lu = number_.in_numbers(a);
    if (columns > 1) {
      (void)lu_->getrs(queue, lu, b_of(lu), columns);
      return;
    }
    solve_contiguous(queue, number_, layout_, lu, x_, [&] { (void)lu_->getrs(queue, lu, x_, 1); });
  }

  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& a,
                        Index columns) override {
    const MatrixView lu = number_.in_numbers(a);
    lu_->getrs_transposed(queue, lu, b_of(lu), columns);
  }
  Index columns_at_once() const override { return layout_.nrhs; }
  void prepare_transposed() override { lu_->prepare_transposed(layout_.nrhs); }

  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return lu_->failed_column(queue);
  }
  std::vector<Index> pivots(const cl::CommandQueue& queue) override { return lu_->pivots(queue); }

 private:
  [[nodiscard]] MatrixView b_of(const MatrixView& lu) const { return layout_.b_beside(lu); }

  NumberType number_;
  ComplexLayout layout_;
  std::unique_ptr<LuBackend> lu_;
  MatrixView x_;
};

std::unique_ptr<ComplexLuWay> make_way_by_columns(Context& context, RealType type,
                                                  const ComplexLayout& layout) {
  if (!complex_lu_works(context, type))
    throw NoUsableKernel("no kernel for an LU of complex numbers works on " +
                         context.profile().name + ": " +
                         context.trials().reasons({complex_lu_variant().name}));
  return std::make_unique<ByColumns>(context, type, layout,
                                     parameters_for(context.profile(), type, layout.n));
}

std::unique_ptr<ComplexLuWay> make_way(Context& context, RealType type, const ComplexLayout& layout,
                                       const LuOptions& options) {
  if (options.positive_definite) return make_complex_cholesky(context, type, layout);
  if (options.symmetric) return make_complex_ldlt(context, type, layout, options.pivoting);
  if (lu_cpu_variant().lacks(context).empty()) {
    const LuSpec spec = complex_lu_cpu_spec(context.profile(), type, layout.n);
    if (complex_lu_works(context, type) && complex_lu_cpu_works(context, type, spec))
      return std::make_unique<ByPanels>(context, type, layout,
                                        parameters_for(context.profile(), type, layout.n), spec);
  }
  if (options.pivoting != Pivoting::tournament && context.profile().type != DeviceType::cpu) {
    try {
      return std::make_unique<ByBlocks>(context, type, layout, options);
    } catch (const NoUsableKernel&) {  // the self-tests say why
    }
  }
  return make_way_by_columns(context, type, layout);
}

}  // namespace

ComplexLayout::ComplexLayout(RealType type, Index rows, Index columns, Index right_hand_sides,
                             const Parameters& parameters)
    : m(rows), n(columns), nrhs(right_hand_sides) {
  const auto unit = static_cast<Index>(value_of(parameters, "COLUMNS"));
  b = 2 * whole(n, unit);
  end = b + 2 * whole(nrhs, unit);
  ld = padded_ld(end, type);
}

ComplexLu::ComplexLu(Context& context, RealType type, Index n, Index nrhs, const LuOptions& options)
    : layout_(type, n, nrhs, parameters_for(context.profile(), type, n)),
      way_(make_way(context, type, layout_, options)) {}

ComplexLu ComplexLu::tall(Context& context, RealType type, Index m, Index n) {
  const ComplexLayout layout(type, m, n, 0, parameters_for(context.profile(), type, n));
  return {layout, make_way_by_columns(context, type, layout)};
}

namespace {

/// Bytes for solves with A^H.
std::uint64_t transposed_bytes(const DeviceProfile& device, RealType type, Index n) {
  const KernelVariant& variant = trsv_transposed_variant();
  const Setting setting{device, type, n};
  return 2 * variant.workspace_bytes(usual_parameters(std::array{&variant}, setting), setting);
}

}  // namespace

std::uint64_t ComplexLu::bytes(const DeviceProfile& device, RealType type, Index n, Index nrhs,
                               const LuOptions& options) {
  const Parameters parameters = parameters_for(device, type, n);
  const ComplexLayout layout(type, n, nrhs, parameters);
  std::uint64_t bytes =
      ComplexLuKernels::bytes(type, n, layout.end, parameters) + transposed_bytes(device, type, n);
  if (options.symmetric) bytes += complex_ldlt_bytes(device, type, layout);
  if (device.type == DeviceType::cpu) {  // CPUs pack the operands of products
    const LuCpuBlocking cut(complex_lu_cpu_spec(device, type, n).parameters, n);
    return bytes + LuCpuWorkspace(cut, {type, true}).sum() + 2 * n * bytes_of(type) +
           gemm_workspace_bytes(
               default_cpu_gemm_spec(device, type),
               {n, layout.end, 2 * static_cast<Index>(value_of(parameters, "BLOCK"))});
  }
  const LuSpec spec = complex_lu_spec(device, type, n);
  const auto nb = static_cast<Index>(std::max(spec.value("NB"), value_of(parameters, "BLOCK")));
  const std::uint64_t of_lu = 2 * lu_workspace_bytes(device, spec, type, n, nrhs) +
                              LuUpdates::bytes({type, true}, nb, std::max(n, nrhs));
  const bool is_hermitian = options.symmetric || options.positive_definite;  // LU's kernels solve
  return is_hermitian ? bytes + of_lu : std::max(bytes, of_lu);
}

/// Updates columns begin .. end, counted in REALs, once `count` rows and columns from k on are
/// factored.
void ByColumns::update(const cl::CommandQueue& queue, const MatrixView& a, Index k, Index count,
                       Index begin, Index end) {
  if (begin == end) return;
  kernels_.exchange(queue, a.at(0, begin), end - begin, static_cast<cl_uint>(k),
                    static_cast<cl_uint>(count));
  const Index columns = end - begin, below = k + count;
  const MatrixView& w = kernels_.w();
  kernels_.solve(queue, false, a.at(k, 2 * k), a.at(k, begin), columns,
                 static_cast<cl_uint>(count));  // U12 = L11^-1 A12
  gemm_.update(layout_.m - below, columns, 2 * count, a.at(below, 2 * k), w, a.at(below, begin),
               {&queue});  // A22 = A22 - L21 U12
}

/// P A = L U of rows k .. m - 1 and `count` columns from k on, by halves down to one panel.
void ByColumns::factor_columns(const cl::CommandQueue& queue, const MatrixView& a, Index k,
                               Index count) {
  const Index unit = kernels_.panel_columns();
  if (count <= unit) {
    kernels_.factor_panel(queue, a.at(k, 2 * k), static_cast<cl_uint>(layout_.m - k),
                          static_cast<cl_uint>(count), static_cast<cl_uint>(k));
    return;
  }
  const Index half = whole((count + 1) / 2, unit), middle = k + half;
  factor_columns(queue, a, k, half);
  update(queue, a, k, half, 2 * middle, 2 * (k + whole(count, unit)));
  factor_columns(queue, a, middle, count - half);
  kernels_.exchange(queue, a.at(0, 2 * k), 2 * half, static_cast<cl_uint>(middle),
                    static_cast<cl_uint>(count - half));
}

void ByColumns::factor(const cl::CommandQueue& queue, const MatrixView& a,
                       const ProgressCallback& callback) {
  const Index n = layout_.n, nb = kernels_.block(), unit = kernels_.panel_columns();
  LuProgress progress(queue, callback, n, nb, 8.0 / 3);
  kernels_.reset(queue);
  order_.reset();
  for (Index k = 0; k < n; k += nb) {
    const Index count = std::min(nb, n - k), rest = n - k - count;
    factor_columns(queue, a, k, count);
    kernels_.exchange(queue, a, 2 * k, static_cast<cl_uint>(k), static_cast<cl_uint>(count));
    update(queue, a, k, count, 2 * (k + whole(count, unit)), layout_.end);
    progress.block_enqueued(k / nb, rest);
  }
  if (callback) progress.finish();
}

void ByColumns::solve(const cl::CommandQueue& queue, const MatrixView& a) {
  const Index nb = kernels_.block(), columns = layout_.end - layout_.b;
  for (Index k = (layout_.n - 1) / nb * nb;; k -= nb) {
    const Index count = std::min(nb, layout_.n - k);
    kernels_.solve(queue, true, a.at(k, 2 * k), a.at(k, layout_.b), columns,
                   static_cast<cl_uint>(count));  // X_k = U_kk^-1 B_k
    if (k == 0) return;
    gemm_.update(k, columns, 2 * count, a.at(0, 2 * k), kernels_.w(), a.at(0, layout_.b),
                 {&queue});  // B = B - U_k X_k
  }
}

void ByColumns::solve_again(const cl::CommandQueue& queue, const MatrixView& a,
                            Index /*columns: all*/) {
  kernels_.exchange(queue, a.at(0, layout_.b), layout_.end - layout_.b, 0,
                    static_cast<cl_uint>(layout_.n));
  enqueue_substitution(queue, kernels_, gemm_, layout_, a);
}

void ByColumns::solve_transposed(const cl::CommandQueue& queue, const MatrixView& a,
                                 Index columns) {
  const NumberType number(memo_.type(), true);
  const auto n = static_cast<cl_uint>(layout_.n);
  if (!order_) order_ = transposed_.order(queue, kernels_.pivots(), n);
  const MatrixView lu = number.in_numbers(a);
  transposed_.solve(queue, lu, n, *order_, lu.at(0, layout_.b / number.parts()),
                    static_cast<cl_uint>(columns), true);
}

void ask_complex_blocks(Context& context, RealType type) {
  const NumberType number(type, true);
  KernelMemo kernels(context, number);
  Gemm gemm(context, type);
  const MatrixView any{{}, 0, 2 * UsualLu::kRows};
  try {
    LuUpdates(kernels, gemm).prepare(1, 1, 1, any, any, any);
    if (context.profile().type == DeviceType::cpu) return;  // nothing waits there
    LuSpec spec = complex_lu_spec(context.profile(), type, UsualLu::kRows);
    for (const Index nrhs :
         {1, 2})  // with the vendor's kernels, if it has them, then portable ones
      make_complex_lu_gpu(context, type, UsualLu::kRows, {}, spec)->prepare(any, nrhs);
    set_value(spec.parameters, "PERSISTENT", 0);
    make_complex_lu_gpu(context, type, UsualLu::kRows, {}, spec)->prepare(any, 1);
  } catch (const NoUsableKernel&) {  // the self-tests say why
  }
}

LuSpec complex_lu_cpu_spec(const DeviceProfile& device, RealType type, Index n) {
  LuSpec spec = default_lu_spec(device, type, n, LuFamily::cpu);
  const int unit = std::lcm(value_of(spec.parameters, "RB"), value_of(spec.parameters, "NR"));
  set_value(spec.parameters, "NB",
            (96 + unit - 1) / unit * unit);  // other widths give wrong factors
  return spec;
}

namespace {

ComplexOutcome outcome_of(ComplexLuWay& lu, const cl::CommandQueue& queue, const MatrixView& a) {
  lu.factor(queue, a, {});
  const auto failed = lu.failed_column(queue);
  if (!failed) lu.solve(queue, a);
  return {failed, lu.pivots(queue)};
}

}  // namespace

bool complex_lu_cpu_works(Context& context, RealType type, const LuSpec& spec) {
  const auto ask = [&](const LuSpec& small, Index n) {
    const Parameters parameters = parameters_for(context.profile(), type, n);
    const ComplexLayout layout(type, n, 1, parameters);
    require_complex_solution(context, type, n, 1, layout.b, layout.ld,
                             [&](const ComplexQuestion& question) {
                               ByPanels lu(context, type, layout, parameters, small);
                               return outcome_of(lu, context.queue(), question.a);
                             });
  };
  return works_in_panels(context, lu_cpu_variant(), {type, true}, spec, ask);
}

bool complex_lu_works(Context& context, RealType type) {
  return complex_lu_works(context, type, parameters_for(context.profile(), type, 1));
}

bool complex_lu_works(Context& context, RealType type, const Parameters& parameters) {
  const auto ask = [&] {
    const int columns = value_of(parameters, "COLUMNS");
    Parameters small = parameters;  // for several blocks, of several panels each
    set_value(small, "BLOCK", 2 * columns);
    constexpr Index kNrhs = 3;
    const auto n =
        static_cast<Index>(std::max(4 * columns, 2 * value_of(parameters, "WG_SIZE")) + 5);
    const ComplexLayout layout(type, n, kNrhs, small);
    require_complex_solution(context, type, n, kNrhs, layout.b, layout.ld,
                             [&](const ComplexQuestion& question) {
                               ByColumns lu(context, type, layout, small);
                               return outcome_of(lu, context.queue(), question.a);
                             });
  };
  KernelMemo memo(context, type);
  return memo.works(complex_lu_variant().name, complex_lu_variant().file,
                    with_parameters(complex_lu_variant(), parameters, {}), ask);
}

}  // namespace clgauss
