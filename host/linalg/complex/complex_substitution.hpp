#pragma once
/// B <- U^-1 L^-1 B in complex numbers, with given factors.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/view.hpp>

#include "linalg/complex/complex_lu.hpp"

namespace clgauss {

/// B <- U^-1 L^-1 B for factors and B of this layout, in blocks of the kernels' size. Overwrites
/// the kernels' W. 8 n^2 nrhs flops.
void enqueue_substitution(const cl::CommandQueue& queue, ComplexLuKernels& kernels, Gemm& gemm,
                          const ComplexLayout& layout, const MatrixView& lu);

class ComplexSubstitution {
 public:
  /// n, nrhs > 0. Throws NoUsableKernel, OutOfMemory.
  ComplexSubstitution(Context& context, RealType type, Index n, Index nrhs);

  /// The layout of L (unit diagonal not stored), U and B, the same as that of A and B in ComplexLu.
  [[nodiscard]] const ComplexLayout& layout() const { return layout_; }

  void enqueue(const cl::CommandQueue& queue, const MatrixView& lu) {
    enqueue_substitution(queue, kernels_, gemm_, layout_, lu);
  }

 private:
  ComplexLayout layout_;
  KernelMemo memo_;
  ComplexLuKernels kernels_;
  Gemm gemm_;
};

}  // namespace clgauss
