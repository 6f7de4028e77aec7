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
  OpeningContext& opening;
  OutputFile* x;  // null with --compare, which is refused
  FileFormat format;
  WriteOptions write;
  OutputFile* json;  // null: none
  ProgressLine& line;
  const ProgressCallback& progress;
  bool quiet, verbose;
  double seconds_read;
  LapTimer total;
};

/// Solves, writes x and the report. `values` are all of solve's: throws UsageError for one that
/// complex systems have not.
ExitCode run_complex(const po::variables_map& values, ComplexCommand command);

}  // namespace clgauss::cli
