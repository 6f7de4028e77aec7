#include "cli/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/kernels_report.hpp"

namespace clgauss::cli {

using Json = nlohmann::ordered_json;

namespace {

const char* ndrange_name(NdRangeMode mode) {
  return mode == NdRangeMode::fixed ? "fixed" : "shrinking";
}

/// "128 (raw 17024)", or that the driver chose.
std::string group_size_text(const WorkGroupReport& group) {
  if (group.size == 0) return "left to the driver";
  return group.raw ? fmt::format("{} (raw {})", group.size, *group.raw)
                   : fmt::format("{}", group.size);
}

std::string determinant_text(const Determinant& determinant) {
  if (std::isnan(determinant.log10_abs)) return "not known";
  if (determinant.sign == 0) return "0";
  std::string text =
      fmt::format("{}10^{:.15g}", determinant.sign < 0 ? "-" : "", determinant.log10_abs);
  const double value = determinant.sign * std::pow(10.0, determinant.log10_abs);
  if (std::isnormal(value)) text += fmt::format(" = {:.12g}", value);
  return text;
}

/// What left the range of the type, and what to do.
std::string overflow_text(const Solution& solution) {
  const std::string type(real_type_name(solution.type));
  const std::string what =
      !solution.failed_column ? fmt::format("x has numbers beyond the range of {}", type)
      : solution.failed_pivot == 0
          ? fmt::format(
                "the pivot of column {} is zero, but maybe only because numbers of A are "
                "too far apart for {}",
                *solution.failed_column + 1, type)
          : fmt::format(
                "numbers of the elimination grew beyond the range of {} (the pivot of "
                "column {} is not finite)",
                type, *solution.failed_column + 1);
  return fmt::format("OVERFLOW   {}; no answer, {}\n", what,
                     solution.type == RealType::f32 ? "use --type f64 on a device with fp64"
                                                    : "choose other units for the equations or x");
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json samples_json(const ComparedPolicy& compared) {
  const WorkGroupReport& group = *compared.solution.work_group;
  return {{"rule", group.rule},
          {"size", group.size > 0 ? Json(group.size) : Json(nullptr)},
          {"median_s", compared.median()},
          {"samples_s", compared.seconds},
          {"scaled_residual", finite_or_null(compared.solution.residual.scaled)}};
}

/// "Gauss elimination, pivoting partial, fixed NDRange" or "LU, pivoting partial".
std::string method_text(const Report& report) {
  const Solution& solution = report.solution;
  const std::string pivoting(pivoting_name(solution.pivoting));
  if (solution.method == Method::gauss)
    return fmt::format("Gauss elimination, pivoting {}, {} NDRange", pivoting,
                       ndrange_name(report.options.ndrange));
  if (solution.repeated)
    return fmt::format(
        "LU, pivoting {} (repeated so: the groups of partial did not all run at once, is the "
        "device shared?)",
        pivoting);
  const bool replaced = report.options.pivoting != solution.pivoting;
  return fmt::format(
      "LU, pivoting {}{}", pivoting,
      replaced ? " (its groups cannot wait for each other here, as partial needs)" : "");
}

std::string groups_text(const WorkGroupReport& group) {
  std::string text =
      fmt::format("groups     rule {}: {}; {} main + {} remainder launches\n", group.rule,
                  group_size_text(group), group.main_launches, group.remainder_launches);
  if (!group.reason.empty()) text += fmt::format("           {}\n", group.reason);
  return text;
}

/// The keys are there for every method, so that a script need not ask which one it was.
Json work_group_json(const std::optional<WorkGroupReport>& group) {
  if (!group)
    return {{"rule", "kernel"},
            {"size", nullptr},
            {"raw", nullptr},
            {"main_launches", nullptr},
            {"remainder_launches", nullptr}};
  return {{"rule", group->rule},
          {"size", group->size > 0 ? Json(group->size) : Json(nullptr)},
          {"raw", group->raw ? Json(*group->raw) : Json(nullptr)},
          {"main_launches", group->main_launches},
          {"remainder_launches", group->remainder_launches}};
}

Json times_json(const Report& report) {
  return times_json(report.times, report.solution.times, "forward", "backward");
}

}  // namespace

std::string verdict_text(const Report& report) {
  const Solution& solution = report.solution;
  if (solution.status == SolveStatus::overflow) return overflow_text(solution);
  if (solution.status == SolveStatus::singular)
    return fmt::format(
        "SINGULAR   the pivot of column {} is {}; there is no unique answer{}\n",
        *solution.failed_column + 1, solution.failed_pivot == 0 ? "exactly zero" : "not finite",
        report.options.pivoting == Pivoting::none ? " without row exchanges; try --pivot partial"
                                                  : "");
  const char* verdict = solution.status == SolveStatus::ok ? "ok: <=" : "MISSED: not <=";
  return fmt::format("residual   backward error {:.3g}, scaled residual {:.3g} ({} {:g})\n",
                     solution.residual.backward_error, solution.residual.scaled, verdict,
                     report.options.max_scaled_residual);
}

Json times_json(const ProgramTimes& program, const SolveTimes& solve, const char* forward,
                const char* backward) {
  Json times{{"device", program.device},
             {"read", program.read},
             {"build", solve.build},
             {"upload", solve.upload},
             {forward, solve.forward}};
  if (*backward != '\0') times[backward] = solve.backward;
  times["download"] = solve.download;
  times["check"] = solve.check;
  times["write"] = program.write;
  times["free"] = solve.free + program.free;
  times["total"] = program.total;
  return times;
}

std::string times_text(const Json& times) {
  std::string text = fmt::format("time       {:.3f} s:", times.at("total").get<double>());
  const char* separator = " ";
  for (const auto& [part, seconds] : times.items()) {
    if (part == "total") continue;
    text += fmt::format("{}{} {:.3f}", separator, part, seconds.get<double>());
    separator = ", ";
  }
  return text + "\n";
}

std::string summary_text(const Report& report) {
  const Solution& solution = report.solution;
  std::string text =
      fmt::format("system     n = {}, {} right-hand side{}, {}, {}\n", report.n, report.nrhs,
                  report.nrhs == 1 ? "" : "s", real_type_name(solution.type), method_text(report));
  if (!report.augmented_path.empty())
    text += report.nrhs == 1
                ? fmt::format("           the last column of {} is b\n", report.augmented_path)
                : fmt::format("           the last {} columns of {} are the right-hand sides\n",
                              report.nrhs, report.augmented_path);
  if (!report.options.type && solution.type == RealType::f32)
    text += "           f32 because the device has no fp64: expect about 7 digits, not 16\n";
  text += fmt::format("device     {} {} ({})\n", report.device.spec, report.device.name,
                      report.device.platform_name);
  text += kernels_text(report.kernels, report.verbose);
  if (solution.work_group) text += groups_text(*solution.work_group);
  text += times_text(times_json(report));
  if (report.with_determinant)
    text += fmt::format("det A      {}\n", determinant_text(solution.determinant));
  return text + verdict_text(report);
}

Json report_json(const Report& report) {
  const Solution& solution = report.solution;
  const bool solved = has_answer(solution.status);
  Json json{
      {"schema_version", 1},
      {"status", solve_status_name(solution.status)},
      {"n", report.n},
      {"nrhs", report.nrhs},
      {"method", method_name(solution.method)},
      {"type", real_type_name(solution.type)},
      {"pivoting", pivoting_name(solution.pivoting)},
      {"ndrange", solution.method == Method::gauss ? Json(ndrange_name(report.options.ndrange))
                                                   : Json(nullptr)},
      {"device",
       {{"spec", report.device.spec},
        {"name", report.device.name},
        {"driver", report.device.driver_version},
        {"platform", report.device.platform_name}}},
      {"kernels", kernels_json(report.kernels)},
      {"work_group", work_group_json(solution.work_group)},
      {"time_s", times_json(report)},
      {"backward_error", solved ? finite_or_null(solution.residual.backward_error) : Json(nullptr)},
      {"scaled_residual", solved ? finite_or_null(solution.residual.scaled) : Json(nullptr)}};
  if (solution.failed_column)
    json[solution.status == SolveStatus::singular ? "singular_column" : "overflow_column"] =
        *solution.failed_column + 1;
  if (report.with_determinant)
    json["determinant"] = {{"sign", solution.determinant.sign},
                           {"log10_abs", finite_or_null(solution.determinant.log10_abs)}};
  return json;
}

std::string launches_csv(const std::vector<LaunchRecord>& launches) {
  std::string text = "kernel,part,global0,global1,offset0,offset1,local,time_ns\n";
  for (const LaunchRecord& launch : launches)
    text += fmt::format("{},{},{},{},{},{},{},{}\n", launch.kernel,
                        launch.remainder ? "remainder" : "main", launch.range.size[0],
                        launch.range.size[1], launch.range.offset[0], launch.range.offset[1],
                        launch.local, launch.time_ns ? std::to_string(*launch.time_ns) : "");
  return text;
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format("{:<20} {:>12} {:>12} {:>12} {:>6} {:>16}\n", "work-group size",
                                 "median s", "min s", "max s", "runs", "scaled residual");
  const auto row = [&](const ComparedPolicy& compared) {
    const WorkGroupReport& group = *compared.solution.work_group;
    const std::string name =
        group.size == 0 ? "driver's default" : fmt::format("{}: {}", group.rule, group.size);
    const auto [least, most] = std::ranges::minmax(compared.seconds);
    text += fmt::format("{:<20} {:>12.6f} {:>12.6f} {:>12.6f} {:>6} {:>16.3g}\n", name,
                        compared.median(), least, most, compared.seconds.size(),
                        compared.solution.residual.scaled);
  };
  row(comparison.driver);
  row(comparison.chosen);
  return text + fmt::format(
                    "the driver's default takes {:.3g} times as long; the answers differ by at "
                    "most {:.3g}\n",
                    comparison.ratio(), comparison.max_difference);
}

Json comparison_json(const Comparison& comparison) {
  return {{"driver", samples_json(comparison.driver)},
          {"chosen", samples_json(comparison.chosen)},
          {"ratio", comparison.ratio()},
          {"max_difference", finite_or_null(comparison.max_difference)}};
}

}  // namespace clgauss::cli
