#pragma once
/// A = L D L^H of a Hermitian positive definite A, Cholesky's factorisation without its square
/// roots, as the LU without row exchanges that it is, U = D L^H.

#include "linalg/complex/complex_lu.hpp"

namespace clgauss {

/// By blocks at the diagonal and products, on any device. Only the lower triangle of A is read, and
/// half the flops of an LU are spent; failed_column() is the first whose pivot is not a positive
/// number. Throws NoUsableKernel, OutOfMemory.
[[nodiscard]] std::unique_ptr<ComplexLuWay> make_complex_cholesky(Context& context, RealType type,
                                                                  const ComplexLayout& layout);

}  // namespace clgauss
