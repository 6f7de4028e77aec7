#pragma once
/// A whole LU with one right-hand side in one launch of one work-group: cl/lu/lu_small_columns.cl
/// or cl/lu/lu_small.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// Up to this n a GPU factors and solves in one launch, if its local memory suffices. The two parts
/// can then not be timed separately.
inline constexpr Index kLargestSmallSystem = 128;

[[nodiscard]] const KernelVariant& lu_small_variant();
[[nodiscard]] const KernelVariant& lu_small_columns_variant();

/// Sub-groups of a work-group of cl/lu/lu_small_columns.cl for systems of n rows. Each has at most
/// nine columns.
[[nodiscard]] cl_uint columns_sub_groups(cl_uint n);

class LuSmall {
 public:
  /// `pivots`: memory for setting.n integers, the row exchanges.
  LuSmall(const LuSetting& setting, const cl::Buffer& pivots);

  /// Whether the parameters allow a system of this n.
  [[nodiscard]] bool fits() const { return n_ <= most_; }
  /// Whether it fits, and a kernel passed its self-test.
  bool works();
  /// The same for one kernel.
  bool works_with(const KernelVariant& variant);

  /// A <- L U and b <- A^-1 b, for setting.n rows.
  void gesv(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& b, cl_uint nrhs);

 private:
  /// A kernel for the system, and its number of work-items.
  struct Way {
    const KernelVariant* variant;
    Defines macros;
    cl_uint work_items;
  };
  [[nodiscard]] Way portable() const;
  [[nodiscard]] Way columns() const;
  [[nodiscard]] Way way(const KernelVariant& variant) const;
  void launch(const Way& way, const cl::CommandQueue& queue, const MatrixView& a,
              const MatrixView& b, cl_uint nrhs);

  LuSetting setting_;
  const cl::Buffer& pivots_;
  cl_uint n_, most_, group_;
  bool asked_ = false;
  std::optional<Way> way_;  // the one that works, once tested
};

}  // namespace clgauss
