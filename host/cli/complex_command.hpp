#pragma once
/// The part of `clgauss solve` for files with complex numbers.

#include <clgauss/complex.hpp>

#include "cli/open_context.hpp"
#include "cli/report.hpp"
#include "command_line/progress_line.hpp"
#include "lap_timer.hpp"

namespace clgauss::cli {

/// What the solve command has read and opened.
struct ComplexCommand {
  ComplexSystem system;
  const SolveOptions& options;  // options that complex systems do not support were refused
  OpeningContext& opening;
  OutputFile* x;  // null with --compare, which is refused
  FileFormat format;
  WriteOptions write;
  OutputFile* json;  // null without --json
  ProgressLine& line;
  const ProgressCallback& progress;
  bool quiet, verbose, strict, certify;
  double seconds_read;
  LapTimer total;
  std::string augmented_path;  // as in Report
};

/// Solves, writes x and the report.
ExitCode run_complex(ComplexCommand command);

}  // namespace clgauss::cli
