#include <fmt/format.h>

#include <filesystem>

#include "clock.hpp"
#include "command_line/interrupt.hpp"
#include "command_line/progress_line.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/measure/duration.hpp"
#include "tuner/measure/ranges.hpp"
#include "tuner/reproduce/reproduction.hpp"

namespace clgauss::tune {

namespace {

namespace po = cli::po;

constexpr cli::CommandHelp kHelp{
    "clgauss-tune reproduce NAME [-o FOLDER] [options]",
    "Runs an experiment of a source document again and prints its published figures beside those "
    "of this device:\n"
    "  matmul-ladder   Vatutin, Martynov, Titov 2013: naive, buffered and blocked products, with "
    "the latencies behind their theory\n"
    "  matmul-kernels  Lopatin 2023: five kernels, a row of a tile a work-item\n"
    "  matmul-cpu-gpu  Zhao: CPU loops against GPU steps\n"
    "  bandwidth       Tutubalin 2007: an array summed by rows and by columns; sweeps of the "
    "work-groups; writes as well\n"
    "  all             all of them, each in its own folder below FOLDER, and the page "
    "FOLDER/report.html\n"
    "Every result is checked before it is timed.",
    "  clgauss-tune reproduce matmul-ladder\n"
    "  clgauss-tune reproduce matmul-ladder --sizes 1000,4096 --device nvidia: -o results/ladder\n"
    "  clgauss-tune reproduce bandwidth --size 4096 --local 16:512:8 --groups 1:256\n"
    "  clgauss-tune reproduce all --budget 10min -o results"};

po::options_description all_options() {
  po::options_description options("Options");
  const auto list = [] { return po::value<std::string>()->value_name("LIST"); };
  // clang-format off
  options.add_options()
      ("name", po::value<std::string>()->required()->value_name("NAME"), "the experiment, without --name as well")
      ("output,o", po::value<std::string>()->value_name("FOLDER"),
       "folder for rows.csv (default: results/NAME, results for all); rows that are there already are not measured again")
      ("sizes", list(), "n of the matrices (default: the document's)")
      ("size", list(), "side of the array of bandwidth (default: 12288, or what fits the device)")
      ("local", list(), "bandwidth: work-group sizes of the sweep at 1024 groups (default: 16:512; 16:512:16 on a CPU)")
      ("groups", list(), "bandwidth: numbers of groups of the sweep at 256 work-items (default: 1:1024; fewer on a CPU)")
      ("full", po::bool_switch(), "time all rows of the CPU loops, however long that takes")
      ("reps", po::value<std::size_t>()->value_name("N"),
       "timed repetitions (default: 5; matmul-kernels 10, bandwidth 3)");
  // clang-format on
  add_measuring_options(options, "10s");
  return options;
}

std::vector<std::size_t> sizes_option(const po::variables_map& values, const char* name) {
  const auto text = cli::option<std::string>(values, name);
  return text ? parse_sizes(name, *text) : std::vector<std::size_t>();
}

/// The options of one reproduction.
ReproduceOptions reproduce_options(const po::variables_map& values, const Reproduction& what) {
  ReproduceOptions options;
  options.sizes = sizes_option(values, what.name == "bandwidth" ? "size" : "sizes");
  options.locals = sizes_option(values, "local");
  options.groups = sizes_option(values, "groups");
  options.full_cpu = values["full"].as<bool>();
  options.timing.repetitions = cli::option<std::size_t>(values, "reps").value_or(what.repetitions);
  if (options.timing.repetitions == 0) throw UsageError("--reps must be at least 1");
  options.timing.warmups = values["warmup"].as<std::size_t>();
  options.timing.timeout_s = parse_duration(values["timeout"].as<std::string>()).count();
  options.timing.between = cli::throw_if_interrupted;
  return options;
}

/// The reproductions that `name` means. Throws UsageError, with the names, for any other word.
std::vector<Reproduction> reproductions_of(std::string_view name) {
  if (name == "all") return reproductions();
  std::string known;
  for (const Reproduction& one : reproductions()) {
    if (one.name == name) return {one};
    known += std::string(one.name) + ", ";
  }
  throw UsageError(fmt::format("'{}' is not one of: {}all", name, known));
}

/// Measures what the folder lacks and prints the table; whether the folder holds any rows.
bool run_one(Context& context, const Arguments& arguments, const po::variables_map& values,
             const Reproduction& what, const std::filesystem::path& place,
             const ExperimentLimits& limits) {
  const ReproduceOptions options = reproduce_options(values, what);
  const ExperimentInfo info{std::string(what.name), "", "f32", "", typed("reproduce", arguments),
                            context.profile()};
  ResultFolder folder(place, info, values["append"].as<bool>());
  cli::ProgressLine line(!values["quiet"].as<bool>());
  const ExperimentSummary summary = run_cases(folder, what.cases({context, info, options}), limits,
                                              [&](double fraction, const std::string& detail) {
                                                cli::throw_if_interrupted();
                                                line.update(what.name, fraction, detail);
                                              });
  line.clear();
  folder.write_t4();
  cli::print(fmt::format("{}\non {} ({})\n\n{}\n", what.source, context.profile().name,
                         context.profile().platform_name, text(what.findings(folder.rows()))));
  cli::tell(fmt::format(
      "{} of {} configurations measured now{}; rows in {}\n", summary.measured, summary.points,
      summary.left > 0
          ? fmt::format(", {} left: the budget is used up, run again to go on", summary.left)
          : "",
      (place / "rows.csv").string()));
  return !folder.rows().empty();
}

}  // namespace

ExitCode run_reproduce(const Arguments& arguments) {
  const auto values = cli::parse_options(arguments, all_options(), kHelp, "name");
  if (!values) return ExitCode::ok;
  const std::string name = (*values)["name"].as<std::string>();
  const std::vector<Reproduction> chosen = reproductions_of(name);
  for (const Reproduction& one : chosen) static_cast<void>(reproduce_options(*values, one));
  const ExperimentLimits whole = experiment_limits(*values);
  const std::filesystem::path folder = cli::option<std::string>(*values, "output")
                                           .value_or(name == "all" ? "results" : "results/" + name);
  Context context(open_device((*values)["device"].as<std::string>()),
                        cli::context_options(*values));
  const auto start = std::chrono::steady_clock::now();
  bool measured = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    ExperimentLimits limits;  // an equal part of what is left of the budget
    if (whole.budget_s)
      limits.budget_s =
          (*whole.budget_s - seconds_since(start)) / static_cast<double>(chosen.size() - i);
    measured |= run_one(context, arguments, *values, chosen[i],
                        name == "all" ? folder / chosen[i].name : folder, limits);
  }
  if (name == "all" && measured) write_report(folder, folder / "report.html", kReportTitle);
  return ExitCode::ok;
}

}  // namespace clgauss::tune
