#include "linalg/complex/complex_cholesky.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <numeric>

#include "kernels/common/variants.hpp"
#include "kernels/complex/complex_cholesky.hpp"
#include "kernels/complex/known_answers.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/lu/laswp_trsm.hpp"
#include "linalg/complex/complex_substitution.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/plain_solves.hpp"
#include "linalg/lu/updates.hpp"

namespace clgauss {

namespace {

/// U12 <- L11^-1 U12 on GPUs by the kernels of a real LU's solves, and W of it for products.
class SolvedRows {
 public:
  /// For at most `rows` rows of an n-by-n matrix. Throws NoUsableKernel.
  SolvedRows(Context& context, RealType type, Index n, Index rows, Gemm& gemm)
      : number_(type, true),
        memo_(context, number_),
        flags_(context),
        parameters_(complex_lu_spec(context.profile(), type, n).parameters),
        kernels_({memo_, flags_, parameters_, n}),
        updates_(memo_, gemm) {
    if (kernels_.solve_block() < rows) throw NoUsableKernel("blocks of a solve are too low");
    kernels_.prepare_trsm();
    const MatrixView any{{}, 0, 2};
    updates_.prepare(1, 1, 1, any, any, any);
  }

  /// Views are of parts. Returns W, which lasts until the next call.
  MatrixView solve(const cl::CommandQueue& queue, const MatrixView& l11, const MatrixView& u12,
                   cl_uint rows, cl_uint columns) {
    const MatrixView u = number_.in_numbers(u12);
    kernels_.trsm(queue, number_.in_numbers(l11), u, rows, columns, false);
    updates_.bring(queue, columns, rows, u);
    return updates_.as_product(columns, columns, rows, u, u, u).b;
  }

 private:
  NumberType number_;
  KernelMemo memo_;
  LuFlags flags_;
  Parameters parameters_;
  LaswpTrsmKernels kernels_;
  LuUpdates updates_;
};

class ComplexCholesky : public HermitianWay {
 public:
  /// Uses the block size of `cut`, which is `parameters` or has a smaller BLOCK.
  ComplexCholesky(Context& context, RealType type, const ComplexLayout& layout,
                  const Parameters& parameters, const Parameters& cut)
      : layout_(layout),
        memo_(context, type),
        kernels_(memo_, layout.n, layout.end, cut),
        blocks_(memo_, parameters),
        gemm_(context, type, gemm_options_for_lu(context, type, layout.n, {})),
        flags_(context),
        substitution_(context, type, layout, kernels_, gemm_, flags_) {
    if (context.profile().type == DeviceType::cpu) return;
    try {
      rows_ = std::make_unique<SolvedRows>(context, type, layout.n, kernels_.block(), gemm_);
    } catch (const NoUsableKernel&) {  // `kernels_` run anywhere
    }
  }

  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& callback) override;
  void solve(const cl::CommandQueue& queue, const MatrixView& a) override {
    substitution_.enqueue(queue, a);
  }
  Index columns_at_once() const override { return substitution_.columns(); }
  std::optional<Index> failed_column(const cl::CommandQueue& queue) override {
    (void)failed_column_of(memo_.context(), flags_.read(queue), layout_.n);
    return kernels_.failed_column(queue, layout_.n);
  }
  std::vector<Index> pivots(const cl::CommandQueue& /*queue*/) override {
    std::vector<Index> rows(layout_.n);
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }

 private:
  void update(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& w, Index k,
              Index count);

