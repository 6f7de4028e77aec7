#include "cli/complex_command.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/kernels_report.hpp"
#include "cli/report.hpp"
#include "command_line/colour.hpp"
#include "lap_timer.hpp"

namespace clgauss::cli {

namespace {

using Json = nlohmann::ordered_json;

/// "c64": a number has a real and an imaginary part in f64.
std::string_view complex_type_name(RealType type) { return type == RealType::f64 ? "c64" : "c32"; }

/// Of --type and --accuracy, one of which may say it.
std::optional<RealType> real_type_of(const po::variables_map& values) {
  const auto type = parse_word("type", values["type"].as<std::string>(), type_words());
  const std::string accuracy = values["accuracy"].as<std::string>();
  if (accuracy == "auto") return type;
  const RealType meant = accuracy == "single" ? RealType::f32 : RealType::f64;
  if (type && *type != meant)
    throw UsageError(
        fmt::format("the system is complex, and --accuracy {} --type {} contradict each other: "
                    "nothing is refined, x is as accurate as its type",
                    accuracy, real_type_name(*type)));
  return meant;
}

ComplexOptions read_options(const po::variables_map& values) {
  ComplexOptions options;
  options.type = real_type_of(values);
  options.max_scaled_residual = values["max-residual"].as<double>();
  return options;
}

std::string verdict_of(const ComplexSolution& solution, double bound) {
  if (solution.status == SolveStatus::singular)
    return fmt::format("SINGULAR   the pivot of column {} is {}; there is no unique answer\n",
                       *solution.failed_column + 1,
                       solution.failed_pivot == 0 ? "exactly zero" : "not finite");
  if (solution.status == SolveStatus::overflow)
    return fmt::format("OVERFLOW   {} beyond the range of {}; no answer\n",
                       solution.failed_column
                           ? fmt::format("numbers of the elimination grew (the pivot of column {} "
                                         "is not finite)",
                                         *solution.failed_column + 1)
                           : "A, b or x has numbers",
                       complex_type_name(solution.type));
  return fmt::format("residual   backward error {:.3g}, scaled residual {:.3g} ({} {:g})\n",
                     solution.residual.backward_error, solution.residual.scaled,
                     solution.status == SolveStatus::ok ? "ok: <=" : "MISSED: not <=", bound);
}

}  // namespace

ExitCode run_complex(const po::variables_map& values, ComplexCommand command) {
  const ComplexOptions options = read_options(values);
  if (!writes_complex(command.format))
    throw UsageError(
        fmt::format("the system is complex, and so x, which is written as text, mtx, npy, csv or "
                    "tsv, not as {}",
                    file_format_name(command.format)));
  LapTimer timer;
  ProgramTimes times;
  times.read = command.seconds_read;
  Context& context = command.opening.take();
  times.device = timer.lap();
  const ComplexSolution solution =
      solve_complex(context, command.system, options, command.progress);
  command.line.clear();
  timer.lap();
  const bool solved = has_answer(solution.status);
  if (solved) {
    write_matrix(*command.x, solution.x, command.format, command.write);
    command.x->commit();
  }
  times.write = timer.lap();
  const Index n = command.system.a.rows(), nrhs = command.system.b.cols();
  const UsedDevice device = command.opening.close();
  command.system = {};
  times.free = timer.lap();
  times.total = command.total.lap();

  const Json seconds = times_json(times, solution.times, "forward", "backward");
  if (command.json != nullptr) {
    Json report{{"schema_version", 1},
                {"status", solve_status_name(solution.status)},
                {"n", n},
                {"nrhs", nrhs},
                {"complex", true},
                {"method", "lu"},
                {"type", complex_type_name(solution.type)},
                {"pivoting", "partial"},
                {"trust", nullptr},
                {"device", device_json(device)},
                {"kernels", kernels_json(device.kernels)},
                {"time_s", seconds}};
    report["backward_error"] =
        solved ? finite_or_null(solution.residual.backward_error) : Json(nullptr);
    report["scaled_residual"] = solved ? finite_or_null(solution.residual.scaled) : Json(nullptr);
    report["checked_by"] = solved ? Json("host") : Json(nullptr);
    if (solution.failed_column)
      report[solution.status == SolveStatus::overflow ? "overflow_column" : "singular_column"] =
          *solution.failed_column + 1;
    command.json->write(report.dump(2) + "\n");
    command.json->commit();
  }
  const std::string verdict = verdict_of(solution, options.max_scaled_residual);
  if (!command.quiet)
    tell(painted_summary(
        fmt::format("system     n = {}, {} right-hand side{}, complex, {}, LU, pivoting partial\n",
                    n, nrhs, nrhs == 1 ? "" : "s", complex_type_name(solution.type)) +
        device_text(device, command.verbose) + times_text(seconds) +
        (solved ? "trust      rcond of complex systems is not estimated\n" : "") + verdict));
  else if (solution.status != SolveStatus::ok)
    tell(painted_summary(verdict));
  return exit_code_of(solution.status);
}

}  // namespace clgauss::cli
