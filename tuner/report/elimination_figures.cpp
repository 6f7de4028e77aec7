#include "tuner/report/elimination_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <ranges>

#include "statistics.hpp"
#include "tuner/measure/divisors.hpp"
#include "tuner/report/elimination_tables.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::size_t kMostCurves = 10, kMostRows = 8, kMostCompared = 3;
constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
// Largest over smallest value, from which on a linear axis hides the small ones.

const Axis kOverBest{.label = "time over the best time", .unit = "times", .digits = 3};

void add(Series& series, double x, const Timing& timing) {
  series.x.push_back(x);
  series.y.push_back(timing.ms.median);
  series.low.push_back(timing.ms.low);
  series.high.push_back(timing.ms.high);
}

/// Ratios to the best: a logarithmic axis, for half and twice are as far from 1, where some are
/// large.
void fit_ratio_axis(Figure& figure) {
  double most = 1;
  for (const Series& series : figure.series)
    for (const double y : series.y) most = std::max(most, y);
  figure.y.log = most > kLogFrom;
}

/// A logarithmic axis where the values need it, and seconds in place of milliseconds where they are
/// long.
void fit_time_axis(Figure& figure) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Series& series : figure.series)
    for (const double y : series.y) {
      least = std::min(least, y);
      most = std::max(most, y);
    }
  figure.y.log = most > kLogFrom * least;
  const bool seconds = most >= 10e3;
  figure.y.label = "time of the elimination";
  figure.y.unit = seconds ? "s" : "ms";
  if (!seconds) return;
  for (Series& series : figure.series)
    for (auto* values : {&series.y, &series.low, &series.high})
      for (double& value : *values) value /= 1e3;
}

/// What of the times of a figure is estimated, as a sentence with a blank before it.
std::string estimated_words(const std::vector<Timing>& timings) {
  std::size_t least = 0, most = 0, estimated = 0;
  for (const Timing& timing : timings) {
    if (!timing.estimated) continue;
    least = estimated == 0 ? timing.steps : std::min(least, timing.steps);
    most = std::max(most, timing.steps);
    ++estimated;
  }
  if (estimated == 0) return " No time is estimated: all steps were timed.";
  return fmt::format(" {} estimated from {} steps.",
                     estimated == timings.size()
                         ? "All times are"
                         : fmt::format("{} of the {} times are", estimated, timings.size()),
                     least == most ? std::to_string(least) : fmt::format("{} to {}", least, most));
}

/// At most `most` of the sizes n, evenly spaced, the first and the last among them.
std::vector<std::size_t> evenly(const std::vector<std::size_t>& sizes, std::size_t most) {
  if (sizes.size() <= most) return sizes;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < most; ++i)
    chosen.push_back(sizes[i * (sizes.size() - 1) / (most - 1)]);
  return chosen;
}

/// Says so where only some of the sizes n are drawn, with a blank before it.
std::string drawn_words(const std::vector<std::size_t>& sizes, std::size_t most) {
  return sizes.size() <= most ? "" : fmt::format(" {} of {} n are drawn.", most, sizes.size());
}

/// `by_n` cut where n jumps: two ranges of n in one figure would be two spots and a line.
std::vector<ByN> ranges_of(const ByN& by_n) {
  constexpr std::size_t jump = 20;  // times the smallest distance
  std::size_t nearest = kAny, last = 0;
  for (const auto& [n, timings] : by_n) {
    if (last > 0) nearest = std::min(nearest, n - last);
    last = n;
  }
  std::vector<ByN> ranges;
  for (const auto& [n, timings] : by_n) {
    if (ranges.empty() || (n - last) / jump > nearest) ranges.emplace_back();
    ranges.back()[n] = timings;
    last = n;
  }
  return ranges;
}

/// Lines for the preferred multiple and the LCM rule where they lie within first..last, with names
/// short enough for the legend; the sentences returned tell of the others.
std::string add_marks(Figure& figure, const EliminationData& data, double first, double last) {
  const auto local = data.rule_local(), raw = data.raw_rule();
  const std::size_t multiple = data.preferred_multiple(), limit = data.work_group_limit();
  std::string outside;
  const auto mark = [&](const std::string& label, std::size_t size) {
    const auto x = static_cast<double>(size);
    const std::string name = fmt::format("{} {}", label, size);
    if (x >= first && x <= last)
      figure.marks.push_back({name, x});
    else
      outside += (outside.empty() ? " Outside this figure: " : ", ") + name;
  };
  const bool one = local && *local == multiple;
  if (multiple > 0) mark(one ? "multiple = rule" : "multiple", multiple);
  if (local && !one) mark("rule", *local);
  if (raw && raw != local && *raw <= limit) mark("raw rule", *raw);
  std::string words =
      figure.marks.empty() ? "" : " Lines: the kernel's preferred multiple and the LCM rule.";
  if (!outside.empty()) words += outside + ".";
  if (raw && *raw > limit)
    words += fmt::format(" The rule as printed asks for {}, above the kernel's limit of {}.", *raw,
                         limit);
  return words;
}

