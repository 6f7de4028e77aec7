#pragma once
/// A X = B by random butterflies, factors in f32 and refinement.

#include "linalg/gesv.hpp"

namespace clgauss {

/// Refined to the backward error of f64, with residuals in f64 on the device where it has fp64, else on the host's cores. Whatever
/// is doubtful leaves refinement.accepted false: a pivot that is zero or not finite, numbers that would have to be scaled, no convergence;
/// else the answer is polished, with factors that need no refinement. The pivots are not those of A, and are left out. Of `call` the
/// type, keeps_f64 and extra_precise are not asked. Throws DimensionError, OutOfMemory, NoUsableKernel, OpenClError.
[[nodiscard]] EliminationResult gesv_rbt(Context& context, const System& system,
                                         const GesvCall& call, const ProgressCallback& progress);

}  // namespace clgauss
