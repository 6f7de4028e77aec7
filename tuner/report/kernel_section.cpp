#include "tuner/report/kernel_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

#include "tuner/rows/contest_result.hpp"
#include "tuner/rows/kernel_experiment.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::size_t kBest = 10;

std::string time_text(const Estimate& ms) { return text_of(ms) + " ms"; }

/// The rates that are known of any of the launches.
std::vector<RateKind> known_rates(const std::vector<Point>& points) {
  std::vector<RateKind> known;
  for (const RateKind& kind : {kGflops, kGbytes})
    if (std::ranges::any_of(points, [&](const Point& point) { return point.row.*kind.amount > 0; }))
      known.push_back(kind);
  return known;
}

void add_columns(Table& table, const std::vector<RateKind>& rates) {
  for (const RateKind& kind : rates) table.columns.emplace_back(kind.unit);
}

/// Of the launch of `row`, which takes so long; "-" where the rate is not known of it.
void add_rates(std::vector<std::string>& cells, const std::vector<RateKind>& rates, const Row& row,
               double ns) {
  for (const RateKind& kind : rates) {
    const double amount = row.*kind.amount;
    cells.push_back(amount > 0 ? significant(amount / ns, 4) : "-");
  }
}

Table final_table(const std::vector<Point>& points) {
  Table table{"Timed interleaved at the end", {"launch", "chosen by", "time"}, {}, false};
  const std::vector<RateKind> rates = known_rates(points);
  add_columns(table, rates);
  for (const char* column : {"times the best's", ""}) table.columns.emplace_back(column);
  ContestResult contest = last_comparison(points);
  const Timing* const best = contest.best();
  if (best == nullptr) return table;
  std::vector<const Timing*> order;
  for (const Timing& timing : contest.timings) order.push_back(&timing);
  std::ranges::sort(order, {}, [](const Timing* timing) { return timing->ms.median; });
  for (const Timing* timing : order) {
    std::vector<std::string> rules = timing->rules;
    std::ranges::replace(rules, "fixed", "search");
    const bool tie = contest.order(*timing, *best) == Order::tie;
    std::vector<std::string> cells{timing->parameters, fmt::format("{}", fmt::join(rules, ", ")),
                                   time_text(timing->ms)};
    const auto point = std::ranges::find_if(
        points, [&](const Point& one) { return one.row.parameters == timing->parameters; });
    add_rates(cells, rates, point->row, 1e6 * timing->ms.median);
    cells.push_back(timing == best ? "1" : text_of(ratio_of(*timing, *best), 1, 3));
    cells.emplace_back(timing == best ? "best" : tie ? "indistinguishable" : "slower");
    table.rows.push_back(std::move(cells));
  }
  for (const Point& point : points)
    if (point.row.rule != "fixed" && point.row.status != Status::ok) {
      std::vector<std::string> cells{point.row.parameters, point.row.rule,
                                     std::string(status_name(point.row.status))};
      cells.resize(table.columns.size() - 1);
      cells.push_back(point.row.detail);
      table.rows.push_back(std::move(cells));
    }
  return table;
}

/// What was timed interleaved at the end, the fastest first.
Figure final_figure(const std::vector<Point>& points) {
  Figure figure{"launches",
                "Timed interleaved at the end",
                "The best launches found, the driver's own work-group size and those of the rules; "
                "lines: 95 % intervals.",
                {},
                {.label = "time", .unit = "ms"}};
  ContestResult contest = last_comparison(points);
  std::erase_if(contest.timings, [](const Timing& timing) { return !timing.ok(); });
  std::ranges::sort(contest.timings, {}, [](const Timing& timing) { return timing.ms.median; });
  Series series{"median", Style::points};
  for (const Timing& timing : contest.timings) {
    std::vector<std::string> rules = timing.rules;
    std::erase(rules, "fixed");
    figure.rows.push_back(rules.empty() ? timing.parameters
                                        : fmt::format("{}", fmt::join(rules, ", ")));
    series.x.push_back(static_cast<double>(series.x.size()));
    series.y.push_back(timing.ms.median);
    series.low.push_back(timing.ms.low);
    series.high.push_back(timing.ms.high);
  }
  figure.series.push_back(std::move(series));
  return figure;
}