/// Ticks at multiples of 32, 64, 128 .., where work-group sizes are, and not more than fit side by
/// side.
double size_step(double first, double last) {
  double step = 32;
  while ((last - first) / step > 9) step *= 2;
  return step;
}

/// Work-items of "253x4"; 0 where it is no group.
std::size_t group_of(const std::string& chosen) {
  const std::size_t cross = chosen.find('x');
  if (cross == std::string::npos) return 0;
  return std::strtoull(chosen.c_str(), nullptr, 10) *
         std::strtoull(chosen.c_str() + cross + 1, nullptr, 10);
}

struct SweepCut {
  int number;
  const char* title;
  std::size_t first_n, last_n, first_local, last_local;
};

constexpr SweepCut kCuts[] = {
    {3, "Time against the work-group size, n < 1000", 0, kLarge - 1, 1, kAny},
    {4, "Time against the work-group size, n < 1000, without size 1", 0, kLarge - 1, 2, kAny},
    {5, "Time against the work-group size, n >= 1000", kLarge, kAny, 1, kAny},
    {6, "Time against the work-group size, n >= 1000, sizes 128 to 384", kLarge, kAny, 128, 384}};

/// The ok timings of `data` within the cut, by n.
std::map<std::size_t, std::vector<Timing>> within(const EliminationData& data,
                                                  const SweepCut& cut) {
  std::map<std::size_t, std::vector<Timing>> kept;
  for (const auto& [n, contest] : data.sweep)
    for (const Timing& timing : contest.timings)
      if (n >= cut.first_n && n <= cut.last_n && timing.ok() && timing.local >= cut.first_local &&
          timing.local <= cut.last_local)
        kept[n].push_back(timing);
  return kept;
}

/// Figure 2 for one range of n.
std::optional<Figure> outliers_figure(const EliminationData& data, const ByN& range) {
  Series driver{"driver's default", Style::line};
  Series rule = driver, divisor = driver, small{"largest divisor below 32", Style::rings};
  divisor.label = "largest divisor";
  std::vector<Timing> shown;
  const std::size_t limit = data.work_group_limit();
  for (const auto& [n, contest] : range)
    for (const Timing& timing : contest.timings) {
      if (!timing.ok()) continue;
      shown.push_back(timing);
      if (timing.has_rule("lcm")) add(rule, static_cast<double>(n), timing);
      if (timing.has_rule("divisor")) add(divisor, static_cast<double>(n), timing);
      if (!timing.by_driver()) continue;
      add(driver, static_cast<double>(n), timing);
      if (limit == 0 || largest_divisor(n + 1, limit) >= kSmallDivisor) continue;
      small.x.push_back(static_cast<double>(n));
      small.y.push_back(timing.ms.median);
    }
  if (shown.empty()) return std::nullopt;
  rule.label = data.rule_local() ? fmt::format("LCM rule ({})", *data.rule_local()) : "LCM rule";
  Figure figure{"fig2",
                fmt::format("Figure 2: time against n, {} to {}", range.begin()->first,
                            range.rbegin()->first),
                {},
                {.label = "n"}};
  figure.series = {driver, rule};
  if (!divisor.x.empty()) figure.series.push_back(divisor);
  if (!small.x.empty()) figure.series.push_back(small);
  fit_time_axis(figure);
  figure.caption =
      "The work-group size left to the driver, by the LCM rule, and the largest divisor of n + 1 "
      "that the device allows. The source finds the driver's peaks where n + 1 is prime; they are "
      "where that divisor is small (rings). Bands: 95 % intervals of the medians." +
      estimated_words(shown);
  return figure;
}

}  // namespace

std::vector<Figure> outliers_figures(const EliminationData& data) {
  std::vector<Figure> figures;
  for (const ByN& range : ranges_of(data.outliers))
    if (auto figure = outliers_figure(data, range)) figures.push_back(std::move(*figure));
  return figures;
}

