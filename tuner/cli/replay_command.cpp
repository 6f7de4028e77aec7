#include <fmt/format.h>

#include <clgauss/io.hpp>
#include <nlohmann/json.hpp>

#include "command_line/interrupt.hpp"
#include "command_line/progress_line.hpp"
#include "command_line/typed.hpp"
#include "tuner/cli/search_options.hpp"
#include "tuner/search/replay.hpp"

namespace clgauss::tune {

namespace {

using namespace cli;

constexpr std::string_view kReplayUsage = "SPACE.json[.gz] [options]";
constexpr std::string_view kReplayAbout =
    "Runs searches on a fully recorded space (T4 format), many times and without a device, and "
    "prints what share of the optimum they reach: median and 10th percentile of best time / best "
    "found time.";
constexpr std::string_view kReplayExamples =
    "clgauss-tune replay space_T4.json.gz\n"
    "clgauss-tune replay space_T4.json.gz --strategy model,random --evaluations 50,200 "
    "--reps 20\n"
    "clgauss-tune replay space_T4.json.gz --seeds other_device_T4.json.gz";

struct StrategyFigures {
  std::string strategy;
  std::vector<ReplayFigure> figures;
};

std::string table_of(const std::vector<StrategyFigures>& all) {
  std::string text = fmt::format("{:<12}", "evaluations");
  for (const ReplayFigure& figure : all.front().figures)
    text += fmt::format("{:>16}", figure.evaluations);
  for (const auto& [strategy, figures] : all) {
    text += fmt::format("\n{:<12}", strategy);
    for (const ReplayFigure& figure : figures)
      text += fmt::format("{:>16}",
                          fmt::format("{:.3f} ({:.3f})", figure.median, figure.percentile_10));
  }
  return text + "\n";
}

nlohmann::ordered_json json_of(const std::vector<StrategyFigures>& all,
                               const RecordedSpace& recorded, const ReplayOptions& options) {
  nlohmann::ordered_json json{{"configurations", recorded.space.size()},
                              {"best_s", recorded.best_ns * 1e-9},
                              {"repeats", options.repeats},
                              {"seed", options.random_seed},
                              {"results", nlohmann::ordered_json::array()}};
  for (const auto& [strategy, figures] : all)
    for (const ReplayFigure& figure : figures)
      json["results"].push_back({{"strategy", strategy},
                                 {"evaluations", figure.evaluations},
                                 {"median", figure.median},
                                 {"percentile_10", figure.percentile_10}});
  return json;
}

}  // namespace

cli::CommandTable replay_table() {
  static const std::string strategies = strategies_text();
  CommandTable table{kReplayUsage, kReplayAbout, kReplayExamples, {}, "space"};
  // clang-format off
  table.group("Search")
      ("space", file("SPACE")->required(), "the recorded space")
      ("strategy", words("LIST", strategy_names())->default_value("model,random"),
       strategies.c_str())
      ("evaluations", cli::text("LIST")->default_value("10,25,50,100,200"), "after how many evaluations to look")
      ("reps", po::value<std::size_t>()->default_value(100)->value_name("N"), "searches a strategy")
      ("seed", po::value<std::uint64_t>()->default_value(1)->value_name("S"),
       "seed of the first search's random numbers")
      ("seeds", file("FILE"), "another device's T4 file; its best configurations are tried first")
      ("trace", output_file("FILE"), "write which configurations each search tried, by their places in the file, as CSV");
  // clang-format on
  add_json_option(table.group("Report"));
  table.scopes = search_scopes();
  table.mode = search_mode;
  return table;
}

cli::ExitCode run_replay(const cli::Given& given) {
  const po::variables_map& values = given.values;
  const auto names = cli::parse_list(values["strategy"].as<std::string>());
  ReplayOptions replay_options{
      cli::parse_counts("evaluations", values["evaluations"].as<std::string>()),
      values["reps"].as<std::size_t>(), values["seed"].as<std::uint64_t>()};
  const RecordedSpace recorded = recorded_space(read_t4(values["space"].as<std::string>()));
  if (const auto other = option<std::string>(values, "seeds"))
    replay_options.seeds = best_of(read_t4(*other), recorded.space, kSeeds);
  JsonOutput json(values);
  std::optional<OutputFile> trace;
  if (const auto path = option<std::string>(values, "trace")) {
    trace.emplace(*path);
    trace->write("strategy,search,configuration\n");
  }

  ProgressLine progress(true);
  std::vector<StrategyFigures> all;
  for (const std::string& name : names) {
    replay_options.progress = [&](double fraction) {
      throw_if_interrupted();
      progress.update(name, fraction);
    };
    if (trace)
      replay_options.trace = [&](std::size_t search, const std::vector<std::size_t>& tried) {
        for (const std::size_t configuration : tried)
          trace->write(fmt::format("{},{},{}\n", name, search, configuration));
      };
    all.push_back({name, replay(recorded, name, replay_options)});
  }
  progress.clear();
  if (trace) trace->commit();
  json.print(table_of(all), json_of(all, recorded, replay_options));
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
