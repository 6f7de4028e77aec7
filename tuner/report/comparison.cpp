#include "tuner/report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "statistics.hpp"
#include "tuner/rows/measured.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::size_t kMostChanges = 20;

/// A configuration with times in both runs.
struct Change {
  Row row;
  Estimate earlier_ms, later_ms;
  Estimate ratio;  // later over earlier
  Order order = Order::tie;
};

/// Kinds of configurations that are judged together: "sweep, f64, fixed".
using Changes = std::map<std::string, std::vector<Change>>;

struct ComparedCounts {
  std::size_t faster = 0, ties = 0, slower = 0;
  void take(Order order) {
    ++(order == Order::faster ? faster : order == Order::tie ? ties : slower);
  }
};

std::string kind_of(const Row& row) {
  std::string kind = fmt::format("{}, {}", row.experiment, row.type);
  return row.variant.empty() ? kind : kind + ", " + row.variant;
}

/// What is told of a configuration within its kind.
std::string name_of(const Row& row) {
  std::string name = row.kernel;
  if (row.n > 0) name += fmt::format(", n = {}", row.n);
  if (!row.part.empty()) name += ", " + row.part;
  if (row.rule != "fixed" && !row.rule.empty()) name += ", " + row.rule;
  if (row.local > 0) name += fmt::format(", size {}", row.local);
  if (!row.parameters.empty()) name += ", " + row.parameters;
  return name;
}

/// The rows of each kind, without what is the same in two runs only by chance: device, platform,
/// driver.
std::map<std::string, std::vector<Row>> rows_by_kind(const std::vector<Results>& device) {
  std::map<std::string, std::vector<Row>> kinds;
  for (const Results& folder : device)
    for (Row row : folder.rows) {
      row.device = row.platform = row.driver = "";
      kinds[kind_of(row)].push_back(std::move(row));
    }
  return kinds;
}

Changes changes_of(const std::vector<Results>& earlier, const std::vector<Results>& later) {
  Changes changes;
  const auto later_rows = rows_by_kind(later);
  for (const auto& [kind, rows] : rows_by_kind(earlier)) {
    const auto same = later_rows.find(kind);
    if (same == later_rows.end()) continue;
    const Measured before(rows), after(same->second);
    std::map<std::string, const Point*> places;
    for (const Point& point : after.points())
      if (!point.times_ns.empty()) places.emplace(point.row.key(), &point);
    std::set<std::pair<std::vector<double>, std::vector<double>>> seen;
    for (const Point& point : before.points()) {
      const auto found = places.find(point.row.key());
      if (point.times_ns.empty() || found == places.end()) continue;
      // One measurement, which several rules come to.
      if (!seen.emplace(point.times_ns, found->second->times_ns).second) continue;
      const std::size_t n = point.row.n;
      const Estimate ratio = ratio_of(found->second->times_ns, point.times_ns);
      changes[kind].push_back({point.row, estimate(point.times_ns),
                               estimate(found->second->times_ns), ratio,
                               order_of(ratio, std::max(before.floor(n), after.floor(n)))});
    }
  }
  return changes;
}

double size_of(const Change& change) { return std::abs(std::log(change.ratio.median)); }

Table kinds_table(const Changes& changes) {
  Table table{"Times of the later run over the earlier's",
              {"experiment", "configurations", "faster", "tie", "slower", "median, times",
               "least to most, times"},
              {},
              true};
  for (const auto& [kind, of_kind] : changes) {
    ComparedCounts counts;
    std::vector<double> ratios;
    for (const Change& change : of_kind) {
      counts.take(change.order);
      ratios.push_back(change.ratio.median);
    }
    const Statistics spread = statistics(ratios);
    table.rows.push_back(
        {kind, std::to_string(of_kind.size()), std::to_string(counts.faster),
         std::to_string(counts.ties), std::to_string(counts.slower), significant(spread.median, 3),
         fmt::format("{} to {}", significant(spread.min, 3), significant(spread.max, 3))});
  }
  return table;
}

