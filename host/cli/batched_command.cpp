// `clgauss solve --batched`: many small systems from one .npy file.

#include "cli/batched_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/kernels_report.hpp"
#include "cli/open_context.hpp"
#include "cli/report.hpp"
#include "command_line/colour.hpp"
#include "command_line/progress_line.hpp"
#include "lap_timer.hpp"
#include "linalg/solve/methods.hpp"

namespace clgauss::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kNamed = 5;  // how many singular systems the summary names

struct BatchedReport {
  const UsedDevice& device;
  const BatchedSystem& system;
  const BatchedSolution& solution;
  const BatchedOptions& options;
  ProgramTimes times;
  bool verbose;

  [[nodiscard]] double bound() const { return options.max_scaled_residual; }
  [[nodiscard]] bool by_cholesky() const { return options.lu.positive_definite; }
  [[nodiscard]] bool by_ldlt() const { return options.lu.symmetric; }
  [[nodiscard]] std::string_view type_name() const {
    return system.complex ? complex_type_name(solution.type) : real_type_name(solution.type);
  }
};

/// Throws UsageError for formats other than .npy, the only one for batches.
void refuse_other_formats(const po::variables_map& values) {
  for (const char* name : {"format", "output-format"})
    if (values.count(name) > 0 && values[name].as<std::string>() != "npy")
      throw UsageError(fmt::format("--{}: --batched reads and writes .npy only", name));
}

std::string_view method_text(const BatchedReport& report) {
  return report.by_cholesky() ? "Cholesky"
         : report.by_ldlt()   ? "L D L^T, pivoting partial"
                              : "LU, pivoting partial";
}

std::string singular_text(const BatchedReport& report) {
  const BatchedSolution& solution = report.solution;
  const Index count = solution.singular.size();
  std::string text = fmt::format(
      "{} {} of {} systems{}; their x is NaN: ", report.by_cholesky() ? "INDEFINITE" : "SINGULAR  ",
      count, solution.x.count,
      report.by_cholesky() ? " are not positive definite, which --method cholesky needs" : "");
  for (Index i = 0; i < std::min(count, kNamed); ++i)
    text += fmt::format("{}[{}] at column {}", i == 0 ? "" : ", ", solution.singular[i],
                        solution.failed_columns[i] + 1);
  return text + (count > kNamed ? " ..\n" : "\n");
}

std::string overflow_text(const BatchedReport& report) {
  const BatchedSolution& solution = report.solution;
  const Index count = solution.overflowed.size();
  return fmt::format(
      "OVERFLOW   {} of {} systems left the range of {}; their x is NaN: [{}]{}\n", count,
      solution.x.count, report.type_name(),
      fmt::join(std::span(solution.overflowed).first(std::min(count, kNamed)), "], ["),
      count > kNamed ? " .." : "");
}

std::string residual_text(const BatchedReport& report) {
  const BatchedSolution& solution = report.solution;
  return fmt::format(
      "residual   worst of all in system [{}]: backward error {:.3g}, scaled residual {:.3g} "
      "({} {:g})\n",
      *solution.worst_system, solution.worst.backward_error, solution.worst.scaled,
      solution.worst.scaled <= report.bound() ? "ok: <=" : "MISSED: not <=", report.bound());
}

/// "           2 of 9 systems solved again, pivoting rook, because pivots grew: [3], [5]"
std::string again_text(const BatchedSolution& solution) {
  const Index count = solution.solved_again.size();
  if (count == 0) return {};
  return fmt::format(
      "           {} of {} systems solved again, pivoting rook, because pivots grew: [{}]{}\n",
      count, solution.x.count,
      fmt::join(std::span(solution.solved_again).first(std::min(count, kNamed)), "], ["),
      count > kNamed ? " .." : "");
}

std::string trust_text(const BatchedSolution& solution) {
  if (!solution.trust) return {};
  const BatchedTrust& trust = *solution.trust;
  std::string text = fmt::format("estimate   worst of all in system [{}]: rcond {:.1e}",
                                 trust.worst_system, trust.worst_rcond);
  if (trust.below_eps > 0)
    text += fmt::format("; {} nearly singular: their x may have no correct digit", trust.below_eps);
  return text + "\n";
}

Json trust_json(const std::optional<BatchedTrust>& trust) {
  if (!trust) return nullptr;
  return {{"worst_rcond", trust->worst_rcond},
          {"worst_system", trust->worst_system},
          {"below_eps", trust->below_eps}};
}

/// The line of the summary that explains an exit code other than 0.
std::string failure_text(const BatchedReport& report) {
  switch (report.solution.status) {
    case SolveStatus::singular:
    case SolveStatus::not_positive_definite:
      return singular_text(report);
    case SolveStatus::overflow:
      return overflow_text(report);
    case SolveStatus::ok:
    case SolveStatus::inaccurate:
      break;
  }
  return residual_text(report);
}

