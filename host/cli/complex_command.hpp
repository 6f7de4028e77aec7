#pragma once
/// solve, where a file holds complex numbers.

#include <clgauss/complex.hpp>

#include "cli/open_context.hpp"
#include "cli/report.hpp"
#include "command_line/progress_line.hpp"
#include "lap_timer.hpp"

namespace clgauss::cli {

/// What solve has read and opened.
struct ComplexCommand {
  ComplexSystem system;
  const SolveOptions& options;  // those that are not for complex systems were refused
  OpeningContext& opening;
  OutputFile* x;  // null with --compare, which is refused
  FileFormat format;
  WriteOptions write;
  OutputFile* json;  // null: none
  ProgressLine& line;
  const ProgressCallback& progress;
  bool quiet, verbose, strict;
  double seconds_read;
  LapTimer total;
  std::string augmented_path;  // Report's
};

/// Solves, writes x and the report.
ExitCode run_complex(ComplexCommand command);

}  // namespace clgauss::cli
