#include <fmt/format.h>

#include "command_line/typed.hpp"
#include "statistics.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/measure/prime.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kUsage = "--sizes N:N -o FOLDER [options]";
constexpr std::string_view kAbout =
    "Times the elimination against n with the driver's own work-group size and with the LCM "
    "rule's, in turns: figure 2 of Baranov and Vlatskaya (2013). Where n + 1 is prime and above "
    "the device's limit, the driver is left with groups of one work-item.";
constexpr std::string_view kExamples =
    "clgauss-tune outliers --sizes 1000:1100 -o results/outliers\n"
    "clgauss-tune outliers --sizes 8000:8020 --device nvidia: -o results/outliers_8000";

std::string summary_text(const std::vector<std::vector<Point>>& grouped) {
  std::string text = "       n  n + 1    driver ms   rule ms (size)  driver/rule\n";
  double prime_worst = 0, other_worst = 0;
  for (const auto& points : grouped) {
    if (points.size() != 2 || points[0].times_ns.empty() || points[1].times_ns.empty()) continue;
    const Row& rule = points[1].row;
    const double driver_ms = median(points[0].times_ns) / 1e6,
                 rule_ms = median(points[1].times_ns) / 1e6;
    const bool prime = is_prime(rule.n + 1);
    double& worst = prime ? prime_worst : other_worst;
    worst = std::max(worst, driver_ms / rule_ms);
    text += fmt::format("{:8}  {:5}  {:11.4g}  {:8.4g} ({:4})  {:11.2f}\n", rule.n,
                        prime ? "prime" : "", driver_ms, rule_ms, rule.local, driver_ms / rule_ms);
  }
  return text + fmt::format("largest driver/rule: {:.2f} where n + 1 is prime, {:.2f} elsewhere\n",
                            prime_worst, other_worst);
}

}  // namespace

cli::CommandTable outliers_table() {
  cli::CommandTable table{kUsage, kAbout, kExamples, {}};
  table.group("What")("sizes", cli::text("LIST")->required(),
                      "unknowns n: numbers and ranges first:last:step");
  add_experiment_options(table);
  return table;
}

cli::ExitCode run_outliers(const cli::Given& given) {
  const auto sizes = cli::parse_sizes("sizes", given.values["sizes"].as<std::string>());
  const auto contests = [&](Context& context, RealType type) {
    const std::vector<Candidate> rules = rule_candidates(context, type);
    std::vector<Contest> all;
    for (const std::size_t n : sizes) all.push_back({n, {rules[0], rules[1]}});  // driver, lcm
    return all;
  };
  return run_experiment(given, {"outliers", contests, summary_text});
}

}  // namespace clgauss::tune
