#pragma once
/// The largest magnitudes of an upper triangle's rows, cl/upper_maxima.cl.

#include "kernels/lu_common.hpp"

namespace clgauss {

[[nodiscard]] const KernelVariant& upper_maxima_variant();

/// The largest |T(i, j)|, j >= i, of an n-by-n T; NaN if there is one. Waits. Throws NoUsableKernel.
[[nodiscard]] double upper_maximum(Context& context, const cl::CommandQueue& queue, RealType type,
                                   const MatrixView& t, Index n);

}  // namespace clgauss
