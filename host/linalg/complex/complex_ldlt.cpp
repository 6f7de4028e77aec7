#include "linalg/complex/complex_ldlt.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>

#include "kernels/common/variants.hpp"
#include "kernels/complex/known_answers.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "linalg/complex/complex_substitution.hpp"
#include "linalg/ldlt/ldlt_factors.hpp"
#include "linalg/lu/updates.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// Columns of a product, of which only those rows are computed that its first column needs. On a
/// GPU the launches of narrow ones take longer than what they spare (H200, f64, n = 4096: 52.7 ms
/// with 256, 45.8 with 512, 44.7 with 1024).
Index strip_for(LuFamily family) { return family == LuFamily::cpu ? 256 : 1024; }

class ComplexLdlt : public HermitianWay {
 public:
  ComplexLdlt(Context& context, RealType type, const ComplexLayout& layout, LuFamily family,
              const LdltPanels& panels = {})
      : number_(type, true),
        layout_(layout),
        numbers_(context, number_),
        parts_(context, type),
        factors_(numbers_, family, layout.n, panels),
        solves_(parts_, layout.n, layout.end - layout.b,
                usual_complex_lu_parameters({context.profile(), type, layout.n})),
        gemm_(context, type, gemm_options_for_lu(context, type, layout.n, {})),
        substitution_(context, type, layout, solves_, gemm_, factors_.flags()),
        updates_(numbers_, gemm_),
        strip_(strip_for(family)),
        x_(context.allocate(layout.n * columns() * number_.bytes(),
                            "right-hand sides in the order of pivots")) {
    factors_.prepare();
    const Index width = std::min<Index>(factors_.width(), layout.n);
    for (const Index count : {width, width - 1}) {
      if (count == 0 || count >= layout.n) continue;
      const MatrixView a = number_.in_numbers({{}, 0, layout.ld});
      const Index rows = layout.n - count;
      updates_.prepare(rows, std::min(strip_, rows), count, a.at(count, 0), a.at(0, count),
                       a.at(count, count));
    }
  }

  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& callback) override {
    factors_.factor(queue, number_.in_numbers(a), callback,
                    [&](cl_uint k, cl_uint count) { update(queue, a, k, count); });
  }
  void solve(const cl::CommandQueue& queue, const MatrixView& a) override {
    const MatrixView b = number_.in_numbers(a.at(0, layout_.b));
    factors_.to_pivots(queue, b, columns(), x_);
    copy(queue, in_x(), in_b(b));
    substitution_.enqueue(queue, a);
    copy(queue, in_b(b), in_x());
    factors_.from_pivots(queue, x_, columns(), b);
  }
  Index columns_at_once() const override { return columns(); }
  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    return factors_.failed_column(queue);
  }
  std::vector<Index> pivots(const cl::CommandQueue& queue) override {
    return factors_.pivots(queue);
  }
  std::optional<SymmetricPivots> symmetric_pivots(const cl::CommandQueue& queue) override {
    return factors_.symmetric_pivots(queue);
  }

 private:
  /// Of B.
  [[nodiscard]] Index columns() const { return substitution_.columns(); }
  [[nodiscard]] ByteRows in_x() const { return {x_, 0, columns() * number_.bytes()}; }
  [[nodiscard]] ByteRows in_b(const MatrixView& b) const {
    return {b.buffer, b.offset * number_.bytes(), b.ld * number_.bytes()};
  }
  void copy(const cl::CommandQueue& queue, const ByteRows& from, const ByteRows& to) const {
    enqueue_copy_rows(queue, from, to, columns() * number_.bytes(), layout_.n);
  }

  /// A22 = A22 - L21 U12, in strips of columns from the diagonal down.
  void update(const cl::CommandQueue& queue, const MatrixView& parts, Index k, Index count) {
    const MatrixView a = number_.in_numbers(parts);
    const Index next = k + count, rest = layout_.n - next;
    updates_.bring(queue, rest, count, a.at(k, next));
    const GemmCall whole =
        updates_.as_product(rest, rest, count, a.at(next, k), a.at(k, next), a.at(next, next));
    for (Index left = 0; left < rest; left += strip_)
      gemm_.update(rest - left, 2 * std::min(strip_, rest - left), whole.shape.k,
                   whole.a.at(left, 0), whole.b.at(0, 2 * left), whole.c.at(left, 2 * left),
                   {&queue});
  }

  NumberType number_;
  ComplexLayout layout_;
  KernelMemo numbers_, parts_;
  LdltFactors factors_;
  ComplexLuKernels solves_;
  Gemm gemm_;
  ComplexSubstitution substitution_;
  LuUpdates updates_;
  Index strip_;
  cl::Buffer x_;
};

}  // namespace

