#include "cli/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/determinant_report.hpp"
#include "cli/kernels_report.hpp"
#include "command_line/colour.hpp"
#include "linalg/solve/methods.hpp"

namespace clgauss::cli {

using Json = nlohmann::ordered_json;

namespace {

const char* ndrange_name(NdRangeMode mode) {
  return mode == NdRangeMode::fixed ? "fixed" : "shrinking";
}

/// "128 (raw 17024)", or "left to the driver".
std::string group_size_text(const WorkGroupReport& group) {
  if (group.size == 0) return "left to the driver";
  return group.raw ? fmt::format("{} (raw {})", group.size, *group.raw)
                   : fmt::format("{}", group.size);
}

/// Which numbers exceeded the range of the type, and what to do.
std::string overflow_text(const SolveOutcome& solution) {
  const std::string type(number_name(solution));
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

Json samples_json(const ComparedPolicy& compared) {
  const WorkGroupReport& group = *compared.solution.work_group;
  return {{"rule", group.rule},
          {"size", group.size > 0 ? Json(group.size) : Json(nullptr)},
          {"median_s", compared.median()},
          {"samples_s", compared.seconds},
          {"scaled_residual", finite_or_null(compared.solution.residual.scaled)}};
}

/// "f64, Gauss elimination, pivoting partial, fixed NDRange", "f64, LU, pivoting partial" or
/// "double accuracy by LU in f32, ...".
std::string method_text(const Report& report) {
  const SolveOutcome& solution = report.solution;
  const MethodRow& row = row_of(solution.method);
  const std::string_view type = number_name(solution);
  std::string text = solution.complex ? "complex, " : "";
  text +=
      Plan{solution.method, solution.type, solution.accuracy}.refines()
          ? fmt::format("{} accuracy by {} in {}", accuracy_name(solution.accuracy), row.told, type)
          : fmt::format("{}, {}", type, row.told);
  if (row.seed) text += fmt::format(" between random butterflies (seed {})", *row.seed);
  if (!row.allows(kPivoting)) return text;
  text += fmt::format(", pivoting {}", pivoting_name(solution.pivoting));
  if (row.allows(kRook)) return text;
  if (row.allows(kWorkGroupSizes))
    return text + fmt::format(", {} NDRange", ndrange_name(report.options.ndrange));
  if (solution.repeated)
    return text + fmt::format(
                      " (repeated {}: the groups of partial did not all run at once, is the "
                      "device shared?)",
                      solution.pivoting == Pivoting::partial ? "without look-ahead" : "so");
  if (report.options.pivoting != solution.pivoting)
    text += " (work-groups cannot wait for each other on this device, as partial needs)";
  return text;
}

Refinement::ForwardError worst_of(const std::vector<Refinement::ForwardError>& errors) {
  Refinement::ForwardError worst{0, 0};
  for (const Refinement::ForwardError& error : errors) {
    worst.normwise = std::max(worst.normwise, error.normwise);
    worst.componentwise = std::max(worst.componentwise, error.componentwise);
  }
  return worst;
}

std::string iterations_text(const Iterations& iterations) {
  return fmt::format("iterated   {} sweep{}, each leaves at most {:.3g} of the error; {}\n",
                     iterations.count, iterations.count == 1 ? "" : "s", iterations.contraction,
                     iterations.converged
                         ? fmt::format("x is off by at most {:.1e}", iterations.error_bound)
                         : "x has not converged; --max-iterations allows more sweeps");
}

Json iterations_json(const std::optional<Iterations>& iterations) {
  if (!iterations) return nullptr;
  return {{"count", iterations->count},
          {"contraction", finite_or_null(iterations->contraction)},
          {"error_bound", finite_or_null(iterations->error_bound)},
          {"converged", iterations->converged}};
}

/// Whether x cannot be wrong: there is no right-hand side, or the residual is 0.
bool is_exact(const SolveOutcome& solution) {
  return solution.residual.scaled == 0 || solution.trust->forward_error.empty();
}

std::string groups_text(const WorkGroupReport& group) {
  std::string text = fmt::format("groups     rule {}: {}, {}; {} main + {} remainder launches\n",
                                 group.rule, group_size_text(group), group.split,
                                 group.main_launches, group.remainder_launches);
  if (!group.reason.empty()) text += fmt::format("           {}\n", group.reason);
  return text;
}

/// The keys are present for every method, so that scripts need not check which one was used.
Json work_group_json(const std::optional<WorkGroupReport>& group) {
  if (!group)
    return {{"rule", "kernel"}, {"size", nullptr},          {"split", nullptr},
            {"raw", nullptr},   {"main_launches", nullptr}, {"remainder_launches", nullptr}};
  return {{"rule", group->rule},
          {"size", group->size > 0 ? Json(group->size) : Json(nullptr)},
          {"split", group->split},
          {"raw", group->raw ? Json(*group->raw) : Json(nullptr)},
          {"main_launches", group->main_launches},
          {"remainder_launches", group->remainder_launches}};
}

double tflops(double multiply_adds) { return 2e-12 * multiply_adds; }

Json times_json(const Report& report) {
  return times_json(report.times, report.solution.times, "forward", "backward");
}

}  // namespace

void add_report_options(CommandTable& table, const char* json) {
  add_kernel_options(table);
  auto report = table.group("Report");
  add_json_option(report, json);
  // clang-format off
  report
      ("verbose,v", po::bool_switch(),
       "list every kernel, and whether it is used or why it is skipped")
      ("quiet,q", po::bool_switch(), "print no summary and no progress, only why the exit code is not 0");
  // clang-format on
}

bool is_verbose(const po::variables_map& values) {
  const bool verbose = values["verbose"].as<bool>();
  if (verbose && values["quiet"].as<bool>())
    throw UsageError("--verbose belongs to the summary, which --quiet leaves out");
  return verbose;
}

void tell_of(const Report& report, bool quiet, bool strict) {
  if (!quiet)
    tell(painted_summary(summary_text(report)));
  else if (report.solution.status != SolveStatus::ok)
    tell(painted_summary(verdict_text(report)));
  else if (report.certificate && !report.certificate->proven)
    tell(painted_summary(certificate_text(*report.certificate)));
  else if (strict)
    tell(painted_summary(doubt_text(report.solution)));
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string scaling_text(const SolveOutcome& solution) {
  if (!solution.scaled_rows && !solution.scaled_columns) return {};
  return fmt::format("           {} equilibrated by powers of two\n",
                     !solution.scaled_columns ? "rows"
                     : solution.scaled_rows   ? "rows and columns"
                                              : "columns");
}

const char* by_text(const Refinement& refinement) {
  return refinement.on_device ? "device" : "host";
}

std::string refinement_text(const SolveOutcome& solution) {
  const Refinement& refinement = solution.refinement;
  std::string text;
  const bool by_f32 = Plan{solution.method, solution.type, solution.accuracy}.refines();
  if (!solution.passed_over.empty())
    text += fmt::format(
        "           {}: {}\n", solution.passed_over,
        solution.by_lapack ? "x is from LAPACK on the host"
        : !by_f32 || refinement.accepted
            ? fmt::format("solved again by {}{} in {}", row_of(solution.method).told,
                          solution.pivoting == Pivoting::rook ? ", pivoting rook," : "",
                          number_name(solution))
        : solution.complex
            ? "the device has no fp64 to do better"
            : "the device has no fp64, and the host no LAPACK (liblapack3), to do better");
  if (refinement.backward_errors.empty()) return text;
  std::vector<std::string> errors;
  for (const double error : refinement.backward_errors)
    errors.push_back(fmt::format("{:.1e}", error));
  if (!refinement.forward_errors.empty()) {
    const Refinement::ForwardError worst = worst_of(refinement.forward_errors);
    return text + fmt::format(
                      "refined    {} correction{} in extra precision, error of x about {:.1e}, of "
                      "each of its numbers {:.1e}\n",
                      refinement.corrections(), refinement.corrections() == 1 ? "" : "s",
                      worst.normwise, worst.componentwise);
  }
  return text +
         fmt::format(
             "refined    {} correction{}{}, residuals by the {}, componentwise backward error {}\n",
             refinement.corrections(), refinement.corrections() == 1 ? "" : "s",
             refinement.gmres_steps > 0
                 ? fmt::format(" with {} steps of GMRES", refinement.gmres_steps)
                 : "",
             by_text(refinement), fmt::join(errors, ", "));
}

std::string trust_text(const SolveOutcome& solution) {
  if (!solution.trust) return {};
  const Trust& trust = *solution.trust;
  std::string text = fmt::format("estimate   rcond {:.1e}", trust.rcond);
  if (!is_exact(solution)) {
    const int digits = trust.correct_digits();
    text += fmt::format(", forward error <= {:.1e}: ", std::ranges::max(trust.forward_error));
    text += digits > 0
                ? fmt::format("x has at least {} correct digit{}", digits, digits == 1 ? "" : "s")
                : "no digit of x is sure";
  }
  return text + "\n" + doubt_text(solution);
}

Json trust_json(const std::optional<Trust>& trust) {
  if (!trust) return nullptr;
  Json errors = Json::array();
  for (const double error : trust->forward_error) errors.push_back(finite_or_null(error));
  return {{"rcond", finite_or_null(trust->rcond)},
          {"forward_error", errors},
          {"correct_digits", trust->correct_digits()},
          {"reciprocal_growth", finite_or_null(trust->reciprocal_growth)},
          {"determinant_error", finite_or_null(trust->determinant_error)}};
}

Json refinement_json(const Refinement& refinement) {
  if (refinement.backward_errors.empty()) return nullptr;
  Json errors = Json::array();
  for (const double error : refinement.backward_errors) errors.push_back(finite_or_null(error));
  Json forward_errors = Json::array();
  for (const auto& [normwise, componentwise] : refinement.forward_errors)
    forward_errors.push_back({{"normwise", normwise}, {"componentwise", componentwise}});
  return {{"corrections", refinement.corrections()},
          {"gmres_steps", refinement.gmres_steps},
          {"backward_errors", errors},
          {"forward_errors", refinement.forward_errors.empty() ? Json(nullptr) : forward_errors},
          {"residuals_by", by_text(refinement)},
          {"accepted", refinement.accepted}};
}

Json device_json(const UsedDevice& device) {
  return {{"spec", device.profile.spec},
          {"name", device.profile.name},
          {"driver", device.profile.driver_version},
          {"platform", device.profile.platform_name},
          {"transfers", transfers_name(device.transfers)}};
}

std::string device_text(const UsedDevice& device, bool verbose) {
  const auto& [profile, transfers, kernels] = device;
  return fmt::format("device     {} {} ({})\n", profile.spec, profile.name, profile.platform_name) +
         (transfers == Transfers::pageable ? "           copies through pageable memory\n" : "") +
         kernels_text(kernels, verbose);
}

std::string rates_text(const ArithmeticRates& rates) {
  const std::string ratio = fmt::format("f32 {} times as fast as f64", rates.ratio);
  return rates.pretended() ? ratio
                           : fmt::format("{:.3g} Tflop/s in f32 and {:.3g} in f64, {}",
                                         tflops(rates.f32), tflops(rates.f64), ratio);
}

Json rates_json(const std::optional<ArithmeticRates>& rates) {
  if (!rates) return nullptr;
  const auto measured = [&](double rate) {
    return rates->pretended() ? Json(nullptr) : Json(tflops(rate));
  };
  return {{"f32_tflops", measured(rates->f32)},
          {"f64_tflops", measured(rates->f64)},
          {"ratio", rates->ratio}};
}

std::string inertia_text(const Inertia& inertia) {
  return fmt::format("inertia    {} positive, {} negative, {} zero eigenvalues\n", inertia.positive,
                     inertia.negative, inertia.zero);
}

Json inertia_json(const Inertia& inertia) {
  return {{"positive", inertia.positive}, {"negative", inertia.negative}, {"zero", inertia.zero}};
}

std::string verdict_text(const Report& report) {
  const SolveOutcome& solution = report.solution;
  if (solution.status == SolveStatus::overflow) return overflow_text(solution);
  if (solution.status == SolveStatus::not_positive_definite)
    return fmt::format(
        "INDEFINITE the pivot of column {} is {:.3g}: A is not positive definite{}, which --method "
        "cholesky needs; try --method lu\n",
        *solution.failed_column + 1, solution.failed_pivot,
        solution.type == RealType::f32 ? " to f32" : "");
  if (solution.status == SolveStatus::singular)
    return fmt::format(
        "SINGULAR   the pivot of column {} is {}; there is no unique answer{}\n",
        *solution.failed_column + 1, solution.failed_pivot == 0 ? "exactly zero" : "not finite",
        report.options.pivoting == Pivoting::none ? " without row exchanges; try --pivot partial"
                                                  : "");
  const double bound = report.options.max_scaled_residual;
  const bool small = solution.residual.scaled <= bound;
  std::string text =
      fmt::format("residual   backward error {:.3g}, scaled residual {:.3g} ({} {:g}{})\n",
                  solution.residual.backward_error, solution.residual.scaled,
                  small ? "ok: <=" : "MISSED: not <=", bound,
                  solution.judge == Judge::device ? ", by the device" : "");
  if (small && solution.status == SolveStatus::inaccurate)
    text +=
        "MISSED     x does not have all digits of f64: the matrix is nearly singular, or its "
        "numbers differ too much in size\n";
  return text;
}

std::string doubt_text(const SolveOutcome& solution) {
  switch (doubt_of(solution)) {
    case Doubt::none:
      break;
    case Doubt::unknown:
      return "WARNING    rcond is not known: nothing says how accurate x is\n";
    case Doubt::nearly_singular:
      return fmt::format(
          "WARNING    the matrix is nearly singular (rcond {:.0e}): x may have no correct digit\n",
          solution.trust->rcond);
    case Doubt::few_digits:
      return fmt::format(
          "WARNING    the matrix is ill-conditioned (rcond {:.0e}): hardly a digit of x can be "
          "relied on\n",
          solution.trust->rcond);
  }
  return {};
}

Json certificate_json(const std::optional<Certificate>& certificate) {
  if (!certificate) return nullptr;
  return {{"proven", certificate->proven},
          {"norm_bound", finite_or_null(certificate->norm_bound)},
          {"digits", certificate->digits},
          {"norm_digits", certificate->norm_digits},
          {"reason", certificate->reason.empty() ? Json(nullptr) : Json(certificate->reason)}};
}

std::string certificate_text(const Certificate& certificate, std::string_view what) {
  if (!certificate.proven) return fmt::format("PROVEN     nothing: {}\n", certificate.reason);
  const auto rounded_down = [](double digits) { return std::floor(10 * digits) / 10; };
  return fmt::format(
      "proven     every number of {0} that is not 0 is right to {1:.1f} digits, the largest of {0} "
      "to {2:.1f}\n",
      what, rounded_down(certificate.digits), rounded_down(certificate.norm_digits));
}

Json times_json(const ProgramTimes& program, const SolveTimes& solve, const char* forward,
                const char* backward) {
  Json times{{"read", program.read},
             {"device", program.device},
             {"build", solve.build},
             {"upload", solve.upload},
             {forward, solve.forward}};
  if (*backward != '\0') times[backward] = solve.backward;
  times["download"] = solve.download;
  const bool one_system = *backward != '\0';
  if (one_system) times["refine"] = solve.refine;
  times["estimate"] = solve.trust;
  if (one_system) times["certify"] = program.certify;
  times["check"] = solve.check;
  times["write"] = program.write;
  times["free"] = solve.free + program.free;
  times["total"] = program.total;
  return times;
}

std::string times_text(const Json& times) {
  const double total = times.at("total").get<double>();
  std::string text = fmt::format("time       {:.3f} s", total);
  const char* separator = ": ";
  for (const auto& [part, value] : times.items()) {
    const double seconds = value.get<double>();
    if (part == "total" || seconds < 0.01 * total) continue;
    text += fmt::format("{}{} {:.3f}", separator, part, seconds);
    separator = ", ";
  }
  return text + "\n";
}

std::string work_text(const Report& report) {
  const SolveOutcome& solution = report.solution;
  std::string text = fmt::format("system     n = {}, {} right-hand side{}, {}\n", report.n,
                                 report.nrhs, report.nrhs == 1 ? "" : "s", method_text(report));
  if (!report.augmented_path.empty())
    text += report.nrhs == 1
                ? fmt::format("           the last column of {} is b\n", report.augmented_path)
                : fmt::format("           the last {} columns of {} are the right-hand sides\n",
                              report.nrhs, report.augmented_path);
  text += scaling_text(solution);
  text += device_text(report.device, report.verbose);
  if (report.verbose && solution.rates)
    text += fmt::format("           auto chose by {} rates: {}\n", solution.method_choice,
                        rates_text(*solution.rates));
  if (solution.work_group) text += groups_text(*solution.work_group);
  text += refinement_text(solution);
  if (solution.iterations) text += iterations_text(*solution.iterations);
  return text + times_text(times_json(report));
}

std::string summary_text(const Report& report) {
  const SolveOutcome& solution = report.solution;
  std::string text = work_text(report);
  if (report.determinant)
    text += fmt::format(
        "det A      {}\n",
        std::visit([](const auto& of) { return determinant_text(of); }, *report.determinant));
  if (solution.inertia) text += inertia_text(*solution.inertia);
  text += trust_text(solution);
  if (report.certificate) text += certificate_text(*report.certificate);
  return text + verdict_text(report);
}

Json report_json(const Report& report) {
  const SolveOutcome& solution = report.solution;
  const MethodRow& row = row_of(solution.method);
  const bool solved = has_answer(solution.status);
  Json json{
      {"schema_version", 1},
      {"status", solve_status_name(solution.status)},
      {"n", report.n},
      {"nrhs", report.nrhs},
      {"method", row.name},
      {"type", number_name(solution)},
      {"accuracy", accuracy_name(solution.accuracy)},
      {"refinement", refinement_json(solution.refinement)},
      {"iterations", iterations_json(solution.iterations)},
      {"method_choice",
       solution.method_choice.empty() ? Json(nullptr) : Json(solution.method_choice)},
      {"rates", rates_json(solution.rates)},
      {"seed", row.seed ? Json(*row.seed) : Json(nullptr)},
      {"passed_over", solution.passed_over.empty() ? Json(nullptr) : Json(solution.passed_over)},
      {"lapack", solution.by_lapack},
      {"error_estimate", trust_json(solution.trust)},
      {"doubt", solved ? Json(doubt_name(doubt_of(solution))) : Json(nullptr)},
      {"certificate", certificate_json(report.certificate)},
      {"pivoting", pivoting_name(solution.pivoting)},
      {"repeated", solution.repeated},
      {"equilibration",
       {{"mode", equilibration_name(report.options.equilibration)},
        {"rows", solution.scaled_rows},
        {"columns", solution.scaled_columns}}},
      {"ndrange",
       row.allows(kWorkGroupSizes) ? Json(ndrange_name(report.options.ndrange)) : Json(nullptr)},
      {"device", device_json(report.device)},
      {"kernels", kernels_json(report.device.kernels)},
      {"work_group", work_group_json(solution.work_group)},
      {"time_s", times_json(report)},
      {"backward_error", solved ? finite_or_null(solution.residual.backward_error) : Json(nullptr)},
      {"scaled_residual", solved ? finite_or_null(solution.residual.scaled) : Json(nullptr)},
      {"checked_by", solved ? Json(judge_name(solution.judge)) : Json(nullptr)}};
  if (solution.failed_column)
    json[solution.status == SolveStatus::overflow ? "overflow_column" : "singular_column"] =
        *solution.failed_column + 1;
  if (solution.complex) json["complex"] = true;
  if (solution.inertia) json["inertia"] = inertia_json(*solution.inertia);
  if (report.determinant)
    json["determinant"] =
        std::visit([](const auto& of) { return determinant_json(of); }, *report.determinant);
  return json;
}

std::string launches_csv(const std::vector<LaunchRecord>& launches) {
  std::string text = "kernel,part,global0,global1,offset0,offset1,local,local1,time_ns\n";
  for (const LaunchRecord& launch : launches)
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{}\n", launch.kernel, launch.remainder ? "remainder" : "main",
        launch.range.size[0], launch.range.size[1], launch.range.offset[0], launch.range.offset[1],
        launch.local, launch.local_rows, launch.time_ns ? std::to_string(*launch.time_ns) : "");
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

ExitCode exit_code_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::ok:
      return ExitCode::ok;
    case SolveStatus::singular:
    case SolveStatus::not_positive_definite:
      return ExitCode::singular;
    case SolveStatus::overflow:
    case SolveStatus::inaccurate:
      break;
  }
  return ExitCode::inaccurate;
}

}  // namespace clgauss::cli
