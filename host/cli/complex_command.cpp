#include "cli/complex_command.hpp"

#include <fmt/format.h>

#include "cli/certificate.hpp"
#include "io/formats.hpp"
#include "lap_timer.hpp"

namespace clgauss::cli {

ExitCode run_complex(ComplexCommand command) {
  if (!writes_complex(command.format))
    throw UsageError(fmt::format("x is complex and cannot be written as {}: write {}",
                                 file_format_name(command.format), io::formats_of_complex("or")));
  const SolveOptions& asked = command.options;
  LapTimer timer;
  ProgramTimes times;
  times.read = command.seconds_read;
  Context& context = command.opening.take();
  times.device = timer.lap();
  ComplexSolution solution = solve_complex(context, command.system, asked, command.progress);
  const std::optional<Certificate> certificate =
      command.certify ? certificate_of(context, command.system, solution, command.progress, times)
                      : std::nullopt;
  command.line.clear();
  timer.lap();
  if (has_answer(solution.status)) {
    write_matrix(*command.x, solution.x, command.format, command.write);
    command.x->commit();
  }
  times.write = timer.lap();
  const Index n = command.system.a.rows(), nrhs = command.system.b.cols();
  const UsedDevice device = command.opening.close();
  command.system = {};
  times.free = timer.lap();
  times.total = command.total.lap();
  Report report{device, asked, solution, n, nrhs, times};
  if (asked.determinant) report.determinant = solution.determinant;
  report.augmented_path = command.augmented_path;
  report.verbose = command.verbose;
  report.certificate = certificate;
  if (command.json != nullptr) {
    command.json->write(report_json(report).dump(2) + "\n");
    command.json->commit();
  }
  tell_of(report, command.quiet, command.strict);
  if (certificate && !certificate->proven) return ExitCode::inaccurate;
  if (command.strict && solution.status == SolveStatus::ok && !doubt_text(solution).empty())
    return ExitCode::doubtful;
  return exit_code_of(solution.status);
}

}  // namespace clgauss::cli
