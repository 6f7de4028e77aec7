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
    "multiple, the largest allowed, 192, 256, the largest divisor of n + 1, what is tuned - with "
    "other ways to launch a range that 256 does not divide, and with a list of fixed sizes, all in "
    "turns in a random order. Prints what each costs over the best with its 95 % interval, and "
    "which cannot be told from the best; those that may be the best are timed again until they "
    "separate.";
constexpr std::string_view kRulesExamples =
    "clgauss-tune rules --sizes 500,1012,2002,4006 -o results/rules\n"
    "clgauss-tune rules --sizes 1012 --local 32:1024:32 --full -o results/rules_full";

std::string rules_summary(const Context& /*context*/, const std::vector<Point>& points) {
  return text(report::rules_table(report::by_n(points)));
}

}  // namespace

cli::CommandTable rules_table() {
  cli::CommandTable table{kRulesUsage, kRulesAbout, kRulesExamples, {}};
  table.group("What")("sizes", cli::text("LIST")->required(),
                      "unknowns n: numbers and ranges first:last:step")(
      "local", cli::text("LIST")->default_value("32,64:1024:64"),
      "fixed work-group sizes among which the best is looked for");
  add_experiment_options(table);
  return table;
}

cli::ExitCode run_rules(const cli::Given& given) {
  const auto sizes = cli::parse_sizes("sizes", given.values["sizes"].as<std::string>());
  const auto locals = cli::parse_sizes("local", given.values["local"].as<std::string>());
  const auto contests = [&](Context& context, RealType type) {
    std::vector<Contest> all;
    for (const std::size_t n : sizes) {
      all.push_back({n, rule_candidates(context, type, n)});
      std::vector<Candidate>& candidates = all.back().candidates;
      if (const auto tuned = tuned_candidate(context, type, n)) candidates.push_back(*tuned);
      for (const Candidate& split : split_candidates()) candidates.push_back(split);
      for (const std::size_t local : locals) candidates.push_back(fixed_candidate(local));
    }
    return all;
  };
  return run_experiment(given, {"rules", "gauss_fwd", contests, rules_summary});
}

}  // namespace clgauss::tune
