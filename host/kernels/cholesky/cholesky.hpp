#pragma once
/// What of A = L D L^T is no product: the blocks at the diagonal, and L and U brought to their
/// places; cl/cholesky/cholesky.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a block, is this variant's.
[[nodiscard]] const KernelVariant& cholesky_variant();

/// Its parameters.
[[nodiscard]] Parameters usual_cholesky_parameters(const Setting& setting);

/// Whether its kernels gave their known answers, a whole factorisation with them;
/// linalg/cholesky/potrf_gpu.cpp.
[[nodiscard]] bool cholesky_works(Context& context, RealType type);

class CholeskyKernels {
 public:
  CholeskyKernels(KernelMemo& kernels, const LuFlags& flags, Index n);

  /// Columns of a block, and rows and columns of `inverse`.
  [[nodiscard]] cl_uint block() const { return nb_; }
  /// Columns whose L and U are applied to the rest at once: a multiple.
  [[nodiscard]] cl_uint outer_block() const { return outer_; }
  [[nodiscard]] ProgramRequest program() const;

  /// The size x size block at `a`, whose first column is number `first`, becomes L, D and U;
  /// `inverse` becomes U^-1. A pivot that is not a positive number is noted in the flags.
  void diagonal(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size, cl_uint first,
                const cl::Buffer& inverse);

  /// L21 <- W and U12 <- D1 W^T around the block at `a`, for the rest x size numbers of `w`,
  /// block() apart.
  void spread(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size, cl_uint rest,
              const cl::Buffer& w);

 private:
  Kernel& kernel(const char* name);

  KernelMemo& kernels_;
  const LuFlags& flags_;
  Parameters parameters_;
  cl_uint nb_, grid_, outer_;
};

}  // namespace clgauss
