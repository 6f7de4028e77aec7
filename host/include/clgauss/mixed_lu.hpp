#pragma once
/// Systems in device buffers, solved by factors in f32 to the backward error of f64.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/refinement.hpp>
#include <clgauss/view.hpp>
#include <memory>

namespace CLGAUSS_EXPORT clgauss {

/// What the factors in f32 are.
enum class MixedFactors {
  partial_pivoting,  // P A = L U
  /// Of A between random butterflies, with pivots from the diagonal's block alone: faster where
  /// panels take most of the time. The seed is fixed, so the same input gives the same answer.
  butterflies
};

/// A x = b of one n on a device with fp64: factors in f32, x refined with residuals in f64. It owns
/// its workspace, 4 n^2 bytes and some vectors, and may be used again and again. Unlike Lu it
/// waits: how often it corrects x depends on x.
class MixedLu {
 public:
  /// For up to `nrhs` right-hand sides. Throws as Lu(), and DeviceLimit where the device has no
  /// fp64.
  MixedLu(Context& context, Index n, Index nrhs = 1,
          MixedFactors factors = MixedFactors::partial_pivoting, const LuOptions& options = {});
  MixedLu(MixedLu&&) noexcept;
  MixedLu& operator=(MixedLu&&) noexcept;
  ~MixedLu();

  /// B <- A^-1 B for A n-by-n and B n-by-nrhs (the constructor's), both of f64, row-major, on the
  /// context's queue; A stays as it is. Where the result is not `accepted`, factors in f32 are not
  /// good enough for A (or it is singular): B then holds the best X that came out, or NaN; solve in
  /// f64. 2/3 n^3 flops in f32, a pass over A and 2 n^2 nrhs flops for each correction. Throws
  /// DimensionError for a view that cannot hold A or B, CoResidencyLost, OpenClError.
  Refinement solve(const MatrixView& a, const MatrixView& b);

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace clgauss
