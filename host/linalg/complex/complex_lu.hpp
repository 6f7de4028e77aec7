#pragma once
/// A X = B in complex numbers, by LU with partial pivoting on the device. Its products are Gemm's,
/// of real matrices.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/view.hpp>
#include <optional>
#include <vector>

#include "kernels/complex/complex_lu.hpp"

namespace clgauss {

/// Where A and B lie, side by side in one buffer, as real matrices of twice as many columns. The
/// columns between them and behind B belong to nobody, and are to be zeros.
struct ComplexLayout {
  ComplexLayout(RealType type, Index n, Index nrhs, const Parameters& parameters);

  Index n, nrhs;
  Index b;    // first column of B, in REALs
  Index end;  // of the columns that are worked on
  Index ld;
};

class ComplexLu {
 public:
  /// n, nrhs > 0. Throws NoUsableKernel, OutOfMemory.
  ComplexLu(Context& context, RealType type, Index n, Index nrhs);
  /// With kernels whose answers are for the caller to check.
  ComplexLu(Context& context, RealType type, Index n, Index nrhs, const Parameters& parameters);

  /// Bytes of all that it holds beside A and B.
  [[nodiscard]] static std::uint64_t bytes(const DeviceProfile& device, RealType type, Index n,
                                           Index nrhs);

  [[nodiscard]] const ComplexLayout& layout() const { return layout_; }

  /// A <- L and U, B <- L^-1 P B, for `a` of that layout. 8/3 n^3 flops.
  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& progress = {});
  /// B <- U^-1 B.
  void substitute(const cl::CommandQueue& queue, const MatrixView& a);

  /// The first column whose pivot is 0 or not finite. Waits, as pivots(), the rows exchanged with
  /// each.
  [[nodiscard]] std::optional<Index> failed_column(const cl::CommandQueue& queue) const;
  [[nodiscard]] std::vector<Index> pivots(const cl::CommandQueue& queue) const;

 private:
  void factor_columns(const cl::CommandQueue& queue, const MatrixView& a, Index k, Index count);
  void update(const cl::CommandQueue& queue, const MatrixView& a, Index k, Index count, Index begin,
              Index end);

  ComplexLayout layout_;
  KernelMemo memo_;
  ComplexLuKernels kernels_;
  Gemm gemm_;
};

}  // namespace clgauss