std::optional<Figure> sweep_figure(const EliminationData& data, int number) {
  const SweepCut& cut = *std::ranges::find(kCuts, number, &SweepCut::number);
  const auto kept = within(data, cut);
  std::vector<std::size_t> sizes;
  bool with_one = false;
  for (const auto& [n, timings] : kept) {
    if (timings.size() > 1) sizes.push_back(n);
    with_one = with_one || timings.front().local == 1;
  }
  if (sizes.empty() || (number == 3 && !with_one)) return std::nullopt;

  Figure figure{fmt::format("fig{}", number),
                fmt::format("Figure {}: {}", number, cut.title),
                {},
                {.label = "work-group size"}};
  figure.ordered = true;
  Series best{"best size", Style::rings};
  std::vector<Timing> shown;
  double first = std::numeric_limits<double>::infinity(), last = 0;
  for (const std::size_t n : evenly(sizes, kMostCurves)) {
    Series series{fmt::format("n = {}", n), Style::line_points};
    for (const Timing& timing : kept.at(n)) add(series, static_cast<double>(timing.local), timing);
    shown.insert(shown.end(), kept.at(n).begin(), kept.at(n).end());
    first = std::min(first, series.x.front());
    last = std::max(last, series.x.back());
    const Timing& fastest = *std::ranges::min_element(
        kept.at(n), {}, [](const Timing& timing) { return timing.ms.median; });
    best.x.push_back(static_cast<double>(fastest.local));
    best.y.push_back(fastest.ms.median);
    figure.series.push_back(std::move(series));
  }
  std::ranges::reverse(figure.series);  // the legend in the order of the curves, the slowest on top
  figure.series.push_back(best);
  figure.x.step = size_step(first, last);
  fit_time_axis(figure);
  figure.caption = "One curve an n; rings mark the fastest size" +
                   std::string(number == 6 ? " of this section." : " of each.") +
                   add_marks(figure, data, first, last);
  figure.caption += drawn_words(sizes, kMostCurves) + estimated_words(shown);
  return figure;
}

std::optional<Figure> published_figure(const EliminationData& data, bool large) {
  const auto published = published::elimination_times();
  std::vector<std::size_t> sizes;
  for (const auto& [n, contest] : data.sweep)
    if ((n >= kLarge) == large && published.contains(n) &&
        std::ranges::count_if(contest.timings, &Timing::ok) > 1)
      sizes.push_back(n);
  if (sizes.empty()) return std::nullopt;
  Figure figure{
      large ? "published-large" : "published-small",
      fmt::format("Figures {} beside the source's own times", large ? "5 and 6" : "3 and 4"),
      {},
      {.label = "work-group size"},
      kOverBest};
  for (const std::size_t n : evenly(sizes, kMostCompared)) {
    const ContestResult& contest = data.sweep.at(n);
    Series here{fmt::format("n = {}, here", n), Style::line_points};
    for (const Timing& timing : contest.timings) {
      if (!timing.ok() || timing.local <= 1) continue;
      here.x.push_back(static_cast<double>(timing.local));
      here.y.push_back(timing.ms.median / contest.best()->ms.median);
    }
    const auto& times = published.at(n);
    const double best = std::ranges::min(times | std::views::values);
    Series theirs{fmt::format("n = {}, {}", n, published::elimination().device), Style::points};
    for (const auto& [local, ms] : times) {
      if (local <= 1) continue;
      theirs.x.push_back(static_cast<double>(local));
      theirs.y.push_back(ms / best);
    }
    figure.series.push_back(std::move(here));
    figure.series.push_back(std::move(theirs));
  }
  figure.x.step = size_step(0, figure.series.front().x.back());
  fit_ratio_axis(figure);
  figure.caption =
      "1 is the best size of each n. Lines: gauss_fwd here; points: the whole solve in f32, from "
      "the authors' raw times. Size 1 is left out." +
      drawn_words(sizes, kMostCompared);
  return figure;
}

