#include "tuner/cli/experiment_options.hpp"

#include <fmt/format.h>

#include <clgauss/solve.hpp>

#include "command_line/interrupt.hpp"
#include "command_line/progress_line.hpp"
#include "tuner/measure/duration.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune {

namespace po = cli::po;

namespace {

po::typed_value<std::string>* word(const char* name, const char* initial) {
  return po::value<std::string>()->value_name(name)->default_value(initial);
}

}  // namespace

void add_measuring_options(po::options_description& options, const char* timeout) {
  // clang-format off
  options.add_options()
      ("device,d", word("SPEC", ""), "auto, gpu, cpu, accel, 1:0 or nvidia:h200 (also CLGAUSS_DEVICE)")
      ("warmup", po::value<std::size_t>()->default_value(1)->value_name("N"), "untimed repetitions before them")
      ("timeout", word("TIME", timeout), "a repetition that would take longer is not begun")
      ("budget", po::value<std::string>()->value_name("TIME"), "end in good order after 90s, 10min ..; run again to go on")
      ("append", po::bool_switch(), "add to a folder that holds another experiment's rows")
      ("quiet,q", po::bool_switch(), "no progress");
  // clang-format on
  cli::add_context_options(options);
}

void add_experiment_options(po::options_description& options) {
  // clang-format off
  options.add_options()
      ("output,o", po::value<std::string>()->value_name("FOLDER")->required(),
       "folder for rows.csv; rows that are there already are not measured again")
      ("type", word("T", "auto"), "auto (f64 where the device has it), f32 or f64")
      ("ndrange", word("MODE", "fixed"), "fixed (every step over the whole matrix, as the source does) or shrinking")
      ("steps", po::value<std::size_t>()->default_value(64)->value_name("S"),
       "time S evenly spaced steps of the n - 1 and scale")
      ("full", po::bool_switch(), "time all steps")
      ("reps", po::value<std::size_t>()->default_value(5)->value_name("N"), "timed repetitions");
  // clang-format on
  add_measuring_options(options, "60s");
}

namespace {

EliminationOptions elimination_options(const po::variables_map& values,
                                       const DeviceProfile& device) {
  const auto text = [&](const char* name) -> std::string_view {
    return values[name].as<std::string>();
  };
  EliminationOptions options;
  options.type = chosen_type(values, device);
  options.ndrange = cli::parse_word<NdRangeMode>(
      "ndrange", text("ndrange"),
      {{"fixed", NdRangeMode::fixed}, {"shrinking", NdRangeMode::shrinking}});
  options.steps = values["steps"].as<std::size_t>();
  if (options.steps == 0) throw UsageError("--steps must be at least 1; --full times all steps");
  if (values["full"].as<bool>()) options.steps = 0;
  options.repetitions = values["reps"].as<std::size_t>();
  if (options.repetitions == 0) throw UsageError("--reps must be at least 1");
  options.warmups = values["warmup"].as<std::size_t>();
  options.timeout_s = parse_duration(text("timeout")).count();
  return options;
}

}  // namespace

ExperimentLimits experiment_limits(const po::variables_map& values) {
  ExperimentLimits limits;
  if (const auto budget = cli::option<std::string>(values, "budget"))
    limits.budget_s = parse_duration(*budget).count();
  return limits;
}

RealType chosen_type(const po::variables_map& values, const DeviceProfile& device) {
  return choose_type(device,
                     cli::parse_word<std::optional<RealType>>(
                         "type", values["type"].as<std::string>(),
                         {{"auto", std::nullopt}, {"f32", RealType::f32}, {"f64", RealType::f64}}));
}

void finish_experiment(const po::variables_map& values, const ResultFolder& folder,
                       const ExperimentSummary& summary, const std::string& text) {
  folder.write_t4();
  cli::print(text);
  cli::tell(fmt::format(
      "{} of {} points measured now, {} there before{}; rows in {}/rows.csv\n", summary.measured,
      summary.points, summary.points - summary.measured - summary.left,
      summary.left > 0
          ? fmt::format(", {} left: the budget is used up, run again to go on", summary.left)
          : "",
      values["output"].as<std::string>()));
}

std::string typed(const std::string& name, const Arguments& arguments) {
  std::string command = "clgauss-tune " + name;
  for (const std::string& argument : arguments) command += ' ' + argument;
  return command;
}

ExitCode run_experiment(const Arguments& arguments, const po::variables_map& values,
                        const ExperimentPlan& plan) {
  const ExperimentLimits limits = experiment_limits(values);
  const ContextOptions context_options = cli::context_options(values);
  Context context(open_device(values["device"].as<std::string>()), context_options);
  const EliminationOptions options = elimination_options(values, context.profile());
  const ExperimentInfo info{plan.name,
                            "gauss_fwd",
                            std::string(real_type_name(options.type)),
                            ndrange_name(options.ndrange),
                            typed(plan.name, arguments),
                            context.profile()};
  const std::vector<Contest> contests = plan.contests(context, options.type);

  ResultFolder folder(values["output"].as<std::string>(), info, values["append"].as<bool>());
  cli::ProgressLine line(!values["quiet"].as<bool>());
  const ExperimentSummary summary = run_contests(context, folder, info, options, contests, limits,
                                                 [&](double fraction, const std::string& what) {
                                                   cli::throw_if_interrupted();
                                                   line.update(plan.name, fraction, what);
                                                 });
  line.clear();
  finish_experiment(values, folder, summary,
                    plan.summary(points_of(folder, info, options, contests)));
  return ExitCode::ok;
}

}  // namespace clgauss::tune
