#pragma once
/// GMRES for refinement, preconditioned by the factors.

#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>

#include "linalg/refinement/refine.hpp"

namespace clgauss {

/// Upper limit of the steps. With good factors a few steps suffice; with useless ones more do not
/// help.
inline constexpr Index kGmresSteps = 40;

/// On entry the n-by-1 d holds r; on return it holds an approximate solution of A d = r. Uses
/// flexible GMRES (Saad, SIAM J. Sci. Comput. 14, 1993) with the approximate solve on the right,
/// whose own rounding errors then do no harm. Modified Gram-Schmidt runs in f64 on the host. Stops
/// when the residual is 1e-8 of r. Returns the number of steps; each costs a solve and a product
/// with A.
Index gmres(SystemOperator& system, const ApproximateSolve& solve, Matrix& d,
            const ProgressCallback& progress);

}  // namespace clgauss
