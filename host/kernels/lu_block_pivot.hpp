#pragma once
/// LU with row exchanges inside diagonal blocks only (cl/lu_block_pivot.cl): the blocks with the inverses of their triangles, the
/// exchanges, and how far factors grew. What is left of such an LU are products.

#include "kernels/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a block, is this variant's.
[[nodiscard]] const KernelVariant& lu_block_pivot_variant();

class BlockPivotKernels {
 public:
  /// `parameters` hold the variant's. All must outlive this.
  BlockPivotKernels(KernelMemo& kernels, const LuFlags& flags, const Parameters& parameters);

  [[nodiscard]] cl_uint block() const { return nb_; }
  /// Elements of the inverses of a block.
  [[nodiscard]] Index inverses() const { return Index{2} * nb_ * nb_; }

  /// What prepare() builds.
  [[nodiscard]] ProgramRequest program() const;

  /// Builds the kernels. Throws NoUsableKernel.
  void prepare();

  /// A diagonal block of `size` <= block() rows, the first of which is row `first` of the matrix.
  struct Diagonal {
    const MatrixView &a, &lu;    // P A = L U; A stays
    const cl::Buffer& inverses;  // L^-1 P, then U^-1, block() x block() each
    const cl::Buffer& sources;  // [first + k]: the row of the block that became its row k, a cl_int
    cl_uint size, first;
  };

  /// Partial pivoting within the block. A pivot that is zero or not finite is noted in the flags.
  void diagonal(const cl::CommandQueue& queue, const Diagonal& block);

  /// The exchanges of all blocks in the first `columns` columns of A, n rows; with `left` only left of each diagonal block.
  void exchange(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint columns,
                bool left, const cl::Buffer& sources);

  /// Where in a buffer of floats what is to go.
  struct Figures {
    const cl::Buffer& buffer;
    cl_uint below, above, smallest;
  };

  /// Of the n-by-n matrix: the larger of |a_ij|, i > j, and of what is at `below`, likewise for i <= j; the smaller of |a_ii| and of
  /// what is at `smallest`. NaN is above all.
  void extremes(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                const Figures& figures);

 private:
  [[nodiscard]] Defines macros() const;
  Kernel& kernel(const char* name);
  void ask();

  KernelMemo& kernels_;
  const LuFlags& flags_;
  const Parameters& parameters_;
  cl_uint nb_, grid_cols_;
  std::size_t group_;
};

}  // namespace clgauss