Table best_table(const std::vector<Point>& points) {
  std::vector<std::pair<Estimate, const Row*>> tried;
  for (const Point& point : points)
    if (point.row.rule == "fixed" && point.row.part.empty() && !point.times_ns.empty())
      tried.emplace_back(estimate(point.times_ns), &point.row);
  std::ranges::stable_sort(tried, {}, [](const auto& one) { return one.first.median; });
  Table table{fmt::format("The best of {} that work, as the search met them", tried.size()),
              {"launch", "time"},
              {},
              false};
  const std::vector<RateKind> rates = known_rates(points);
  add_columns(table, rates);
  for (const auto& [ns, row] : tried | std::views::take(kBest)) {
    std::vector<std::string> cells{row->parameters, text_of(ns, 1e6) + " ms"};
    add_rates(cells, rates, *row, ns.median);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table failure_table(const std::vector<Point>& points) {
  std::map<std::pair<std::string_view, std::string>, std::size_t> failures;
  for (const Point& point : points)
    if (point.row.rule == "fixed" && point.row.status != Status::ok)
      ++failures[{status_name(point.row.status), point.row.detail}];
  Table table{"Tried, without a time", {"outcome", "launches", "why"}, {}, false};
  for (const auto& [kind, count] : failures)
    table.rows.push_back({std::string(kind.first), std::to_string(count), kind.second});
  return table;
}

}  // namespace

ContestResult last_comparison(const std::vector<Point>& points) {
  std::vector<Point> last;
  std::ranges::copy_if(points, std::back_inserter(last),
                       [](const Point& point) { return point.row.part == kFinalPart; });
  return contest_result(last);
}

std::vector<Table> kernel_tables(const std::vector<Point>& points) {
  return {final_table(points), best_table(points), failure_table(points)};
}

std::vector<std::string> kernel_verdict(const std::vector<Point>& points) {
  const ContestResult contest = last_comparison(points);
  const Timing* const best = contest.best();
  if (best == nullptr) return {};
  std::string text =
      fmt::format("The fastest launch is `{}`: {}", best->parameters, time_text(best->ms));
  if (const Timing* driver = contest.of_rule("driver"); driver != nullptr && driver != best)
    text += fmt::format(", {} times as fast as with the driver's own work-group size",
                        text_of(ratio_of(*driver, *best), 1, 3));
  std::vector<std::string> sentences{text + "."};
  std::vector<std::string> tied;
  for (const Timing* timing : contest.indistinguishable())
    if (timing != best) tied.push_back("`" + timing->parameters + "`");
  if (!tied.empty())
    sentences.push_back(fmt::format("Indistinguishable from it: {}.", fmt::join(tied, ", ")));
  if (contest.controlled && contest.floor > kMostNoise)
    sentences.push_back(
        fmt::format("One launch timed twice differs from itself by {:.0f} %: the winner may be "
                    "chance, run it again on a quiet machine.",
                    100 * contest.floor));
  return sentences;
}

std::vector<Section> kernel_sections(const std::vector<Results>& results,
                                     Illustrator& illustrator) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Point>> kernels;
  for (Point& point : points_of_experiment(results, kKernelExperiment))
    kernels[{point.row.kernel, point.row.type, point.row.variant}].push_back(point);
  std::vector<Section> sections;
  for (const auto& [kernel, points] : kernels) {
    const auto& [name, type, variant] = kernel;
    Figure figure = final_figure(points);
    sections.push_back({fmt::format("{} ({}; {})", name, type, variant),
                        kernel_verdict(points),
                        {},
                        kernel_tables(points),
                        figure.rows.empty() ? "" : illustrator.draw(std::move(figure))});
  }
  return sections;
}

}  // namespace clgauss::tune::report
