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

}  // namespace clgauss
