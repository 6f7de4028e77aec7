#pragma once
/// Row exchanges (laswp) and triangular solves with blocks of columns (trsm), cl/lu/laswp_trsm.cl.

#include <map>
#include <utility>
#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// Exchanges, and a solve with the unit lower triangle that they belong to.
struct LaswpTrsm {
  const MatrixView &diagonal, &b;
  cl_uint block, columns;        // rows of the triangle, columns of b
  cl_uint hole_begin, hole_end;  // columns of b that are left as they are
  bool solve;
  const cl::Buffer& pivots;
  cl_uint row;  // the first of the block, where its pivots stand
};

/// As many rows of a block, or less where local memory is short (f64 on a device with 32 KiB).
[[nodiscard]] int laswp_trsm_rows(int rows, const DeviceProfile& device, NumberType number);

/// SOLVE_BLOCK are the rows of the blocks of a solve.
[[nodiscard]] const KernelVariant& laswp_trsm_variant();

class LaswpTrsmKernels {
 public:
  explicit LaswpTrsmKernels(const LuSetting& setting);

  /// Rows of a block of a solve, at most.
  [[nodiscard]] cl_uint solve_block() const { return solve_block_; }

  /// Builds the kernels of laswp_trsm(). Throws NoUsableKernel.
  void prepare(cl_uint block, bool solve) { (void)working_swap(block, solve); }
  /// Builds the kernel of trsm(). Throws NoUsableKernel.
  void prepare_trsm() { (void)working_trsm(); }

  /// For the columns of `b` outside [hole_begin, hole_end): the exchanges pivots[row ..] of `block`
  /// rows, and, from hole_end on if `solve`, B(0:block, :) <- L11^-1 B(0:block, :) with the unit
  /// lower triangle at `diagonal`. One pass over B.
  void laswp_trsm(const cl::CommandQueue& queue, const LaswpTrsm& call);

  /// B <- T^-1 B for T of `size` <= solve_block() rows, upper or unit lower, and B of `nrhs`
  /// columns.
  void trsm(const cl::CommandQueue& queue, const MatrixView& t, const MatrixView& b, cl_uint size,
            cl_uint nrhs, bool upper);

  /// Asks all builds that a factorisation and solves take.
  void ask();

 private:
  /// What cl/lu/laswp_trsm.cl builds, the macro KERNEL: exchanges alone, exchanges and a solve, a
  /// solve.
  enum class Which { swap = 0, swap_solve = 1, block_solve = 2 };

  [[nodiscard]] Defines macros(Which which, cl_uint group) const;

  /// Work-items for a block of so many rows: those of the smallest whole block that holds it, so
  /// that what is left at the end of a matrix takes no kernel of its own.
  [[nodiscard]] cl_uint group_of(cl_uint block) const;

  /// Kernels that passed their self-test. Throw NoUsableKernel.
  Kernel& working_swap(cl_uint block, bool solve);
  Kernel& working_trsm();

  void launch(const cl::CommandQueue& queue, Kernel& kernel, const LaswpTrsm& call) const;
  void launch(const cl::CommandQueue& queue, Kernel& kernel, const MatrixView& t,
              const MatrixView& b, cl_uint size, cl_uint nrhs, bool upper) const;

  LuSetting setting_;
  cl_uint strip_, nb_, solve_block_;
  /// that work; by work-group, and whether they solve
  std::map<std::pair<cl_uint, bool>, Kernel*> swaps_;
  Kernel* trsm_ = nullptr;
};

}  // namespace clgauss
