#pragma once
/// A = L D L^H of a Hermitian positive definite A: Cholesky's factorisation without square roots.
/// It is the LU without row exchanges, with U = D L^H.

#include "linalg/complex/complex_lu.hpp"

namespace clgauss {

/// For any device, by diagonal blocks and products. Only the lower triangle of A is read, and the
/// factorisation takes half the flops of an LU. failed_column() is the first column whose pivot is
/// not a positive number. Throws NoUsableKernel, OutOfMemory.
[[nodiscard]] std::unique_ptr<ComplexLuWay> make_complex_cholesky(Context& context, RealType type,
                                                                  const ComplexLayout& layout);

}  // namespace clgauss
