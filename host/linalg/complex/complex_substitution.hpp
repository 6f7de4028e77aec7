#pragma once
/// B <- U^-1 L^-1 B in complex numbers, with given factors.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/view.hpp>
#include <memory>

#include "linalg/complex/complex_lu.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

/// Copies the first column of the B beside `lu`, a view in complex numbers of this layout, to the
/// contiguous x, calls `solve`, and copies it back.
template <typename Solve>
void solve_contiguous(const cl::CommandQueue& queue, NumberType number, const ComplexLayout& layout,
                      const MatrixView& lu, const MatrixView& x, const Solve& solve) {
  const MatrixView b = layout.b_beside(lu);
  const std::size_t bytes = number.bytes();
  const ByteRows in_b{b.buffer, b.offset * bytes, b.ld * bytes}, in_x{x.buffer, 0, bytes};
  enqueue_copy_rows(queue, in_b, in_x, bytes, layout.n);
  solve();
  enqueue_copy_rows(queue, in_x, in_b, bytes, layout.n);
}

/// B <- U^-1 L^-1 B for factors and B of this layout, in blocks of the kernels' size. Overwrites
/// the kernels' W. 8 n^2 nrhs flops.
void enqueue_substitution(const cl::CommandQueue& queue, ComplexLuKernels& kernels, Gemm& gemm,
                          const ComplexLayout& layout, const MatrixView& lu);

/// The same on CPUs; elsewhere, where the kernels for it work, as real factors are solved with on a
/// GPU: enqueue_substitution() leaves most of it idle. A solve that waits in vain sets `flags`.
class ComplexSubstitution {
 public:
  /// `kernels` and `gemm`, of the numbers' parts, and `flags` must outlive this object. Throws
  /// NoUsableKernel, OutOfMemory.
  ComplexSubstitution(Context& context, RealType type, const ComplexLayout& layout,
                      ComplexLuKernels& kernels, Gemm& gemm, const LuFlags& flags);
  ~ComplexSubstitution();
  ComplexSubstitution(const ComplexSubstitution&) = delete;
  ComplexSubstitution& operator=(const ComplexSubstitution&) = delete;

  void enqueue(const cl::CommandQueue& queue, const MatrixView& lu);
  /// The columns of B that it solves for, with those of padding where `kernels` do.
  [[nodiscard]] Index columns() const {
    return by_groups_ ? layout_.nrhs : (layout_.end - layout_.b) / 2;
  }

 private:
  class ByGroups;

  ComplexLayout layout_;
  ComplexLuKernels& kernels_;
  Gemm& gemm_;
  std::unique_ptr<ByGroups> by_groups_;  // null: `kernels` solve
};

/// The same with kernels of its own.
class ComplexGetrs {
 public:
  /// n, nrhs > 0. Throws NoUsableKernel, OutOfMemory.
  ComplexGetrs(Context& context, RealType type, Index n, Index nrhs);

  /// The layout of L (unit diagonal not stored), U and B, the same as that of A and B in ComplexLu.
  [[nodiscard]] const ComplexLayout& layout() const { return layout_; }
  void enqueue(const cl::CommandQueue& queue, const MatrixView& lu) {
    flags_.reset(queue);
    substitution_.enqueue(queue, lu);
  }
  /// Throws CoResidencyLost if a solve waited in vain. Waits.
  void check(const cl::CommandQueue& queue);

 private:
  ComplexLayout layout_;
  KernelMemo memo_;
  ComplexLuKernels kernels_;
  Gemm gemm_;
  LuFlags flags_;
  ComplexSubstitution substitution_;
};

}  // namespace clgauss
