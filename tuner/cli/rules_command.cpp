#include <fmt/format.h>

#include <algorithm>

#include "command_line/typed.hpp"
#include "statistics.hpp"
#include "tuner/cli/experiment_options.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kUsage = "--sizes N,N -o FOLDER [options]";
constexpr std::string_view kAbout =
    "Times the elimination with the work-group size of each rule - the driver's own, the LCM "
    "rule, the kernel's preferred multiple, the largest allowed - and with a list of fixed sizes, "
    "all in turns, and prints each rule's regret: its time over the best time, minus 1.";
constexpr std::string_view kExamples =
    "clgauss-tune rules --sizes 500,1012,2002,4006 -o results/rules\n"
    "clgauss-tune rules --sizes 1012 --local 32:1024:32 --full -o results/rules_full";

std::string summary_text(const std::vector<std::vector<Point>>& grouped) {
  std::string text = "       n  rule      local          ms    regret\n";
  for (const auto& points : grouped) {
    const Point* best = nullptr;
    for (const Point& point : points)
      if (!point.times_ns.empty() &&
          (best == nullptr || median(point.times_ns) < median(best->times_ns)))
        best = &point;
    if (best == nullptr) continue;
    const double best_ns = median(best->times_ns);
    const auto line = [&](const Row& row, const std::string& rule, double ns) {
      text += fmt::format("{:8}  {:8}  {:>5}  {:10.4g}  {:7.1f} %\n", row.n, rule,
                          row.local > 0 ? std::to_string(row.local) : "-", ns / 1e6,
                          100 * (ns / best_ns - 1));
    };
    for (const Point& point : points) {
      if (point.row.rule == "fixed") continue;
      if (point.times_ns.empty())
        text += fmt::format("{:8}  {:8}  {:5}  {}\n", point.row.n, point.row.rule, point.row.local,
                            status_name(point.row.status));
      else
        line(point.row, point.row.rule, median(point.times_ns));
    }
    line(best->row, "best", best_ns);
  }
  return text;
}

}  // namespace

cli::CommandTable rules_table() {
  cli::CommandTable table{kUsage, kAbout, kExamples, {}};
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
    std::vector<Candidate> candidates = rule_candidates(context, type);
    for (const std::size_t local : locals)
      candidates.push_back({"fixed", {WorkGroupPolicy::Rule::fixed, local}});
    std::vector<Contest> all;
    for (const std::size_t n : sizes) {
      all.push_back({n, candidates});
      if (const auto tuned = tuned_candidate(context, type, n))
        all.back().candidates.push_back(*tuned);
    }
    return all;
  };
  return run_experiment(given, {"rules", contests, summary_text});
}

}  // namespace clgauss::tune
