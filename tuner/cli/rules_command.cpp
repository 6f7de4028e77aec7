#include <fmt/format.h>

#include "command_line/typed.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/report/elimination_tables.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kRulesUsage = "--sizes N,N -o FOLDER [options]";
constexpr std::string_view kRulesAbout =
    "Times the elimination with the work-group size of each rule - the driver's own, the LCM rule "
    "as printed, cut to the limit and with a CPU's lanes as cores, the kernel's preferred "
    "multiple, the largest allowed, 192, 256, the largest divisor of n + 1, one launch that leaves "
    "little beyond the end (fit), what is tuned - and with a list of fixed sizes, each in every "
    "way to launch a range that it does not divide. All are interleaved in a random order, with "
    "launches that do nothing beside them. Prints what each costs over the best with its interval, "
    "and which are statistically tied with the best: the interval of a ratio is that of its "
    "rounds, and wider the more compete.";
constexpr std::string_view kRulesExamples =
    "clgauss-tune rules --sizes 500,1012,2002,4006 -o results/rules\n"
    "clgauss-tune rules --sizes 1012 --local 32:1024:32 --full -o results/rules_full";

const cli::WordTable<std::string> kTimed{{"gauss_fwd", "gauss_fwd"},
                                         {"solve", std::string(kWholeSolve)}};

std::string rules_summary(const Context& /*context*/, const std::vector<Point>& points) {
  return text(report::rules_table(report::by_n(points)));
}

}  // namespace

cli::CommandTable rules_table() {
  cli::CommandTable table{kRulesUsage, kRulesAbout, kRulesExamples, {}};
  table.group("What")("sizes", cli::text("LIST")->required(),
                      "unknowns n: numbers and ranges first:last:step")(
      "local", cli::text("LIST")->default_value("32,64,128,192,256,384,512,768,1024"),
      "fixed work-group sizes among which the best is looked for")(
      "kernel", cli::words("K", kTimed)->default_value("gauss_fwd"),
      "what is timed: gauss_fwd, or solve, the four kernels of a whole solve of which gauss_fwd "
      "alone has the size");
  add_split_option(table, "padded,exact,round_up,tall");
  add_experiment_options(table);
  return table;
}

cli::ExitCode run_rules(const cli::Given& given) {
  const auto sizes = cli::parse_sizes("sizes", given.values["sizes"].as<std::string>());
  const auto locals = cli::parse_sizes("local", given.values["local"].as<std::string>());
  const LaunchDesign design{locals, split_modes(given.values), true};
  const auto contests = [&](Context& context, RealType type) {
    std::vector<Contest> all;
    for (const std::size_t n : sizes) {
      all.push_back({n, rule_candidates(context, type, n)});
      std::vector<Candidate>& candidates = all.back().candidates;
      if (const auto tuned = tuned_candidate(context, type, n)) candidates.push_back(*tuned);
      for (Candidate& one : design_candidates(context, type, design))
        candidates.push_back(std::move(one));
    }
    return all;
  };
  const std::string kernel =
      cli::parse_word("kernel", given.values["kernel"].as<std::string>(), kTimed);
  return run_experiment(given, {"rules", kernel, contests, rules_summary});
}

}  // namespace clgauss::tune
