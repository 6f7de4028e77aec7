#pragma once
/// A X = B by random butterflies, factors in f32 and refinement.

#include <clgauss/lab/elimination.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>

namespace clgauss {

/// Refined to the backward error of f64, with residuals in f64 on the device where it has fp64, else on the host's cores. Whatever
/// is doubtful leaves refinement.accepted false: a pivot that is zero or not finite, numbers beyond f32, no convergence. The pivots
/// are not those of A, and are left out. Throws DimensionError, OutOfMemory, NoUsableKernel, OpenClError.
[[nodiscard]] EliminationResult gesv_rbt(Context& context, const System& system,
                                         const LuOptions& options,
                                         const ProgressCallback& progress);

}  // namespace clgauss
