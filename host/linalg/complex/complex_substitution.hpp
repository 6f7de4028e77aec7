#pragma once
/// B <- U^-1 L^-1 B in complex numbers, with factors that came from elsewhere.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/view.hpp>

#include "linalg/complex/complex_lu.hpp"

namespace clgauss {

/// B <- U^-1 L^-1 B for factors and B of that layout, in blocks of the kernels', whose W it takes.
/// 8 n^2 nrhs flops.
void enqueue_substitution(const cl::CommandQueue& queue, ComplexLuKernels& kernels, Gemm& gemm,
                          const ComplexLayout& layout, const MatrixView& lu);

class ComplexSubstitution {
 public:
  /// n, nrhs > 0. Throws NoUsableKernel, OutOfMemory.
  ComplexSubstitution(Context& context, RealType type, Index n, Index nrhs);

  /// Of L (unit diagonal not stored), U and B, as ComplexLu has A and B.
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
