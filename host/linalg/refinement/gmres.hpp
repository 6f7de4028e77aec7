#pragma once
/// GMRES with the factors of a refinement as its preconditioner.

#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>

#include "linalg/refinement/refine.hpp"

namespace clgauss {

/// Steps at most: with factors that are any good a few suffice, without they are of no use.
inline constexpr Index kGmresSteps = 40;

/// d, n-by-1, holds r and becomes an approximate solution of A d = r: flexible GMRES (Saad, SIAM J.
/// Sci. Comput. 14, 1993) with the approximate solve on the right, whose own rounding errors so do
/// no harm, and modified Gram-Schmidt in f64 on the host; until the residual is 1e-8 of r. Returns
/// the steps: a solve and a product with A each.
Index gmres(SystemOperator& system, const ApproximateSolve& solve, Matrix& d,
            const ProgressCallback& progress);

}  // namespace clgauss
