#pragma once
/// A whole LU with one right-hand side in one launch of one work-group, cl/lu_small.cl.

#include "kernels/lu_common.hpp"

namespace clgauss {

/// Up to this n a GPU factors and solves in one launch, if its local memory allows, which cannot be timed in two parts.
inline constexpr Index kLargestSmallSystem = 128;

[[nodiscard]] const KernelVariant& lu_small_variant();

class LuSmall {
 public:
  /// `pivots`: setting.n integers, for the exchanges.
  LuSmall(const LuSetting& setting, const cl::Buffer& pivots);

  /// Whether the parameters let it try a system of this n.
  [[nodiscard]] bool fits() const { return n_ <= most_; }
  /// Whether it fits, and its kernel gave its known answer.
  bool works();

  /// A <- L U, b <- A^-1 b, setting.n rows.
  void gesv(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& b, cl_uint nrhs);

 private:
  [[nodiscard]] Defines macros() const;

  LuSetting setting_;
  const cl::Buffer& pivots_;
  cl_uint n_, most_, group_;
  std::optional<bool> works_;
};

}  // namespace clgauss
