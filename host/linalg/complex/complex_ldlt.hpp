#pragma once
/// P A P^T = L D L^H of a Hermitian A, with Bunch-Kaufman pivoting; D has blocks of one or two
/// columns. The factors are stored as those of an LU with row and column exchanges, as those of
/// L D L^T are (linalg/ldlt/sytrf.hpp).

#include "linalg/complex/complex_lu.hpp"

namespace clgauss {

/// For any device. Only the lower triangle of A is read, and of its diagonal the real parts, and
/// the factorisation takes half the flops of an LU. factor() waits for each panel, which reports
/// how many columns it factored. With Pivoting::rook as in Lu. Throws NoUsableKernel, OutOfMemory.
[[nodiscard]] std::unique_ptr<ComplexLuWay> make_complex_ldlt(Context& context, RealType type,
                                                              const ComplexLayout& layout,
                                                              Pivoting pivoting);

/// Bytes of its buffers.
[[nodiscard]] std::uint64_t complex_ldlt_bytes(const DeviceProfile& device, RealType type,
                                               const ComplexLayout& layout);

}  // namespace clgauss
