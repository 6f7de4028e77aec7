#pragma once
/// `clgauss solve --batched`.

#include "cli/solve_options.hpp"

namespace clgauss::cli {

/// Reads, solves, writes x and the report. Throws UsageError for formats that no batch has. x is
/// written even if systems are singular.
ExitCode run_batched(const SolveCommand& command);

}  // namespace clgauss::cli
