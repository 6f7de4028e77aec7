#pragma once
/// The largest magnitudes of an upper triangle's rows: by cl/estimates/upper_maxima.cl or, where
/// device and host have one memory, by the host's cores, which saves a program to load.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

[[nodiscard]] const KernelVariant& upper_maxima_variant();

/// The largest |T(i, j)|, j >= i, of an n-by-n T, of complex numbers that of their parts; NaN if
/// there is one. The view is counted in numbers. Waits. Throws NoUsableKernel.
[[nodiscard]] double upper_maximum(Context& context, const cl::CommandQueue& queue,
                                   NumberType number, const MatrixView& t, Index n);

/// Builds the kernel, if it will be asked for n-by-n matrices. Throws NoUsableKernel.
void prepare_upper_maximum(Context& context, NumberType number, Index n);

}  // namespace clgauss
