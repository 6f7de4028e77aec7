#include "tuner/cli/experiment_options.hpp"
#include "command_line/typed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/solve.hpp>
#include <thread>

#include "command_line/interrupt.hpp"
#include "statistics.hpp"
#include "tuner/measure/estimate.hpp"
#include "tuner/report/elimination_data.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune {

namespace po = cli::po;

namespace {

const cli::WordTable<NdRangeMode> kNdRanges{{"fixed", NdRangeMode::fixed},
                                            {"shrinking", NdRangeMode::shrinking}};

}  // namespace

void add_measuring_options(cli::CommandTable& table, const char* timeout) {
  // clang-format off
  table.group("Limits")
      ("warmup", po::value<std::size_t>()->default_value(1)->value_name("N"), "untimed repetitions before the timed ones")
      ("timeout", cli::text("TIME")->default_value(timeout), "a repetition that would take longer is not begun")
      ("budget", cli::text("TIME"), "end in good order after 90s, 10min ..; run again to go on");
  cli::add_context_options(table);
  table.group("Report")
      ("append", po::bool_switch(), "add to a folder that holds another experiment's rows")
      ("quiet,q", po::bool_switch(), "no progress");
  // clang-format on
}

void add_experiment_options(cli::CommandTable& table) {
  // clang-format off
  table.group("Experiment")
      ("output,o", cli::folder("FOLDER")->required(),
       "folder for rows.csv; rows that are there already are not measured again")
      ("type", cli::words("T", cli::type_words())->default_value("auto"), "auto (f64 where the device has it), f32 or f64")
      ("ndrange", cli::words("MODE", kNdRanges)->default_value("fixed"), "fixed (every step over the whole matrix, as the source does) or shrinking")
      ("steps", po::value<std::size_t>()->default_value(64)->value_name("S"),
       "time S evenly spaced steps of the n - 1 and scale")
      ("full", po::bool_switch(), "time all steps")
      ("reps", po::value<std::size_t>()->default_value(12)->value_name("N"),
       "timed rounds, in each of which all that competes runs once; below 6 nothing is told apart")
      ("device-reps", po::value<std::size_t>()->default_value(3)->value_name("N"),
       "further rounds in which the device's own time is taken, from the events of every launch");
  // clang-format on
  add_measuring_options(table, "60s");
  auto report = table.group("Report");
  cli::add_json_option(report);
  table.scopes = {{kSomeSteps | kAllSteps,
                   "the kernels of the elimination",
                   {"ndrange", "steps", "full", "warmup", "cores-per-cu", "device-reps"}},
                  {kSomeSteps, "experiments without --full, which times all steps", {"steps"}}};
  table.mode = experiment_mode;
}

cli::Mode experiment_mode(const po::variables_map& values) {
  return {values["full"].as<bool>() ? kAllSteps : kSomeSteps, ""};
}

namespace {

std::vector<Point> all_points_of(const ResultFolder& folder, const ExperimentInfo& info,
                                 const EliminationOptions& options,
                                 const std::vector<Contest>& contests) {
  std::vector<Point> all;
  for (const auto& points : points_of(folder, info, options, contests))
    all.insert(all.end(), points.begin(), points.end());
  return all;
}

EliminationOptions elimination_options(const po::variables_map& values,
                                       const DeviceProfile& device) {
  const auto text = [&](const char* name) -> std::string_view {
    return values[name].as<std::string>();
  };
  EliminationOptions options;
  options.type = chosen_type(values, device);
  options.ndrange = cli::parse_word("ndrange", text("ndrange"), kNdRanges);
  options.steps = values["steps"].as<std::size_t>();
  if (options.steps == 0) throw UsageError("--steps must be at least 1; --full times all steps");
  if (values["full"].as<bool>()) options.steps = 0;
  options.repetitions = values["reps"].as<std::size_t>();
  if (options.repetitions == 0) throw UsageError("--reps must be at least 1");
  options.warmups = values["warmup"].as<std::size_t>();
  options.device_repetitions = values["device-reps"].as<std::size_t>();
  options.timeout_s = cli::parse_duration(text("timeout")).count();
  return options;
}

}  // namespace

ExperimentLimits experiment_limits(const po::variables_map& values) {
  ExperimentLimits limits;
  if (const auto budget = cli::option<std::string>(values, "budget"))
    limits.budget_s = cli::parse_duration(*budget).count();
  return limits;
}

RealType chosen_type(const po::variables_map& values, const DeviceProfile& device) {
  return choose_type(device,
                     cli::parse_word("type", values["type"].as<std::string>(), cli::type_words()));
}

ExperimentProgress shown_on(cli::ProgressLine& line, std::string title,
                            const ExperimentLimits& limits) {
  if (limits.budget_s) line.end_within(*limits.budget_s);
  return [&line, title = std::move(title)](double fraction, const std::string& what) {
    cli::throw_if_interrupted();
    line.update(title, fraction, what);
  };
}

std::string left_text(const ExperimentSummary& summary) {
  return summary.left > 0
             ? fmt::format(", {} left: the budget is used up, run again to go on", summary.left)
             : "";
}

