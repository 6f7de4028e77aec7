#pragma once
/// The largest magnitudes in the rows of an upper triangle. Computed by
/// cl/estimates/upper_maxima.cl or, where device and host share memory, by the host's cores, which
/// saves loading a program.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

[[nodiscard]] const KernelVariant& upper_maxima_variant();

/// The largest |T(i, j)|, j >= i, of an n-by-n T; for complex numbers the largest magnitude of a
/// part. NaN if there is one. The view is counted in numbers. Waits. Throws NoUsableKernel.
[[nodiscard]] double upper_maximum(Context& context, const cl::CommandQueue& queue,
                                   NumberType number, const MatrixView& t, Index n);

/// Builds the kernel if upper_maximum() will use it for n-by-n matrices. Throws NoUsableKernel.
void prepare_upper_maximum(Context& context, NumberType number, Index n);

}  // namespace clgauss
