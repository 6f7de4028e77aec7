#pragma once
/// What of A = L D L^T is no product: panels of columns; cl/cholesky/cholesky.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a block, is this variant's.
[[nodiscard]] const KernelVariant& cholesky_variant();

/// Its parameters.
[[nodiscard]] Parameters usual_cholesky_parameters(const Setting& setting);

/// Whether its kernels passed their self-test, a whole factorisation with them;
/// linalg/cholesky/potrf_gpu.cpp.
[[nodiscard]] bool cholesky_works(Context& context, RealType type);

class CholeskyKernels {
 public:
  CholeskyKernels(KernelMemo& kernels, const LuFlags& flags, Index n);

  /// Columns of a block.
  [[nodiscard]] cl_uint block() const { return nb_; }
  /// Columns whose L and U are applied to the rest at once: a multiple.
  [[nodiscard]] cl_uint outer_block() const { return outer_; }
  [[nodiscard]] ProgramRequest program() const;

  /// The block of `size` columns at `a`, whose first is number `first`, and the `rest` rows below
  /// it become L, D and U. A block's own factors wait in `blocks` for the next panel, which is to
  /// find them there. A pivot that is not a positive number is noted in the flags.
  void panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size, cl_uint rest,
             cl_uint first, const cl::Buffer& blocks);

 private:
  Kernel& kernel(const char* name);

  KernelMemo& kernels_;
  const LuFlags& flags_;
  Parameters parameters_;
  cl_uint nb_, outer_;
};

}  // namespace clgauss
