#pragma once
/// `clgauss solve --batched`.

#include "cli/solve_options.hpp"

namespace clgauss::cli {

/// Reads and solves the batch, writes x and the report. Throws UsageError for formats that batches
/// do not support. x is written even if some systems are singular.
ExitCode run_batched(const SolveCommand& command);

}  // namespace clgauss::cli
