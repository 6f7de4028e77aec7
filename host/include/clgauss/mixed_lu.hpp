#pragma once
/// Solves systems in device buffers with factors in f32, to the backward error of f64.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/refinement.hpp>
#include <clgauss/view.hpp>
#include <memory>

namespace CLGAUSS_EXPORT clgauss {

/// The kind of factors in f32.
enum class MixedFactors {
  partial_pivoting,  // P A = L U
  /// Random butterflies on both sides of A, with pivots only from the diagonal block. Faster if
  /// panels take most of the time. The seed is fixed, so the same input gives the same answer.
  butterflies
};

/// A x = b for one n on a device with fp64: factors in f32, x refined with residuals in f64. It
/// owns its workspace, 4 n^2 bytes and some vectors, and can be reused. Unlike Lu it waits, because
/// the number of corrections depends on x.
class MixedLu {
 public:
  /// For up to `nrhs` right-hand sides. Throws as Lu(), and DeviceLimit if the device has no fp64.
  MixedLu(Context& context, Index n, Index nrhs = 1,
          MixedFactors factors = MixedFactors::partial_pivoting, const LuOptions& options = {});
  MixedLu(MixedLu&&) noexcept;
  MixedLu& operator=(MixedLu&&) noexcept;
  ~MixedLu();

  /// B <- A^-1 B for A n-by-n and B n-by-nrhs (the constructor's), both f64 and row-major, on the
  /// context's queue; A is unchanged. If the result is not `accepted`, factors in f32 are not
  /// accurate enough for A (or A is singular). B then holds the best X found, or NaN; solve in f64
  /// instead. 2/3 n^3 flops in f32; each correction takes a pass over A and 2 n^2 nrhs flops.
  /// Throws DimensionError for a view that cannot hold A or B, CoResidencyLost, OpenClError.
  Refinement solve(const MatrixView& a, const MatrixView& b);

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace clgauss
