#include "linalg/complex/complex_substitution.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/gemm/gemm_backend.hpp"

namespace clgauss {

namespace {

Parameters parameters_for(Context& context, RealType type, Index n) {
  if (!complex_lu_works(context, type))
    throw NoUsableKernel("no kernel for triangular solves of complex numbers works on " +
                         context.profile().name + ": " +
                         context.trials().reasons({complex_lu_variant().name}));
  return usual_complex_lu_parameters({context.profile(), type, n});
}

}  // namespace

ComplexSubstitution::ComplexSubstitution(Context& context, RealType type, Index n, Index nrhs)
    : layout_(type, n, nrhs, parameters_for(context, type, n)),
      memo_(context, type),
      kernels_(memo_, n, layout_.end, parameters_for(context, type, n)),
      gemm_(context, type, gemm_options_for_lu(context, type, n, {})) {}

void ComplexSubstitution::solve_block(const cl::CommandQueue& queue, const MatrixView& lu,
                                      bool upper, Index k, Index count) {
  kernels_.solve(queue, upper, lu.at(k, 2 * k), lu.at(k, layout_.b), layout_.end - layout_.b,
                 static_cast<cl_uint>(count));
}

void ComplexSubstitution::update(const cl::CommandQueue& queue, const MatrixView& lu, Index first,
                                 Index last, Index k, Index count) {
  gemm_.update(last - first, layout_.end - layout_.b, 2 * count, lu.at(first, 2 * k), kernels_.w(),
               lu.at(first, layout_.b), {&queue});
}

void ComplexSubstitution::enqueue(const cl::CommandQueue& queue, const MatrixView& lu) {
  const Index n = layout_.n, nb = kernels_.block();
  for (Index k = 0; k < n; k += nb) {
    const Index count = std::min(nb, n - k);
    solve_block(queue, lu, false, k, count);
    update(queue, lu, k + count, n, k, count);
  }
  for (Index end = n; end > 0;) {
    const Index count = (end - 1) % nb + 1, k = end - count;
    solve_block(queue, lu, true, k, count);
    update(queue, lu, 0, k, k, count);
    end = k;
  }
}

}  // namespace clgauss
