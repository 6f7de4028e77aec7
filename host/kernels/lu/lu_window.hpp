#pragma once
/// LU with pivots from a window of rows at the diagonal. The kernels compute the diagonal blocks
/// with the inverses of their triangles (cl/lu/lu_diagonal.cl, lu_diagonal_ptx.cl), exchange rows,
/// and measure how far the factors grew (cl/lu/lu_window.cl). The rest of such an LU are products.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a block, and WINDOW are parameters of this variant, also for the diagonal
/// blocks.
[[nodiscard]] const KernelVariant& lu_window_variant();
/// Diagonal blocks in the registers of sub-groups, for f32.
[[nodiscard]] const KernelVariant& lu_diagonal_ptx_variant();
[[nodiscard]] const KernelVariant& lu_diagonal_variant();

class WindowKernels {
 public:
  /// `parameters` include the variant's. All arguments must outlive this object.
  WindowKernels(KernelMemo& kernels, const LuFlags& flags, const Parameters& parameters);

  [[nodiscard]] cl_uint block() const { return nb_; }
  [[nodiscard]] cl_uint window() const { return window_; }
  /// Elements of a block's workspace: L^-1 and U^-1, block() x block() each, and scratch memory.
  [[nodiscard]] Index work() const { return Index{nb_} * (2 * nb_ + window_); }

  /// Builds the kernels. Throws NoUsableKernel.
  void prepare();

  /// Whether lu_diagonal of that variant, and the kernels for whole matrices, passed their
  /// self-tests.
  [[nodiscard]] bool diagonal_works(const KernelVariant& variant);
  [[nodiscard]] bool exchanges_work();

  /// A diagonal block and its window.
  struct Diagonal {
    const MatrixView &a, &lu;   // `rows` x `size`, not changed; L\U of the `size` best rows
    const cl::Buffer& work;     // L^-1, then U^-1, then scratch memory
    const cl::Buffer& sources;  // the window's rows in their new order, a cl_int each
    cl_uint rows, size, first;  // size <= block(), rows <= window(); the first column
  };

  /// Partial pivoting within the window. A pivot that is zero or not finite is recorded in the
  /// flags.
  void diagonal(const cl::CommandQueue& queue, const Diagonal& block);

  /// The exchanges that diagonal() found, for whole matrices.
  struct Exchange {
    const MatrixView &a, &lu;  // a: from column `first` on; lu: left of it
    const cl::Buffer& sources;
    const cl::Buffer& order;  // [i]: where row i of the matrix came from
    cl_uint first, rows, columns;
  };
  void exchange(const cl::CommandQueue& queue, const Exchange& exchange);

  /// positions[order[i]] <- i.
  void invert(const cl::CommandQueue& queue, const cl::Buffer& order, cl_uint n,
              const cl::Buffer& positions);

  /// A buffer of floats, and the indices of three results in it.
  struct Figures {
    const cl::Buffer& buffer;
    cl_uint below, above, smallest;
  };

  /// For the n-by-n matrix: the value at `below` becomes the larger of itself and |a_ij|, i > j;
  /// that at `above` likewise for i <= j; that at `smallest` the smaller of itself and |a_ii|. NaN
  /// counts as larger than any number.
  void extremes(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                const Figures& figures);

 private:
  [[nodiscard]] Defines macros(const KernelVariant& variant) const;
  Kernel& kernel(const KernelVariant& variant, const char* name);
  /// The variants for these parameters and this device, fastest first.
  [[nodiscard]] std::vector<const KernelVariant*> diagonals();

  KernelMemo& kernels_;
  const LuFlags& flags_;
  const Parameters& parameters_;
  cl_uint nb_, window_, grid_cols_;
  std::size_t group_;
  const KernelVariant* diagonal_ = nullptr;  // chosen by prepare()
};

}  // namespace clgauss
