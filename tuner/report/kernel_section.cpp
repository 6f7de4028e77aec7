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

Table final_table(const std::vector<Point>& points) {
  Table table{"Timed interleaved at the end",
              {"launch", "chosen by", "time", "times the best's", ""},
              {},
              false};
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
    table.rows.push_back({timing->parameters, fmt::format("{}", fmt::join(rules, ", ")),
                          time_text(timing->ms),
                          timing == best ? "1" : text_of(ratio_of(*timing, *best), 1, 3),
                          timing == best ? "best"
                          : tie          ? "indistinguishable"
                                         : "slower"});
  }
  for (const Point& point : points)
    if (point.row.rule != "fixed" && point.row.status != Status::ok)
      table.rows.push_back({point.row.parameters, point.row.rule,
                            std::string(status_name(point.row.status)), "", point.row.detail});
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
  for (const auto& [ns, row] : tried | std::views::take(kBest))
    table.rows.push_back({row->parameters, text_of(ns, 1e6) + " ms"});
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