  ComplexLayout layout_;
  KernelMemo memo_;
  ComplexLuKernels kernels_;
  ComplexCholeskyKernels blocks_;
  Gemm gemm_;
  LuFlags flags_;  // of solves
  ComplexSubstitution substitution_;
  std::unique_ptr<SolvedRows> rows_;  // null where `kernels_` solve
};

void ComplexCholesky::factor(const cl::CommandQueue& queue, const MatrixView& a,
                             const ProgressCallback& callback) {
  const Index n = layout_.n, nb = kernels_.block();
  LuProgress progress(queue, callback, n, nb, 4.0 / 3);
  kernels_.reset(queue);
  flags_.reset(queue);
  for (Index k = 0; k < n; k += nb) {
    const Index count = std::min(nb, n - k), below = k + count;
    const auto size = static_cast<cl_uint>(count), rest = static_cast<cl_uint>(n - below);
    const MatrixView corner = a.at(k, 2 * k), l21 = a.at(below, 2 * k), u12 = a.at(k, 2 * below);
    blocks_.factor_block(queue, corner, size, static_cast<cl_uint>(k),
                         kernels_.info());  // A11 = L11 D1 L11^H
    if (rest > 0) {
      blocks_.turn(queue, l21, u12, rest, size);
      if (!rows_) kernels_.solve(queue, false, corner, u12, layout_.b - 2 * below, size);
      const MatrixView w =
          rows_ ? rows_->solve(queue, corner, u12, size, rest) : kernels_.w();  // L11^-1 A21^H
      blocks_.turn_back(queue, u12, l21, size, rest, corner);                   // U12^H D1^-1
      update(queue, a, w, k, count);
    }
    progress.block_enqueued(k / nb, rest);
  }
  if (callback) progress.finish();
}

/// A22 = A22 - L21 U12, in strips of columns from the diagonal down. Only the lower triangle is
/// needed.
void ComplexCholesky::update(const cl::CommandQueue& queue, const MatrixView& a,
                             const MatrixView& w, Index k, Index count) {
  const Index n = layout_.n, below = k + count, strip = (rows_ ? 8 : 2) * kernels_.block();
  for (Index left = below; left < n; left += strip)
    gemm_.update(n - left, 2 * std::min(strip, n - left), 2 * count, a.at(left, 2 * k),
                 w.at(0, 2 * (left - below)), a.at(left, 2 * left), {&queue});
}

Parameters usual_parameters_for(Context& context, RealType type, Index n) {
  return usual_complex_lu_parameters({context.profile(), type, n});
}

}  // namespace

std::unique_ptr<ComplexLuWay> make_complex_cholesky(Context& context, RealType type,
                                                    const ComplexLayout& layout) {
  if (!complex_lu_works(context, type) || !complex_cholesky_works(context, type))
    throw NoUsableKernel(
        "no kernel for Cholesky's factorisation of complex numbers works on " +
        context.profile().name + ": " +
        context.trials().reasons({complex_lu_variant().name, complex_cholesky_variant().name}));
  const Parameters parameters = usual_parameters_for(context, type, layout.n);
  return std::make_unique<ComplexCholesky>(context, type, layout, parameters, parameters);
}

bool complex_cholesky_works(Context& context, RealType type) {
  return complex_cholesky_works(context, type, usual_parameters_for(context, type, 1));
}

bool complex_cholesky_works(Context& context, RealType type, const Parameters& parameters) {
  Parameters small = parameters;  // for several blocks, and strips of them
  set_value(small, "BLOCK", value_of(parameters, "COLUMNS"));
  const auto ask = [&] {
    constexpr Index kNrhs = 3;
    const auto n = static_cast<Index>(5 * value_of(parameters, "COLUMNS") + 3);
    const ComplexLayout layout(type, n, kNrhs, small);
    require_hermitian_solution(context, type, n, kNrhs, layout.b, layout.ld,
                               [&](const ComplexQuestion& question) {
                                 ComplexCholesky cholesky(context, type, layout, parameters, small);
                                 cholesky.factor(context.queue(), question.a, {});
                                 cholesky.solve(context.queue(), question.a);
                                 return cholesky.failed_column(context.queue());
                               });
  };
  KernelMemo memo(context, type);
  return memo.works(complex_cholesky_variant().name, complex_cholesky_variant().file,
                    complex_cholesky_macros(parameters), ask);
}

}  // namespace clgauss
