#pragma once
/// The elimination of Baranov and Vlatskaya (2013) for solve(), with a work-group size from a
/// policy.

#include <clgauss/context.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>

namespace clgauss {

/// Fills in work_group and launches of `solution`. Throws as gauss_solve(), and UsageError if a
/// tuned size is required but missing.
[[nodiscard]] EliminationResult run_gauss(Context& context, const System& system, RealType type,
                                          const SolveOptions& options,
                                          const ProgressCallback& progress, Solution& solution);

}  // namespace clgauss
