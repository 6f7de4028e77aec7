#pragma once
/// Triangular solves with one right-hand side.

#include <memory>
#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// One way to compute b <- T^-1 b for an n-by-n T, unit lower or upper.
class TrsvKernel {
 public:
  TrsvKernel() = default;
  virtual ~TrsvKernel() = default;
  TrsvKernel(const TrsvKernel&) = delete;
  TrsvKernel& operator=(const TrsvKernel&) = delete;

  [[nodiscard]] virtual const KernelVariant& variant() const = 0;
  [[nodiscard]] virtual Defines macros(bool upper) const = 0;
  virtual void build(bool upper) = 0;
  /// `b` must have the leading dimension 1.
  virtual void trsv(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n,
                    const MatrixView& b, bool upper) = 0;
};

/// A single launch, whose work-groups wait for each other's parts of x.
[[nodiscard]] const KernelVariant& trsv_persistent_variant();
/// One launch per block of rows.
[[nodiscard]] const KernelVariant& trsv_variant();

[[nodiscard]] std::unique_ptr<TrsvKernel> make_trsv_persistent(const LuSetting& setting);
[[nodiscard]] std::unique_ptr<TrsvKernel> make_trsv(const LuSetting& setting);

/// Launches the kernel of cl/substitution/trsv_persistent.cl.
class PersistentTrsv {
 public:
  static constexpr cl_uint kMostColumns = 4;  // a power of two

  explicit PersistentTrsv(const LuSetting& setting) : setting_(setting) {}

  /// op(T), and the number of right-hand sides, a power of two.
  struct Triangle {
    bool upper, transposed;
    cl_uint columns;
  };
  [[nodiscard]] Defines macros(const Triangle& triangle) const;

  /// X <- op(T)^-1 X. X has `columns` columns of n contiguous numbers, which are x.ld apart.
  /// `kernel` must be built with the macros for this case.
  void enqueue(const cl::CommandQueue& queue, Kernel& kernel, const MatrixView& t, cl_uint n,
               const MatrixView& x, cl_uint columns);

 private:
  LuSetting setting_;
  cl::Buffer packets_;  // parts of x in transfer between work-groups, tagged with an epoch
  cl_uint epoch_ = 0;   // of the next solve; 0: clear the packets first
};

/// Whether the kernels of both triangles passed their self-test.
bool trsv_works(TrsvKernel& kernel, const LuSetting& setting);

}  // namespace clgauss
