#pragma once
/// LU with pivots from a window of rows at the diagonal: the diagonal blocks with the inverses of
/// their triangles (cl/lu/lu_diagonal.cl, lu_diagonal_ptx.cl), the row exchanges, and how far
/// factors grew (cl/lu/lu_window.cl). What is left of such an LU are products.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a block, and WINDOW are this variant's, for the diagonal blocks too.
[[nodiscard]] const KernelVariant& lu_window_variant();
/// In the registers of sub-groups, f32.
[[nodiscard]] const KernelVariant& lu_diagonal_ptx_variant();
[[nodiscard]] const KernelVariant& lu_diagonal_variant();

class WindowKernels {
 public:
  /// `parameters` hold the variant's. All must outlive this.
  WindowKernels(KernelMemo& kernels, const LuFlags& flags, const Parameters& parameters);

  [[nodiscard]] cl_uint block() const { return nb_; }
  [[nodiscard]] cl_uint window() const { return window_; }
  /// Elements of a block's workspace: L^-1, U^-1, block() x block() each, and scratch.
  [[nodiscard]] Index work() const { return Index{nb_} * (2 * nb_ + window_); }

  /// Builds the kernels. Throws NoUsableKernel.
  void prepare();

  /// Whether lu_diagonal of that variant, and the kernels for whole matrices, gave their known
  /// answers.
  [[nodiscard]] bool diagonal_works(const KernelVariant& variant);
  [[nodiscard]] bool exchanges_work();

  /// A diagonal block and its window.
  struct Diagonal {
    const MatrixView &a, &lu;   // `rows` x `size`, which stay; L\U of the best `size` of the rows
    const cl::Buffer& work;     // L^-1, then U^-1, then scratch
    const cl::Buffer& sources;  // of the window's rows, in their new order: a cl_int each
    cl_uint rows, size, first;  // size <= block(), rows <= window(); the first column
  };

  /// Partial pivoting within the window. A pivot that is zero or not finite is noted in the flags.
  void diagonal(const cl::CommandQueue& queue, const Diagonal& block);

  /// What diagonal() found, for whole matrices.
  struct Exchange {
    const MatrixView &a, &lu;  // from column `first` on, and left of it
    const cl::Buffer& sources;
    const cl::Buffer& order;  // [i]: where row i of the matrix came from
    cl_uint first, rows, columns;
  };
  void exchange(const cl::CommandQueue& queue, const Exchange& exchange);

  /// positions[order[i]] <- i.
  void invert(const cl::CommandQueue& queue, const cl::Buffer& order, cl_uint n,
              const cl::Buffer& positions);

  /// Where in a buffer of floats what is to go.
  struct Figures {
    const cl::Buffer& buffer;
    cl_uint below, above, smallest;
  };

  /// Of the n-by-n matrix: the larger of |a_ij|, i > j, and of what is at `below`, likewise for i
  /// <= j; the smaller of |a_ii| and of what is at `smallest`. NaN is above all.
  void extremes(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                const Figures& figures);

 private:
  [[nodiscard]] Defines macros(const KernelVariant& variant) const;
  Kernel& kernel(const KernelVariant& variant, const char* name);
  /// Those for these parameters and this device, the fastest first.
  [[nodiscard]] std::vector<const KernelVariant*> diagonals();

  KernelMemo& kernels_;
  const LuFlags& flags_;
  const Parameters& parameters_;
  cl_uint nb_, window_, grid_cols_;
  std::size_t group_;
  const KernelVariant* diagonal_ = nullptr;  // prepare()'s choice
};

}  // namespace clgauss
