#pragma once
/// The parts of a complex A = L D L^H that are not matrix products: the diagonal blocks, and the
/// conjugate transposes of the blocks beside them; cl/complex/complex_cholesky.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// GROUP is a parameter of this variant. VEC_WIDTH and the columns of a block are those of complex
/// LU.
[[nodiscard]] const KernelVariant& complex_cholesky_variant();

/// The macros that its file is built with.
[[nodiscard]] Defines complex_cholesky_macros(const Parameters& parameters);

/// Whether its kernels, built with these or the usual parameters, passed their self-test, a whole
/// factorisation; see linalg/complex/complex_cholesky.cpp.
[[nodiscard]] bool complex_cholesky_works(Context& context, RealType type);
[[nodiscard]] bool complex_cholesky_works(Context& context, RealType type,
                                          const Parameters& parameters);

/// Complex matrices in the layout of ComplexLuKernels.
class ComplexCholeskyKernels {
 public:
  ComplexCholeskyKernels(KernelMemo& kernels, const Parameters& parameters);

  /// Factors the block of `size` columns at `a`, whose first column has the number `first`: it
  /// becomes L, D and U. `info` becomes the smallest column number, including earlier blocks, whose
  /// pivot is not a positive number.
  void factor_block(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size, cl_uint first,
                    const cl::Buffer& info);

  /// U12 <- A21^H for the `rows` x `columns` numbers of A21, which is in the same buffer as U12.
  void turn(const cl::CommandQueue& queue, const MatrixView& a21, const MatrixView& u12,
            cl_uint rows, cl_uint columns);
  /// L21 <- U12^H D^-1 for `rows` x `columns` numbers of U12; D is the diagonal at `d`.
  void turn_back(const cl::CommandQueue& queue, const MatrixView& u12, const MatrixView& l21,
                 cl_uint rows, cl_uint columns, const MatrixView& d);

 private:
  Kernel& kernel(const char* name);
  void enqueue_turn(const cl::CommandQueue& queue, const MatrixView& from, const MatrixView& to,
                    cl_uint rows, cl_uint columns, cl_ulong diagonal, bool divides);

  KernelMemo& kernels_;
  Defines macros_;
  cl_uint group_;
};

}  // namespace clgauss
