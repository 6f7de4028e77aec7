#pragma once
/// `clgauss solve --batched`.

#include <clgauss/real_type.hpp>

#include "command_line/command.hpp"

namespace clgauss::cli {

/// What of solve's options means something for a batch.
struct BatchedCommand {
  std::string system_path, rhs, output_path, device;
  std::optional<std::string> json_path;
  std::optional<RealType> type;
  double max_scaled_residual = 0;
  bool trust = true, allow_nonfinite = false, quiet = false, verbose = false;
  ContextOptions context;
};

/// Reads, solves, writes x and the report. `values` are all of solve's: throws UsageError for
/// formats that no batch has. x is written even if systems are singular.
ExitCode run_batched(const po::variables_map& values, const BatchedCommand& command);

}  // namespace clgauss::cli
