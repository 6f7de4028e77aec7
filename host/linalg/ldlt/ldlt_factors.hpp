#pragma once
/// P A P^T = L D L^T of a symmetric A, or L D L^H of a Hermitian one, except for the products and
/// the triangular solves: what the factorisations of real and of complex numbers share.

#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <functional>
#include <optional>

#include "kernels/ldlt/ldlt.hpp"

namespace clgauss {

/// Views are counted in numbers.
class LdltFactors {
 public:
  /// With the kernels for the family. `kernels` determines the type of numbers and must outlive
  /// this object. Throws OutOfMemory.
  LdltFactors(KernelMemo& kernels, LuFamily family, Index n, const LdltPanels& panels = {});

  /// Builds all kernels.
  void prepare();
  /// The most columns of a panel.
  [[nodiscard]] cl_uint width() const { return kernels_.width(); }
  [[nodiscard]] const LuFlags& flags() const { return flags_; }

  /// Factors the n-by-n `a` by panels. `update(k, count)` enqueues A22 -= L21 U12 after columns
  /// k .. k + count - 1 are factored, of which the lower triangle is needed. Waits for each panel,
  /// which determines how many columns it takes.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, const ProgressCallback& callback,
              const std::function<void(cl_uint k, cl_uint count)>& update);

  /// X <- rows of B in the order of L's rows, n-by-nrhs; X has no gaps.
  void to_pivots(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs,
                 const cl::Buffer& x);
  /// B <- X in the order of A's rows, for an X in the order of U's columns.
  void from_pivots(const cl::CommandQueue& queue, const cl::Buffer& x, Index nrhs,
                   const MatrixView& b);

  /// The first column whose pivot is zero or not finite. Waits, as the functions below. Throws
  /// CoResidencyLost if a solve waited in vain, and DeviceFault.
  [[nodiscard]] std::optional<Index> failed_column(const cl::CommandQueue& queue) const;
  [[nodiscard]] SymmetricPivots symmetric_pivots(const cl::CommandQueue& queue) const;
  /// The row exchanges; the two rows of a 2-by-2 block of D change places.
  [[nodiscard]] std::vector<Index> pivots(const cl::CommandQueue& queue) const;

 private:
  void start(const cl::CommandQueue& queue);

  Context& context_;
  NumberType number_;
  cl_uint columns_;
  LuFlags flags_;
  LdltKernels kernels_;
  LdltBuffers buffers_;
  cl::Buffer identity_;
};

}  // namespace clgauss
