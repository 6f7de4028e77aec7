#include <fmt/format.h>

#include <filesystem>

#include "clock.hpp"
#include "command_line/interrupt.hpp"
#include "command_line/typed.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/reproduce/reproduction.hpp"

namespace clgauss::tune {

namespace {

namespace po = cli::po;

constexpr std::string_view kReproduceUsage = "NAME [-o FOLDER] [options]";
constexpr std::string_view kReproduceAbout =
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
    "Every result is checked before it is timed; what belongs to one n is timed in rounds, each "
    "once a round, in a random order.";
constexpr std::string_view kReproduceExamples =
    "clgauss-tune reproduce matmul-ladder\n"
    "clgauss-tune reproduce matmul-ladder --sizes 1000,4096 --device nvidia: -o results/ladder\n"
    "clgauss-tune reproduce bandwidth --sizes 4096 --local 16:512:8 --groups 1:256\n"
    "clgauss-tune reproduce all --budget 10min -o results";

enum Reproduces : unsigned { kBandwidth = 1, kMatmul = 2, kAll = 4 };

cli::Mode reproduce_mode(const po::variables_map& values) {
  const auto& name = values["name"].as<std::string>();
  return {name == "bandwidth" ? kBandwidth : name == "all" ? kAll : kMatmul, "with " + name};
}

std::vector<std::size_t> sizes_option(const po::variables_map& values, const char* name) {
  const auto text = cli::option<std::string>(values, name);
  return text ? cli::parse_sizes(name, *text) : std::vector<std::size_t>();
}

/// The options of one reproduction.
ReproduceOptions reproduce_options(const po::variables_map& values, const Reproduction& what) {
  ReproduceOptions options;
  options.sizes = sizes_option(values, "sizes");
  options.locals = sizes_option(values, "local");
  options.groups = sizes_option(values, "groups");
  options.full_cpu = values["full"].as<bool>();
  options.repetitions = cli::option<std::size_t>(values, "reps").value_or(what.repetitions);
  if (options.repetitions == 0) throw UsageError("--reps must be at least 1");
  options.timing.warmups = values["warmup"].as<std::size_t>();
  options.timing.timeout_s = cli::parse_duration(values["timeout"].as<std::string>()).count();
  options.timing.between = cli::throw_if_interrupted;
  return options;
}

/// The reproductions that `name` means. Throws UsageError, with the names, for any other word.
std::vector<Reproduction> reproductions_of(std::string_view name) {
  if (name == "all") return reproductions();
  std::vector<std::string> known{"all"};
  for (const Reproduction& one : reproductions()) {
    if (one.name == name) return {one};
    known.emplace_back(one.name);
  }
  cli::refuse_word("NAME", name, known);
}

/// Measures what the folder lacks and prints the table; whether the folder holds any rows.
bool run_one(Context& context, const cli::Given& given, const Reproduction& what,
             const std::filesystem::path& place, const ExperimentLimits& limits) {
  const po::variables_map& values = given.values;
  const ReproduceOptions options = reproduce_options(values, what);
  ExperimentInfo info{std::string(what.name), "", "f32", "", typed("reproduce", given),
                      context.profile()};
  note_host(info);
  ResultFolder folder(place, info, values["append"].as<bool>());
  const bool quiet = values["quiet"].as<bool>();
  const Laboratory laboratory{context, info, options};
  std::vector<Case> cases = what.cases(laboratory);
  if (!quiet)
    announce(std::string(what.name),
             expected_seconds(cases, folder, context.profile(),
                              options.repetitions + options.timing.warmups + 1,
                              options.timing.timeout_s),
             limits);
  cli::ProgressLine line(!quiet);
  const ExperimentSummary summary = run_cases(folder, std::move(cases), options.repetitions, limits,
                                              shown_on(line, std::string(what.name), limits));
  line.clear();
  folder.write_t4();
  cli::print(fmt::format("{}\non {} ({})\n\n{}\n", what.source, context.profile().name,
                         context.profile().platform_name, text(what.findings(folder.rows()))));
  cli::tell(fmt::format("{} of {} configurations measured now{}; rows in {}\n", summary.measured,
                        summary.points, left_text(summary), (place / "rows.csv").string()));
  return !folder.rows().empty();
}

}  // namespace

cli::CommandTable reproduce_table() {
  std::vector<std::string> names;
  for (const Reproduction& one : reproductions()) names.emplace_back(one.name);
  names.emplace_back("all");
  cli::CommandTable table{kReproduceUsage, kReproduceAbout, kReproduceExamples, {}, "name"};
  // clang-format off
  table.group("What")
      ("name", cli::words("NAME", names)->required(), "the experiment")
      ("output,o", cli::folder("FOLDER"),
       "folder for rows.csv (default: results/NAME, results for all); rows that are there already are not measured again")
      ("sizes", cli::text("LIST"),
       "n of the matrices, side of the array of bandwidth (default: the document's, or what fits the device)")
      ("local", cli::text("LIST"), "bandwidth: work-group sizes of the sweep at 1024 groups (default: 16:512, coarse steps first)")
      ("groups", cli::text("LIST"), "bandwidth: numbers of groups of the sweep at 256 work-items (default: up to 64 a compute unit; fewer on a CPU)")
      ("full", po::bool_switch(), "time all rows of the CPU loops, however long that takes")
      ("reps", po::value<std::size_t>()->value_name("N"),
       "timed repetitions (default: 5; matmul-kernels 10, bandwidth 3)");
  // clang-format on
  add_measuring_options(table, "10s");
  table.scopes = {{kBandwidth | kAll, "bandwidth", {"local", "groups"}},
                  {kMatmul | kAll, "the experiments with matrix products", {"full"}}};
  table.mode = reproduce_mode;
  return table;
}

cli::ExitCode run_reproduce(const cli::Given& given) {
  const po::variables_map& values = given.values;
  const std::string name = values["name"].as<std::string>();
  const std::vector<Reproduction> chosen = reproductions_of(name);
  for (const Reproduction& one : chosen) static_cast<void>(reproduce_options(values, one));
  const ExperimentLimits whole = experiment_limits(values);
  const std::filesystem::path folder = cli::option<std::string>(values, "output")
                                           .value_or(name == "all" ? "results" : "results/" + name);
  Context context(cli::open_named_device(values["device"].as<std::string>()),
                  cli::context_options(values));
  const auto start = std::chrono::steady_clock::now();
  bool measured = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    ExperimentLimits limits;  // an equal part of what is left of the budget
    if (whole.budget_s)
      limits.budget_s =
          (*whole.budget_s - seconds_since(start)) / static_cast<double>(chosen.size() - i);
    measured |= run_one(context, given, chosen[i], name == "all" ? folder / chosen[i].name : folder,
                        limits);
  }
  if (name == "all" && measured) write_report(folder, folder / "report.html", kReportTitle);
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
