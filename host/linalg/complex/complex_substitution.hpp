#pragma once
/// B <- U^-1 L^-1 B in complex numbers, with factors that came from elsewhere.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/view.hpp>

#include "linalg/complex/complex_lu.hpp"

namespace clgauss {

class ComplexSubstitution {
 public:
  /// n, nrhs > 0. Throws NoUsableKernel, OutOfMemory.
  ComplexSubstitution(Context& context, RealType type, Index n, Index nrhs);

  /// Of L (unit diagonal not stored), U and B, as ComplexLu has A and B.
  [[nodiscard]] const ComplexLayout& layout() const { return layout_; }

  /// Enqueues it. 8 n^2 nrhs flops.
  void enqueue(const cl::CommandQueue& queue, const MatrixView& lu);

 private:
  /// Of `count` rows from row k on.
  void solve_block(const cl::CommandQueue& queue, const MatrixView& lu, bool upper, Index k,
                   Index count);
  /// B(first:last, :) -= T(first:last, k:k+count) X for the block that was solved last.
  void update(const cl::CommandQueue& queue, const MatrixView& lu, Index first, Index last, Index k,
              Index count);

  ComplexLayout layout_;
  KernelMemo memo_;
  ComplexLuKernels kernels_;
  Gemm gemm_;
};

}  // namespace clgauss
