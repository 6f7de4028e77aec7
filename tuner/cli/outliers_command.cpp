#include <fmt/format.h>

#include "command_line/typed.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/report/elimination_tables.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kOutliersUsage = "--sizes N:N -o FOLDER [options]";
constexpr std::string_view kOutliersAbout =
    "Times the elimination against n with the driver's own work-group size, the LCM rule's, the "
    "largest divisor of n + 1 that the device allows, one launch that leaves little "
    "beyond the end (fit), and what is tuned, interleaved: figure 2 of Baranov and "
    "Vlatskaya (2013). The driver's groups must divide n + 1; where its largest divisor within the "
    "limit is small - 1 for a prime above it - they are no work for a compute unit. Prints the "
    "distribution over all n, not only the worst.";
constexpr std::string_view kOutliersExamples =
    "clgauss-tune outliers --sizes 1000:1100 -o results/outliers\n"
    "clgauss-tune outliers --sizes 8000:8020 --device nvidia: -o results/outliers_8000";

std::string outliers_summary(const Context& context, const std::vector<Point>& points) {
  const report::ByN by_n = report::by_n(points);
  const std::size_t limit = context.profile().max_work_group_size;
  return text(report::outliers_table(by_n, limit)) + text(report::distribution_table(by_n, limit));
}

}  // namespace

cli::CommandTable outliers_table() {
  cli::CommandTable table{kOutliersUsage, kOutliersAbout, kOutliersExamples, {}};
  table.group("What")("sizes", cli::text("LIST")->required(),
                      "unknowns n: numbers and ranges first:last:step");
  add_experiment_options(table);
  return table;
}

cli::ExitCode run_outliers(const cli::Given& given) {
  const auto sizes = cli::parse_sizes("sizes", given.values["sizes"].as<std::string>());
  const auto contests = [&](Context& context, RealType type) {
    std::vector<Contest> all;
    for (const std::size_t n : sizes) {
      const std::vector<Candidate> rules = rule_candidates(context, type, n);
      all.push_back({n, {}});
      std::vector<Candidate>& candidates = all.back().candidates;
      for (const char* rule : {"driver", "lcm", "divisor", "fit"})
        candidates.push_back(candidate_of(rules, rule));
      candidates.push_back(candidate_of(rules, "lcm"));  // as the source launches it
      candidates.back().choice.split = SplitMode::exact;
      if (const auto tuned = tuned_candidate(context, type, n)) candidates.push_back(*tuned);
    }
    return all;
  };
  return run_experiment(given, {"outliers", "gauss_fwd", contests, outliers_summary});
}

}  // namespace clgauss::tune