std::string summary_text(const BatchedReport& report) {
  const BatchedSolution& solution = report.solution;
  const Index nrhs = report.system.nrhs();
  std::string text =
      fmt::format("systems    {} of n = {}, {} right-hand side{} each, {}, {}, kernel {}\n",
                  solution.x.count, solution.x.rows, nrhs, nrhs == 1 ? "" : "s", report.type_name(),
                  method_text(report), solution.kernel);
  text += fmt::format("device     {} {} ({})\n", report.device.profile.spec,
                      report.device.profile.name, report.device.profile.platform_name);
  text += kernels_text(report.device.kernels, report.verbose);
  text += times_text(times_json(report.times, solution.times, "solve", ""));
  if (!solution.singular.empty()) text += singular_text(report);
  if (!solution.overflowed.empty()) text += overflow_text(report);
  text += again_text(solution) + trust_text(solution);
  if (solution.worst_system) text += residual_text(report);
  return text;
}

Json report_json(const BatchedReport& report) {
  const BatchedSolution& solution = report.solution;
  const bool any = solution.worst_system.has_value();
  Json singular = Json::array();
  for (Index i = 0; i < solution.singular.size(); ++i)
    singular.push_back(
        {{"system", solution.singular[i]}, {"column", solution.failed_columns[i] + 1}});
  Json json{{"schema_version", 1},
            {"status", solve_status_name(solution.status)},
            {"batch", solution.x.count},
            {"n", solution.x.rows},
            {"nrhs", report.system.nrhs()},
            {"method", report.by_cholesky() ? "batched cholesky"
                       : report.by_ldlt()   ? "batched ldlt"
                                            : "batched lu"},
            {"kernel", solution.kernel},
            {"type", report.type_name()},
            {"pivoting", report.by_cholesky() ? Json(nullptr) : Json("partial")},
            {"device",
             {{"spec", report.device.profile.spec},
              {"name", report.device.profile.name},
              {"driver", report.device.profile.driver_version},
              {"platform", report.device.profile.platform_name}}},
            {"time_s", times_json(report.times, solution.times, "solve", "")},
            {"worst_system", any ? Json(*solution.worst_system) : Json(nullptr)},
            {"backward_error", any ? finite_or_null(solution.worst.backward_error) : Json(nullptr)},
            {"scaled_residual", any ? finite_or_null(solution.worst.scaled) : Json(nullptr)},
            {"error_estimate", trust_json(solution.trust)},
            {"singular", singular},
            {"overflowed", solution.overflowed}};
  if (report.by_ldlt()) {
    Json inertias = Json::array();
    for (const Inertia& inertia : solution.inertias) inertias.push_back(inertia_json(inertia));
    json["inertias"] = std::move(inertias);
    json["solved_again"] = solution.solved_again;
  }
  return json;
}

}  // namespace

ExitCode run_batched(const SolveCommand& command) {
  refuse_other_formats(command.values);
  keep_report_apart(command.json_path, command.output_path);
  if (command.output_path == "-" && isatty(STDOUT_FILENO) == 1)
    throw UsageError("x of --batched is .npy: name a file with -o, or redirect standard output");
  LapTimer total, timer;
  ProgressLine line(!command.is("quiet"));
  const ProgressCallback progress = shown_on(line);
  OutputFile x(command.output_path);
  std::optional<OutputFile> json;
  if (command.json_path) json.emplace(*command.json_path);
  ProgramTimes times;
  OpeningContext opening(command.values["device"].as<std::string>(), command.context, progress,
                         command.is("quiet"));
  const BatchedSystem system = opening.beside([&](const ProgressCallback& reading) {
    ReadOptions options;
    options.allow_nonfinite = command.read.allow_nonfinite;
    options.progress = reading;
    return read_batched_system(command.system_path, command.rhs, options);
  });
  times.read = timer.lap();
  Context& context = opening.take();
  times.device = timer.lap();
  BatchedOptions options;
  options.type = command.solve.type;
  options.max_scaled_residual = command.solve.max_scaled_residual;
  options.trust = command.solve.trust;
  const MethodRow& method = row_of(command.solve.method);
  options.lu.positive_definite = method.definite;
  options.lu.symmetric = method.symmetric && !method.definite;
  if (options.lu.symmetric && system.complex)
    throw UsageError(
        "--method ldlt with --batched is for real systems, and these are complex: use --method lu");
  const BatchedSolution solution = solve_batched(context, system, options, progress);
  line.clear();
  timer.lap();
  write_batch(x, solution.x, system.vectors, system.complex);
  x.commit();
  times.write = timer.lap();
  const UsedDevice device = opening.close();
  times.free = timer.lap();
  times.total = total.lap();
  const BatchedReport report{device, system, solution, options, times, command.verbose};
  if (json) {
    json->write(report_json(report).dump(2) + "\n");
    json->commit();
  }
  if (!command.is("quiet"))
    tell(painted_summary(summary_text(report)));
  else if (solution.status != SolveStatus::ok)
    tell(painted_summary(failure_text(report)));
  return exit_code_of(solution.status);
}

}  // namespace clgauss::cli
