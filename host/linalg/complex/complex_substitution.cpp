#include "linalg/complex/complex_substitution.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/gemm/gemm_backend.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/plain_solves.hpp"

namespace clgauss {

/// As real factors are solved with on a GPU.
class ComplexSubstitution::ByGroups {
 public:
  ByGroups(Context& context, RealType type, const ComplexLayout& layout, Gemm& gemm,
           const LuFlags& flags)
      : number_(type, true),
        layout_(layout),
        memo_(context, number_),
        parameters_(complex_lu_spec(context.profile(), type, layout.n).parameters),
        setting_{memo_, flags, parameters_, layout.n},
        solves_(make_plain_solves_gpu(setting_, gemm)),
        x_{context.allocate(layout.n * number_.bytes(), "a complex right-hand side"), 0, 1} {
    solves_->prepare(layout.nrhs);
  }

  void enqueue(const cl::CommandQueue& queue, const MatrixView& parts) {
    const MatrixView lu = number_.in_numbers(parts);
    const auto solve = [&](const MatrixView& b) {
      solves_->solve(queue, lu, static_cast<cl_uint>(layout_.n), b, layout_.nrhs);
    };
    if (layout_.nrhs == 1)
      solve_contiguous(queue, number_, layout_, lu, x_, [&] { solve(x_); });
    else
      solve(layout_.b_beside(lu));
  }

 private:
  NumberType number_;
  ComplexLayout layout_;
  KernelMemo memo_;
  Parameters parameters_;
  LuSetting setting_;
  std::unique_ptr<PlainSolves> solves_;
  MatrixView x_;
};

ComplexSubstitution::ComplexSubstitution(Context& context, RealType type,
                                         const ComplexLayout& layout, ComplexLuKernels& kernels,
                                         Gemm& gemm, const LuFlags& flags)
    : layout_(layout), kernels_(kernels), gemm_(gemm) {
  if (context.profile().type == DeviceType::cpu) return;
  try {
    by_groups_ = std::make_unique<ByGroups>(context, type, layout, gemm, flags);
  } catch (const NoUsableKernel&) {  // `kernels` run anywhere
  }
}

ComplexSubstitution::~ComplexSubstitution() = default;

void ComplexSubstitution::enqueue(const cl::CommandQueue& queue, const MatrixView& lu) {
  if (by_groups_)
    by_groups_->enqueue(queue, lu);
  else
    enqueue_substitution(queue, kernels_, gemm_, layout_, lu);
}

void enqueue_substitution(const cl::CommandQueue& queue, ComplexLuKernels& kernels, Gemm& gemm,
                          const ComplexLayout& layout, const MatrixView& lu) {
  const Index n = layout.n, nb = kernels.block(), columns = layout.end - layout.b;
  // Solves X(k:k+count, :) with the triangle there, then
  // B(first:last, :) -= T(first:last, k:k+count) X.
  const auto eliminate = [&](bool upper, Index k, Index count, Index first, Index last) {
    kernels.solve(queue, upper, lu.at(k, 2 * k), lu.at(k, layout.b), columns,
                  static_cast<cl_uint>(count));
    gemm.update(last - first, columns, 2 * count, lu.at(first, 2 * k), kernels.w(),
                lu.at(first, layout.b), {&queue});
  };
  for (Index k = 0; k < n; k += nb) {
    const Index count = std::min(nb, n - k);
    eliminate(false, k, count, k + count, n);
  }
  for (Index end = n; end > 0;) {
    const Index count = (end - 1) % nb + 1, k = end - count;
    eliminate(true, k, count, 0, k);
    end = k;
  }
}

namespace {

Parameters parameters_for(Context& context, RealType type, Index n) {
  if (!complex_lu_works(context, type))
    throw NoUsableKernel("no kernel for triangular solves of complex numbers works on " +
                         context.profile().name + ": " +
                         context.trials().reasons({complex_lu_variant().name}));
  return usual_complex_lu_parameters({context.profile(), type, n});
}

}  // namespace

ComplexGetrs::ComplexGetrs(Context& context, RealType type, Index n, Index nrhs)
    : layout_(type, n, nrhs, parameters_for(context, type, n)),
      memo_(context, type),
      kernels_(memo_, n, layout_.end, parameters_for(context, type, n)),
      gemm_(context, type, gemm_options_for_lu(context, type, n, {})),
      flags_(context),
      substitution_(context, type, layout_, kernels_, gemm_, flags_) {}

void ComplexGetrs::check(const cl::CommandQueue& queue) {
  (void)failed_column_of(memo_.context(), flags_.read(queue), layout_.n);
}

}  // namespace clgauss
