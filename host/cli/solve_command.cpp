#include <fmt/format.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <variant>

#include "cli/batched_command.hpp"
#include "cli/certificate.hpp"
#include "cli/commands.hpp"
#include "cli/compare.hpp"
#include "cli/complex_command.hpp"
#include "cli/open_context.hpp"
#include "cli/report.hpp"
#include "cli/solve_options.hpp"
#include "command_line/progress_line.hpp"
#include "io/formats.hpp"
#include "lap_timer.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::cli {

namespace {

/// The files that a run writes. They are opened before the work starts, so that an unwritable path
/// fails early.
struct Outputs {
  std::optional<OutputFile> x, json, launches;

  explicit Outputs(const SolveCommand& command) {
    keep_report_apart(command.json_path, command.output_path, command.is("compare"));
    // With --compare, standard output is for the comparison.
    if (!command.is("compare") || command.output_path != "-") x.emplace(command.output_path);
    if (command.json_path) json.emplace(*command.json_path);
    if (command.launches_path) launches.emplace(*command.launches_path);
  }
};

template <typename System>
void check_system(const System& system, const std::string& path) {
  if (system.a.rows() == 0) throw DimensionError(path + ": the system is empty (0 x 0)");
}

/// Whether b comes from a Matrix Market file, which users expect to hold only A.
bool holds_b(const SolveCommand& command) {
  const FileFormat format = command.read.format.value_or(format_of_extension(command.system_path));
  return io::is_augmented(command.rhs) && format == FileFormat::matrix_market;
}

void write_answer(const SolveCommand& command, const Solution& solution,
                  const std::optional<Comparison>& comparison, Outputs& outputs) {
  if (comparison) print(comparison_text(*comparison));
  if (outputs.x && has_answer(solution.status)) {
    write_matrix(*outputs.x, solution.x, command.x_format, command.write);
    outputs.x->commit();
  }
  if (outputs.launches) {
    outputs.launches->write(launches_csv(solution.launches));
    outputs.launches->commit();
  }
}

void write_report(const SolveCommand& command, const Report& report,
                  const std::optional<Comparison>& comparison, Outputs& outputs) {
  if (outputs.json) {
    nlohmann::ordered_json json = report_json(report);
    if (comparison) json["comparison"] = comparison_json(*comparison);
    outputs.json->write(json.dump(2) + "\n");
    outputs.json->commit();
  }
  tell_of(report, command.is("quiet"), command.is("strict"));
}

std::variant<System, ComplexSystem> read_given_system(const SolveCommand& command,
                                                      const ProgressCallback& reading) {
  ReadOptions options = command.read;
  if (command.is("quiet")) options.note = {};
  options.progress = reading;
  std::variant<System, ComplexSystem> any =
      read_any_system(command.system_path, command.rhs, options);
  std::visit([&](const auto& system) { check_system(system, command.system_path); }, any);
  return any;
}

/// Fills in `comparison` if --compare was given. With --in-place, `system` is freed.
Solution solve_as_asked(const SolveCommand& command, Context& context, System& system,
                        const ProgressCallback& progress, std::optional<Comparison>& comparison) {
  if (command.is("compare")) {
    comparison = compare_policies(context, system, command.solve, command.repetitions,
                                  command.warmups, progress);
    return comparison->chosen.solution;
  }
  if (!command.is("in-place")) return solve(context, system, command.solve, progress);
  const auto read_again = [&] {
    return io::is_augmented(command.rhs)
               ? read_system(command.system_path, command.rhs, command.read).a
               : read_matrix(command.system_path, command.read);
  };
  return solve_in_place(context, std::move(system), read_again, command.solve, progress);
}

}  // namespace

ExitCode run_solve(const Given& given) {
  if (given.values["rhs"].as<std::string>() == "identity" && !given.values["batched"].as<bool>())
    throw UsageError(
        "--rhs identity is for --batched; the inverse of one matrix is `clgauss invert`, and a "
        "file of that name --rhs ./identity");
  if (distributed_option(given.values)) return run_distributed(given);
  SolveCommand command = read_command(given.values);
  if (command.is("batched")) return run_batched(command);
  LapTimer total, timer;
  ProgramTimes times;
  ProgressLine line(!command.is("quiet"));
  const ProgressCallback progress = shown_on(line);

  Outputs outputs(command);
  OpeningContext opening(given.values["device"].as<std::string>(), command.context, progress,
                         command.is("quiet"));
  std::variant<System, ComplexSystem> read = opening.beside(
      [&](const ProgressCallback& reading) { return read_given_system(command, reading); });
  command.read.progress = progress;
  if (command.is("quiet")) command.read.note = {};
  times.read = timer.lap();
  if (auto* const complex = std::get_if<ComplexSystem>(&read)) {
    refuse_meaningless(given.values, solve_table(), {kComplex, "for a complex system"});
    return run_complex(
        {std::move(*complex), command.solve, opening, outputs.x ? &*outputs.x : nullptr,
         command.x_format, command.write, outputs.json ? &*outputs.json : nullptr, line, progress,
         command.is("quiet"), command.verbose, command.is("strict"), command.is("certify"),
         times.read, total, holds_b(command) ? command.system_path : std::string()});
  }
  System system = std::get<System>(std::move(read));
  Context& context = opening.take();
  times.device = timer.lap();
  const Index n = system.a.rows(), nrhs = system.b.cols();

  std::optional<Comparison> comparison;
  Solution solution = solve_as_asked(command, context, system, progress, comparison);
  const std::optional<Certificate> certificate =
      command.is("certify") ? certificate_of(context, system, solution, progress, times)
                            : std::nullopt;
  line.clear();
  timer.lap();
  write_answer(command, solution, comparison, outputs);
  times.write = timer.lap();
  const UsedDevice used = opening.close();
  system = {};
  times.free = timer.lap();
  times.total = total.lap();
  Report report{used,
                command.solve,
                solution,
                n,
                nrhs,
                times,
                {},
                holds_b(command) ? command.system_path : std::string(),
                command.verbose,
                certificate};
  if (command.solve.determinant) report.determinant = solution.determinant;
  write_report(command, report, comparison, outputs);
  if (certificate && !certificate->proven) return ExitCode::inaccurate;
  if (command.is("strict") && solution.status == SolveStatus::ok && !doubt_text(solution).empty())
    return ExitCode::doubtful;
  return exit_code_of(solution.status);
}

}  // namespace clgauss::cli