Table largest_table(const Changes& changes) {
  std::vector<const Change*> told;
  for (const auto& [kind, of_kind] : changes)
    for (const Change& change : of_kind)
      if (change.order != Order::tie) told.push_back(&change);
  std::ranges::stable_sort(
      told, [](const Change* a, const Change* b) { return size_of(*a) > size_of(*b); });
  Table table{"What changed most",
              {"configuration", "experiment", "earlier, ms", "later, ms", "later / earlier, times"},
              {},
              true};
  for (const Change* change : told | std::views::take(kMostChanges))
    table.rows.push_back({name_of(change->row), kind_of(change->row),
                          text_of(change->earlier_ms, 1e6), text_of(change->later_ms, 1e6),
                          text_of(change->ratio, 1, 3)});
  return table;
}

Figure changes_figure(const Changes& changes) {
  Figure figure{"changes",
                "Time of the later run over the earlier's",
                "The ratios of each experiment by their size: below 1 the later run is faster. "
                "Lines: 95 % intervals.",
                {.label = "share of the configurations", .unit = "%"},
                {.label = "later over earlier", .unit = "times", .digits = 3}};
  double most = 0;
  for (const auto& [kind, of_kind] : changes) {
    std::vector<const Change*> sorted;
    for (const Change& change : of_kind) sorted.push_back(&change);
    std::ranges::stable_sort(sorted, {}, [](const Change* change) { return change->ratio.median; });
    Series series{kind, Style::points};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const Estimate& ratio = sorted[i]->ratio;
      series.x.push_back(100 * (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size()));
      series.y.push_back(ratio.median);
      series.low.push_back(ratio.low);
      series.high.push_back(ratio.high);
      series.names.push_back(name_of(sorted[i]->row));
      most = std::max(most, std::max(ratio.median, 1 / ratio.median));
    }
    figure.series.push_back(std::move(series));
  }
  figure.y.log = most > kLogFrom;
  return figure;
}

Section section_of(const std::string& device, const Changes& changes, Illustrator& illustrator) {
  ComparedCounts counts;
  std::vector<double> ratios;
  for (const auto& [kind, of_kind] : changes)
    for (const Change& change : of_kind) {
      counts.take(change.order);
      ratios.push_back(change.ratio.median);
    }
  Section section{device, {}, {}, {kinds_table(changes), largest_table(changes)}, ""};
  section.verdict.push_back(fmt::format(
      "Of {} configuration{} that both runs timed the later run is faster at {}, the same at {}, "
      "slower at {}; in the "
      "median it takes {} times as long.",
      ratios.size(), ratios.size() == 1 ? "" : "s", counts.faster, counts.ties, counts.slower,
      significant(median(ratios), 3)));
  section.verdict.push_back(
      "Runs of different hours differ by more than the times within one: of two runs of the same "
      "program "
      "look at the shares first, and at single configurations where they stand out.");
  section.html =
      "<div class=\"figures\">\n" + illustrator.draw(changes_figure(changes)) + "</div>\n";
  return section;
}

/// A heading for two devices: one name where they are the same.
std::string title_of(const DeviceProfile& earlier, const DeviceProfile& later) {
  const auto named = [](const DeviceProfile& device) {
    return fmt::format("{}, driver {}", device.name, device.driver_version);
  };
  return named(earlier) == named(later)
             ? named(earlier)
             : fmt::format("{}; later: {}", named(earlier), named(later));
}

}  // namespace

std::vector<Section> comparison_sections(const Run& earlier, const Run& later,
                                         Illustrator& illustrator) {
  const auto before = by_device(earlier.results), after = by_device(later.results);
  std::vector<Section> sections;
  for (const std::vector<Results>& device : before)
    for (const std::vector<Results>& other : after) {
      const DeviceProfile &one = profile_of(device), &two = profile_of(other);
      if (one.name != two.name && (before.size() > 1 || after.size() > 1)) continue;
      const Changes changes = changes_of(device, other);
      if (!changes.empty())
        sections.push_back(section_of(title_of(one, two), changes, illustrator));
    }
  if (sections.empty())
    throw FileError(later.name, "no configuration here has times in " + earlier.name + " as well");
  return sections;
}

}  // namespace clgauss::tune::report
