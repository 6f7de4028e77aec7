#pragma once
/// P A P^T = L D L^T of a symmetric A, with Bunch-Kaufman pivoting; D has blocks of one or two
/// columns. The factors are stored as those of an LU with row and column exchanges (see
/// cl/ldlt/ldlt.cl). Everything that solves or estimates with an LU therefore works with them. Only
/// the lower triangle of A is read, and the factorisation takes half the flops of an LU.

#include "linalg/lu/lu_backend.hpp"

namespace clgauss {

/// For any device, with the kernels for the family of `spec`. Throws NoUsableKernel. getrf() waits
/// for each panel, which reports how many columns it factored.
[[nodiscard]] std::unique_ptr<LuBackend> make_ldlt(Context& context, RealType type, Index n,
                                                   const LuOptions& options, const LuSpec& spec);

}  // namespace clgauss
