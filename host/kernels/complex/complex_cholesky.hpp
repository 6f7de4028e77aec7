#pragma once
/// What of A = L D L^H in complex numbers is no product: blocks at the diagonal, and what lies
/// beside them turned over; cl/complex/complex_cholesky.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// GROUP is this variant's; VEC_WIDTH and the columns of a block are those of complex LU.
[[nodiscard]] const KernelVariant& complex_cholesky_variant();

/// What its file is built with.
[[nodiscard]] Defines complex_cholesky_macros(const Parameters& parameters);

/// Whether its kernels, built with these parameters or the usual ones, passed their self-test, a
/// whole factorisation with them; linalg/complex/complex_cholesky.cpp.
[[nodiscard]] bool complex_cholesky_works(Context& context, RealType type);
[[nodiscard]] bool complex_cholesky_works(Context& context, RealType type,
                                          const Parameters& parameters);

/// Matrices of complex numbers, as ComplexLuKernels has them.
class ComplexCholeskyKernels {
 public:
  ComplexCholeskyKernels(KernelMemo& kernels, const Parameters& parameters);

  /// The block of `size` columns at `a`, whose first is number `first`, becomes L, D and U. `info`
  /// becomes the least number of a column whose pivot is not a positive number, if none was less.
  void factor_block(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size, cl_uint first,
                    const cl::Buffer& info);

  /// U12 <- A21^H for the `rows` x `columns` numbers of A21, in one buffer with U12.
  void turn(const cl::CommandQueue& queue, const MatrixView& a21, const MatrixView& u12,
            cl_uint rows, cl_uint columns);
  /// L21 <- U12^H D^-1 for `rows` x `columns` numbers of U12; the diagonal at `d` is D.
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
