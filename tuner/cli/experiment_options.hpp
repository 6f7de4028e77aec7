#pragma once
/// The options that every experiment takes, and what every experiment does with them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command_line/progress_line.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/experiments/case.hpp"
#include "tuner/experiments/contest.hpp"

namespace clgauss::tune {

/// Adds what every command takes that measures: device, warm-up, `timeout` as the initial limit of
/// a repetition, budget.
void add_measuring_options(cli::CommandTable& table, const char* timeout);
[[nodiscard]] ExperimentLimits experiment_limits(const cli::po::variables_map& values);
/// The command as it was typed, for experiment.json.
[[nodiscard]] std::string typed(const std::string& name, const cli::Given& given);

/// Adds these, the type, NDRange mode, number of steps and repetitions, limits and the folder.
void add_experiment_options(cli::CommandTable& table);

/// --split, the ways of launching.
void add_split_option(cli::CommandTable& table, const char* usual);
[[nodiscard]] std::vector<SplitMode> split_modes(const cli::po::variables_map& values);

/// The modes of experiments: of the elimination's kernels in some or in all steps, of others.
enum Experiments : unsigned { kSomeSteps = 1, kAllSteps = 2, kOtherKernel = 4 };
[[nodiscard]] cli::Mode experiment_mode(const cli::po::variables_map& values);

/// What an experiment's command hands to run_experiment().
struct ExperimentPlan {
  std::string name;    // sweep, outliers, rules
  std::string kernel;  // of gauss.cl
  std::function<std::vector<Contest>(Context&, RealType)> contests;
  /// The text for standard output when the rows are there.
  std::function<std::string(const Context&, const std::vector<Point>&)> summary;
};

/// --type, or what the device does best where it is auto.
[[nodiscard]] RealType chosen_type(const cli::po::variables_map& values,
                                   const DeviceProfile& device);

/// Shows what is measured on `line` and the time left, at most the budget from this call on, and
/// ends the experiment at Ctrl-C. The line must outlive it.
[[nodiscard]] ExperimentProgress shown_on(cli::ProgressLine& line, std::string title,
                                          const ExperimentLimits& limits);

/// ", 3 left: the budget is used up, run again to go on"; empty if nothing is.
[[nodiscard]] std::string left_text(const ExperimentSummary& summary);

/// What remains to be done when the rows are there: rows.json, `text` on standard output or with
/// --json what was found about `points`, and on standard error how many points were measured.
void finish_experiment(const cli::po::variables_map& values, const ResultFolder& folder,
                       const ExperimentSummary& summary, const std::string& text,
                       const std::vector<Point>& points);

/// Says on standard error how long it will take, at most the budget, and what makes times doubtful
/// before it begins.
void announce(const std::string& what, double expected_s, const ExperimentLimits& limits);

/// Seconds that what the folder lacks of `cases` will take with so many runs each, by the amount of
/// work and what devices of this kind do of it: within a factor of two or three.
[[nodiscard]] double expected_seconds(const std::vector<Case>& cases, const ResultFolder& folder,
                                      const DeviceProfile& device, std::size_t runs,
                                      double timeout_s);

/// Opens device and folder, measures what is missing, prints the summary. Ctrl-C keeps what was
/// measured.
cli::ExitCode run_experiment(const cli::Given& given, const ExperimentPlan& plan);

}  // namespace clgauss::tune
