#pragma once
/// Triangular solves with one right-hand side.

#include <memory>
#include <vector>

#include "kernels/lu_common.hpp"

namespace clgauss {

/// One way to do b <- T^-1 b, T n-by-n, unit lower or upper.
class TrsvKernel {
 public:
  TrsvKernel() = default;
  virtual ~TrsvKernel() = default;
  TrsvKernel(const TrsvKernel&) = delete;
  TrsvKernel& operator=(const TrsvKernel&) = delete;

  [[nodiscard]] virtual const KernelVariant& variant() const = 0;
  [[nodiscard]] virtual Defines macros(bool upper) const = 0;
  virtual void build(bool upper) = 0;
  /// `b` has the leading dimension 1.
  virtual void trsv(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n,
                    const MatrixView& b, bool upper) = 0;
};

/// One launch, whose work-groups wait for each other's parts of x.
[[nodiscard]] const KernelVariant& trsv_persistent_variant();
/// A launch a block of rows.
[[nodiscard]] const KernelVariant& trsv_variant();

[[nodiscard]] std::unique_ptr<TrsvKernel> make_trsv_persistent(const LuSetting& setting);
[[nodiscard]] std::unique_ptr<TrsvKernel> make_trsv(const LuSetting& setting);

/// Whether both triangles' kernels gave their known answers.
bool trsv_works(TrsvKernel& kernel, const LuSetting& setting);

}  // namespace clgauss