namespace {

/// Each launch at each n with its interval, and whether it is distinguishable from the best.
nlohmann::ordered_json json_of(const report::ByN& judged) {
  auto results = nlohmann::ordered_json::array();
  for (const auto& [n, contest] : judged)
    for (const Timing& timing : contest.timings) {
      nlohmann::ordered_json one{{"n", n},
                                 {"size", timing.name()},
                                 {"rules", timing.rules},
                                 {"status", status_name(timing.status)}};
      if (!timing.chosen.empty()) one["driver_group"] = timing.chosen;
      if (!timing.device_ns.empty()) one["device_ms"] = median(timing.device_ns) / 1e6;
      if (timing.ok()) {
        one["median_ms"] = timing.ms.median;
        one["low_ms"] = timing.ms.low;
        one["high_ms"] = timing.ms.high;
        one["runs"] = timing.ms.count;
        one["best_or_tie"] = contest.order_to_best(timing) == Order::tie;
        one["floor"] = contest.floor;
      }
      results.push_back(std::move(one));
    }
  return results;
}

}  // namespace

void finish_experiment(const po::variables_map& values, const ResultFolder& folder,
                       const ExperimentSummary& summary, const std::string& text,
                       const std::vector<Point>& points) {
  folder.write_t4();
  const std::string rows = values["output"].as<std::string>() + "/rows.csv";
  cli::JsonOutput(values).print(text, {{"points", summary.points},
                                       {"measured", summary.measured},
                                       {"left", summary.left},
                                       {"rows", rows},
                                       {"results", json_of(report::by_n(points))}});
  cli::tell(fmt::format(
      "{} of {} points measured now, {} there before{}; rows in {}\n", summary.measured,
      summary.points, summary.points - summary.measured - summary.left, left_text(summary), rows));
}

std::string typed(const std::string& name, const cli::Given& given) {
  std::string command = "clgauss-tune " + name;
  for (const std::string& argument : given.arguments) command += ' ' + argument;
  return command;
}

std::vector<SplitMode> split_modes(const po::variables_map& values) {
  static const cli::WordTable<SplitMode> words{{"padded", SplitMode::padded},
                                               {"exact", SplitMode::exact},
                                               {"round_up", SplitMode::round_up},
                                               {"non_uniform", SplitMode::non_uniform},
                                               {"tall", SplitMode::tall}};
  std::vector<SplitMode> modes;
  for (const std::string& word : cli::parse_list(values["split"].as<std::string>()))
    modes.push_back(cli::parse_word("split", word, words));
  return modes;
}

void add_split_option(cli::CommandTable& table, const char* usual) {
  table.group("What")("split", cli::text("LIST")->default_value(usual),
                      "ways to launch what a size does not divide: padded (two launches, the "
                      "second of one whole group), exact (two, the second of just the rest, in "
                      "groups that the driver chooses), round_up (one, beyond the end), tall (one, "
                      "of groups of one column), non_uniform");
}

void announce(const std::string& what, double expected_s, const ExperimentLimits& limits) {
  const bool cut = limits.budget_s && *limits.budget_s < expected_s;
  cli::tell(fmt::format("{}: about {}{}\n", what,
                        cli::duration_text(cut ? *limits.budget_s : expected_s),
                        cut ? fmt::format(" of the {} that it needs; run again to go on",
                                          cli::duration_text(expected_s))
                            : ""));
  const std::string doubt = load_doubt(busy_cores(), std::thread::hardware_concurrency());
  if (!doubt.empty()) cli::tell(fmt::format("{}: intervals will be wide: {}\n", what, doubt));
}

double expected_seconds(const std::vector<Case>& cases, const ResultFolder& folder,
                        const DeviceProfile& device, std::size_t runs, double timeout_s) {
  const bool cpu = device.type == DeviceType::cpu;
  const double operations_s = cpu ? 5e9 : 5e11, bytes_s = cpu ? 5e9 : 1e12, loop_s = 2e9;
  const double build_s = cpu ? 0.3 : 0.02, least_s = 4e-3;
  double expected_s = 0;
  for (const Case& one : cases)
    for (const Row& row : one.rows) {
      if (folder.has(row)) continue;
      const bool on_host = row.kernel.starts_with("cpu") || row.kernel.starts_with("openmp");
      const bool bytes = row.part == "walk" || row.part.starts_with("copy");
      const double share = row.all_steps > 0
                               ? static_cast<double>(row.steps) / static_cast<double>(row.all_steps)
                               : 1;
      const double run_s = row.work * share / (on_host ? loop_s : bytes ? bytes_s : operations_s);
      expected_s += static_cast<double>(runs) * std::clamp(run_s, least_s, timeout_s) +
                    (on_host ? 0 : build_s);
    }
  return expected_s;
}

cli::ExitCode run_experiment(const cli::Given& given, const ExperimentPlan& plan) {
  const po::variables_map& values = given.values;
  const ExperimentLimits limits = experiment_limits(values);
  const ContextOptions context_options = cli::context_options(values);
  Context context(cli::open_named_device(values["device"].as<std::string>()), context_options);
  EliminationOptions options = elimination_options(values, context.profile());
  options.kernel = plan.kernel;
  ExperimentInfo info{plan.name,
                      plan.kernel,
                      std::string(real_type_name(options.type)),
                      ndrange_name(options.ndrange),
                      typed(plan.name, given),
                      context.profile()};
  note_host(info);
  const std::vector<Contest> contests = plan.contests(context, options.type);

  ResultFolder folder(values["output"].as<std::string>(), info, values["append"].as<bool>());
  const bool quiet = values["quiet"].as<bool>();
  if (!quiet) announce(plan.name, expected_seconds(context, options, contests), limits);
  cli::ProgressLine line(!quiet);
  const ExperimentSummary summary = run_contests(context, folder, info, options, contests, limits,
                                                 shown_on(line, plan.name, limits));
  line.clear();
  const std::vector<Point> points = all_points_of(folder, info, options, contests);
  finish_experiment(values, folder, summary, plan.summary(context, points), points);
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