std::unique_ptr<ComplexLuWay> make_complex_ldlt(Context& context, RealType type,
                                                const ComplexLayout& layout, Pivoting pivoting) {
  if (complex_lu_works(context, type))
    for (const LuFamily family : {LuFamily::cpu, LuFamily::gpu})
      if (ldlt_variant_of(family).lacks(context).empty() &&
          complex_ldlt_works(context, type, family))
        return std::make_unique<ComplexLdlt>(context, type, layout, family,
                                             ldlt_panels_for(pivoting));
  throw NoUsableKernel("no kernel for L D L^H of complex numbers works on " +
                       context.profile().name + ": " +
                       context.trials().reasons({complex_lu_variant().name, ldlt_cpu_variant().name,
                                                 ldlt_variant().name}));
}

std::uint64_t complex_ldlt_bytes(const DeviceProfile& device, RealType type,
                                 const ComplexLayout& layout) {
  const NumberType number(type, true);
  const bool cpu = device.type == DeviceType::cpu;
  const LdltCut cut = ldlt_cut(device, number, cpu ? LuFamily::cpu : LuFamily::gpu, layout.n);
  return LdltBuffers::bytes(number, cut) +
         (cpu ? 0 : LdltWaiting::bytes(device, number, layout.n)) + layout.n * sizeof(cl_uint) +
         layout.n * (layout.end - layout.b) * bytes_of(type) +
         LuUpdates::bytes(number, cut.width, layout.n);
}

namespace {

/// Self-test: throws if it factors or solves a known system of n equations wrong.
void require_known_answer(Context& context, RealType type, Index n, LuFamily family,
                          const LdltPanels& panels) {
  constexpr Index kNrhs = 3;
  const ComplexLayout layout(type, n, kNrhs,
                             usual_complex_lu_parameters({context.profile(), type, n}));
  require_indefinite_solution(
      context, type, n, kNrhs, layout.b, layout.ld, [&](const ComplexQuestion& question) {
        ComplexLdlt ldlt(context, type, layout, family, panels);
        const cl::CommandQueue& queue = context.queue();
        ldlt.factor(queue, question.a, {});
        const auto failed = ldlt.failed_column(queue);
        if (!failed) ldlt.solve(queue, question.a);
        return ComplexOutcome{failed, ldlt.pivots(queue), ldlt.symmetric_pivots(queue)->exchanges};
      });
}

}  // namespace

bool complex_ldlt_works(Context& context, RealType type, LuFamily family) {
  KernelMemo memo(context, {type, true});
  const LdltKernels kernels(memo, family, 1);
  return context.trials().passes(kernels.build(), [&] {
    for (const auto panels : {LdltPanels::one_group, LdltPanels::rook})
      require_known_answer(context, type, 2 * kernels.width() + 5, family, {panels});
  });
}

bool complex_ldlt_waiting_works(Context& context, RealType type, cl_uint rows) {
  KernelMemo memo(context, {type, true});
  const LdltPanels waiting{LdltPanels::waiting, rows};
  const LdltKernels kernels(memo, LuFamily::gpu, 1, waiting);
  return context.trials().passes(kernels.build_of_waiting(), [&] {
    require_known_answer(context, type, 2 * rows + 5, LuFamily::gpu, waiting);
  });
}

}  // namespace clgauss
