#pragma once
/// P A P^T = L D L^T of a symmetric A, D with blocks of one or two columns, by the pivots of Bunch
/// and Kaufman. The factors stand as those of an LU with rows and columns exchanged,
/// cl/ldlt/ldlt.cl says how, so that everything that solves or estimates with an LU does with
/// these. Only the lower triangle of A is read, and half the flops of an LU are spent.

#include "linalg/lu/lu_backend.hpp"

namespace clgauss {

/// On any device, by the kernels for `spec`'s family. Throws NoUsableKernel. getrf() waits for each
/// panel, which says how many columns it took.
[[nodiscard]] std::unique_ptr<LuBackend> make_ldlt(Context& context, RealType type, Index n,
                                                   const LuOptions& options, const LuSpec& spec);

}  // namespace clgauss
