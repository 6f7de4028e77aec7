#pragma once
/// The part of A = L D L^T that is not a matrix product: panels of columns;
/// cl/cholesky/cholesky.cl.

#include <string>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a block, is a parameter of this variant.
[[nodiscard]] const KernelVariant& cholesky_variant();

/// The usual parameters of the variant.
[[nodiscard]] Parameters usual_cholesky_parameters(const Setting& setting);

/// Whether its kernels passed their self-test, a whole factorisation whose panels or whose products
/// update the rest; see linalg/cholesky/potrf_gpu.cpp.
[[nodiscard]] bool cholesky_works(Context& context, RealType type, bool panels_update);
/// The name of that self-test in verdicts.
[[nodiscard]] std::string cholesky_trial(bool panels_update);

class CholeskyKernels {
 public:
  /// `updates`: whether a panel's launch also does the last block's update, of all columns from the
  /// panel's first on.
  CholeskyKernels(KernelMemo& kernels, const LuFlags& flags, Index n, bool updates);

  /// Columns of a block.
  [[nodiscard]] cl_uint block() const { return nb_; }
  /// Columns whose L and U update the rest together; a multiple of block().
  [[nodiscard]] cl_uint outer_block() const { return outer_; }
  [[nodiscard]] ProgramRequest program() const;

  /// Factors the block of `size` columns at `a`, whose first column has the number `first`, and the
  /// `rest` rows below it: they become L, D and U. `blocks` keeps the block's own factors until the
  /// next panel, which expects them there. A pivot that is not a positive number is recorded in the
  /// flags.
  void panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size, cl_uint rest,
             cl_uint first, const cl::Buffer& blocks);

 private:
  KernelMemo& kernels_;
  const LuFlags& flags_;
  Parameters parameters_;
  cl_uint nb_, outer_;
  bool updates_;
  Kernel* panel_ = nullptr;  // once it is built
};

}  // namespace clgauss
