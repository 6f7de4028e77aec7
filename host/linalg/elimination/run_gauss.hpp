#pragma once
/// The paper's elimination as solve() asks for it: with a work-group size that a policy chose.

#include <clgauss/context.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>

namespace clgauss {

/// Fills in work_group and launches of `solution`. Throws as gauss_solve(), and UsageError if a
/// tuned size is asked for and there is none.
[[nodiscard]] EliminationResult run_gauss(Context& context, const System& system, RealType type,
                                          const SolveOptions& options,
                                          const ProgressCallback& progress, Solution& solution);

}  // namespace clgauss
