#pragma once
/// Row exchanges (laswp) and triangular solves with blocks of columns (trsm): cl/lu/laswp_trsm.cl.

#include <map>
#include <utility>
#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// Row exchanges, and optionally a solve with the unit lower triangle of the same block.
struct LaswpTrsm {
  const MatrixView &diagonal, &b;
  cl_uint block, columns;        // rows of the triangle, columns of b
  cl_uint hole_begin, hole_end;  // columns of b that are not changed
  bool solve;
  const cl::Buffer& pivots;
  cl_uint row;  // the block's first row, and the index of its pivots
};

/// `rows`, or fewer if local memory is short (f64 on a device with 32 KiB).
[[nodiscard]] int laswp_trsm_rows(int rows, const DeviceProfile& device, NumberType number);

/// Its parameter SOLVE_BLOCK is the number of rows of a block of a solve.
[[nodiscard]] const KernelVariant& laswp_trsm_variant();

class LaswpTrsmKernels {
 public:
  explicit LaswpTrsmKernels(const LuSetting& setting);

  /// The most rows of a block of a solve.
  [[nodiscard]] cl_uint solve_block() const { return solve_block_; }

  /// Builds the kernels of laswp_trsm(). Throws NoUsableKernel.
  void prepare(cl_uint block, bool solve) { (void)working_swap(block, solve); }
  /// Builds the kernel of trsm(). Throws NoUsableKernel.
  void prepare_trsm() { (void)working_trsm(); }

  /// Applies the exchanges pivots[row ..] of `block` rows to the columns of `b` outside
  /// [hole_begin, hole_end). If `solve`, the columns from hole_end on also become B(0:block, :) <-
  /// L11^-1 B(0:block, :), with the unit lower triangle at `diagonal`. One pass over B.
  void laswp_trsm(const cl::CommandQueue& queue, const LaswpTrsm& call);

  /// B <- T^-1 B, for an upper or unit lower T of `size` <= solve_block() rows and a B of `nrhs`
  /// columns.
  void trsm(const cl::CommandQueue& queue, const MatrixView& t, const MatrixView& b, cl_uint size,
            cl_uint nrhs, bool upper);

  /// Self-tests all builds that a factorisation and solves use.
  void ask();

 private:
  /// What cl/lu/laswp_trsm.cl is built for, the value of its macro KERNEL: exchanges only,
  /// exchanges and a solve, or a solve only.
  enum class Which { swap = 0, swap_solve = 1, block_solve = 2 };

  [[nodiscard]] Defines macros(Which which, cl_uint group) const;

  /// Work-items for a block of this many rows: those of the smallest usual block that contains it,
  /// so that the partial block at a matrix's end needs no kernel of its own.
  [[nodiscard]] cl_uint group_of(cl_uint block) const;

  /// Kernels that passed their self-test. Both throw NoUsableKernel.
  Kernel& working_swap(cl_uint block, bool solve);
  Kernel& working_trsm();

  void launch(const cl::CommandQueue& queue, Kernel& kernel, const LaswpTrsm& call) const;
  void launch(const cl::CommandQueue& queue, Kernel& kernel, const MatrixView& t,
              const MatrixView& b, cl_uint size, cl_uint nrhs, bool upper) const;

  LuSetting setting_;
  cl_uint strip_, nb_, solve_block_;
  /// Working kernels, by work-group size and whether they solve.
  std::map<std::pair<cl_uint, bool>, Kernel*> swaps_;
  Kernel* trsm_ = nullptr;
};

}  // namespace clgauss