std::optional<Figure> one_size_figure(const EliminationData& data) {
  std::map<std::size_t, std::vector<double>> ratios;  // of each size, one an n
  std::size_t count = 0;
  for (const auto& [n, contest] : data.sweep) {
    const Timing* best = contest.best();
    if (best == nullptr) continue;
    ++count;
    for (const Timing& timing : contest.timings)
      for (const std::size_t local : timing.locals)
        if (timing.ok() && local > 1) ratios[local].push_back(timing.ms.median / best->ms.median);
  }
  std::erase_if(ratios, [&](const auto& size) { return size.second.size() < count; });
  if (count < 2 || ratios.size() < 2) return std::nullopt;
  Series series{"median and range over all n", Style::line};
  for (const auto& [local, values] : ratios) {
    const Statistics spread = statistics(values);
    series.x.push_back(static_cast<double>(local));
    series.y.push_back(spread.median);
    series.low.push_back(spread.min);
    series.high.push_back(spread.max);
  }
  Figure figure{"one-size", "What one size for all n costs",
                {},         {.label = "work-group size"},
                kOverBest,  {series}};
  figure.x.step = size_step(series.x.front(), series.x.back());
  fit_ratio_axis(figure);
  figure.caption = fmt::format(
      "1 is the best size of each of the {} n swept; the band reaches from the n that a size suits "
      "best to the one that it suits worst. Size 1 is left out.",
      count);
  figure.caption += add_marks(figure, data, series.x.front(), series.x.back());
  return figure;
}

std::optional<Figure> rules_figure(const EliminationData& data) {
  Figure figure{"rules", "What the rules cost", {}, {}, kOverBest};
  const std::vector<std::pair<std::string, std::string>> rules{{"driver", "driver's default"},
                                                               {"lcm", "LCM rule"},
                                                               {"divisor", "largest divisor"},
                                                               {"fit", "fit"},
                                                               {"192", "192"},
                                                               {"256", "256"},
                                                               {"tuned", "tuned"}};
  for (const auto& [rule, label] : rules) figure.series.push_back({label, Style::points});
  std::vector<std::size_t> sizes;
  for (const auto& [n, contest] : data.rules)
    if (contest.best() != nullptr) sizes.push_back(n);
  std::vector<Timing> shown;
  for (const std::size_t n : evenly(sizes, kMostRows)) {
    const ContestResult& contest = data.rules.at(n);
    const auto place = static_cast<double>(figure.rows.size());
    figure.rows.push_back(fmt::format("n = {}", n));
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Timing* const timing = contest.of_rule(rules[i].first);
      if (timing == nullptr || !timing->ok()) continue;
      const Estimate ratio = ratio_of(*timing, *contest.best());
      figure.series[i].x.push_back(place);
      figure.series[i].y.push_back(ratio.median);
      figure.series[i].low.push_back(ratio.low);
      figure.series[i].high.push_back(ratio.high);
      shown.push_back(*timing);
    }
  }
  if (shown.empty()) return std::nullopt;
  std::erase_if(figure.series, [](const Series& series) { return series.x.empty(); });
  fit_ratio_axis(figure);
  figure.caption = "1 is the best of all sizes timed at that n; lines: 95 % intervals." +
                   drawn_words(sizes, kMostRows) + estimated_words(shown);
  return figure;
}

std::optional<Figure> launches_figure(const EliminationData& data) {
  constexpr std::pair<const char*, const char*> ways[] = {{"", "two launches, padded"},
                                                          {"SPLIT=exact", "two, exact"},
                                                          {"SPLIT=round_up", "one, rounded up"},
                                                          {"SPLIT=tall", "one, 1 column"}};
  Figure figure{
      "launches",
      "Every launch that was timed",
      "One point a launch and n; 1 is the best at that n. Groups that divide n + 1 are one "
      "launch and stand with the padded ones. The driver's stand at the work-items of the "
      "groups that it chose.",
      {.label = "work-items of a group", .log = true, .step = 2},
      kOverBest};
  for (const auto& [parameters, label] : ways) figure.series.push_back({label, Style::points});
  figure.series.push_back({"driver's own", Style::rings});
  for (const auto& [n, contest] : data.rules)
    for (const Timing& timing : contest.timings) {
      if (!timing.ok()) continue;
      const auto way = std::ranges::find(ways, std::string_view(timing.parameters),
                                         &std::pair<const char*, const char*>::first);
      const auto size = timing.by_driver() ? group_of(timing.chosen) : timing.group;
      if (size == 0 || (way == std::end(ways) && !timing.by_driver())) continue;
      Series& series = timing.by_driver()
                           ? figure.series.back()
                           : figure.series[static_cast<std::size_t>(way - std::begin(ways))];
      series.x.push_back(static_cast<double>(size));
      series.y.push_back(timing.ms.median / contest.best()->ms.median);
      series.names.push_back(
          fmt::format("n = {}, {}", n, timing.by_driver() ? timing.chosen : timing.name()));
    }
  std::erase_if(figure.series, [](const Series& series) { return series.x.empty(); });
  if (figure.series.size() < 2) return std::nullopt;
  fit_ratio_axis(figure);
  return figure;
}

}  // namespace clgauss::tune::report
