#pragma once
/// LU without row exchanges (cl/lu_nopivot.cl): diagonal blocks with the inverses of their triangles, and how far factors grew. What
/// is left of such an LU are products.

#include "kernels/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a block, is this variant's.
[[nodiscard]] const KernelVariant& lu_nopivot_variant();

class NoPivotKernels {
 public:
  /// `parameters` hold the variant's. All must outlive this.
  NoPivotKernels(KernelMemo& kernels, const LuFlags& flags, const Parameters& parameters);

  [[nodiscard]] cl_uint block() const { return nb_; }
  /// Elements of the inverses of a block.
  [[nodiscard]] Index inverses() const { return Index{2} * nb_ * nb_; }

  /// What prepare() builds.
  [[nodiscard]] ProgramRequest program() const;

  /// Builds the kernels. Throws NoUsableKernel.
  void prepare();

  /// L\U of the `size` x `size` block at `a`, size <= block(), which stays, to `lu`; L^-1 and U^-1, block() x block() each, one after
  /// the other, to `inverses`. A pivot that is zero or not finite is noted in the flags; `column` is the block's first.
  void diagonal(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size,
                const MatrixView& lu, const cl::Buffer& inverses, cl_uint column);

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
  cl_uint nb_;
  std::size_t group_;
};

}  // namespace clgauss
