#include "tuner/report/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "statistics.hpp"
#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

namespace {

/// What competed at each n, of any experiment.
ByN all_contests(const EliminationData& data) {
  ByN contests = contests_of(data);
  contests.insert(data.outliers.begin(), data.outliers.end());
  std::erase_if(contests, [](const auto& of_n) { return of_n.second.best() == nullptr; });
  return contests;
}

const Timing* timed(const ContestResult& contest, std::string_view rule) {
  const Timing* const timing = contest.of_rule(rule);
  return timing != nullptr && timing->ok() ? timing : nullptr;
}

std::string without_quotes(std::string text) {
  std::erase(text, '`');
  return text;
}

/// The largest n whose sweep has several sizes on every device.
std::optional<std::size_t> common_n(const std::vector<Overview>& all) {
  const auto swept = [](const Overview& overview, std::size_t n) {
    const auto found = overview.data.sweep.find(n);
    return found != overview.data.sweep.end() &&
           std::ranges::count_if(found->second.timings, &Timing::ok) > 1;
  };
  std::optional<std::size_t> largest;
  for (const auto& [n, contest] : all.front().data.sweep)
    if (std::ranges::all_of(all, [&, size = n](const Overview& one) { return swept(one, size); }))
      largest = n;
  return largest;
}

void add(Series& series, double x, const Estimate& y) {
  series.x.push_back(x);
  series.y.push_back(y.median);
  series.low.push_back(y.low);
  series.high.push_back(y.high);
}

double largest_of(const Figure& figure) {
  double most = 0;
  for (const Series& series : figure.series)
    for (const double y : series.y) most = std::max(most, y);
  return most;
}

Figure sizes_figure(const std::vector<Overview>& all, std::size_t n) {
  Figure figure{
      "devices-sizes",
      fmt::format("Time against the work-group size, n = {}", n),
      "The elimination's time over that with the best size of each device; lines: 95 % intervals.",
      {.label = "work-group size", .log = true, .step = 2},
      {.label = "time over the best time", .unit = "times", .digits = 3}};
  for (const Overview& one : all) {
    Series series{one.device, Style::line_points};
    const ContestResult& contest = one.data.sweep.at(n);
    for (const Timing& timing : contest.timings)
      if (timing.ok())
        add(series, static_cast<double>(timing.local), ratio_of(timing, *contest.best()));
    figure.series.push_back(std::move(series));
  }
  figure.y.log = largest_of(figure) > kLogFrom;
  return figure;
}

/// The ratios of each device by their size: what share of all n has less.
Figure driver_figure(const std::vector<Overview>& all) {
  Figure figure{
      "devices-driver",
      "The driver's own work-group size against the LCM rule's, at all n",
      "The ratios of each device by their size: below 1 the driver's default is faster. Lines: 95 "
      "% "
      "intervals.",
      {.label = "share of the n", .unit = "%"},
      {.label = "time with the driver's size over the rule's", .unit = "times", .digits = 3}};
  for (const Overview& one : all) {
    std::vector<Cost> ratios;
    for (const auto& [n, contest] : all_contests(one.data)) {
      const Timing *driver = timed(contest, "driver"), *rule = timed(contest, "lcm");
      if (driver != nullptr && rule != nullptr) ratios.push_back({ratio_of(*driver, *rule), n});
    }
    if (ratios.empty()) continue;
    std::ranges::stable_sort(ratios, {}, [](const Cost& cost) { return cost.ratio.median; });
    Series series{fmt::format("{}, {} n", one.device, ratios.size()), Style::points};
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(ratios.size());
      add(series, 100 * share, ratios[i].ratio);
      series.names.push_back(fmt::format("n = {}", ratios[i].n));
    }
    figure.series.push_back(std::move(series));
  }
  figure.y.log = largest_of(figure) > kLogFrom;
  return figure;
}

}  // namespace

std::optional<Gain> Overview::gain_over(std::string_view rule) const {
  using Ratio = std::tuple<double, const Timing*, const Timing*>;
  const ByN contests = all_contests(data);
  std::vector<Ratio> ratios;  // with what they are of: an interval costs a thousand times as much
  for (const auto& [n, contest] : contests)
    if (const Timing* const other = timed(contest, rule))
      ratios.emplace_back(other->ms.median / contest.best()->ms.median, other, contest.best());
  if (ratios.empty()) return std::nullopt;
  const auto cost = [](const Ratio& of) {
    const auto& [ratio, other, best] = of;
    return Cost{ratio_of(*other, *best), other->n};
  };
  const auto by_ratio = [](const Ratio& of) { return std::get<double>(of); };
  std::vector<double> medians(ratios.size());
  std::ranges::transform(ratios, medians.begin(), by_ratio);
  return Gain{ratios.size(), median(medians), cost(*std::ranges::min_element(ratios, {}, by_ratio)),
              cost(*std::ranges::max_element(ratios, {}, by_ratio))};
}

std::vector<Overview> overviews(const std::vector<std::vector<Results>>& devices) {
  std::vector<Overview> all;
  std::map<std::string, std::size_t> names;
  for (const std::vector<Results>& device : devices) ++names[profile_of(device).name];
  for (std::size_t place = 0; place < devices.size(); ++place) {
    const std::vector<Results>& device = devices[place];
    const std::vector<EliminationData> parts = elimination_data(device);
    if (parts.empty()) continue;
    const EliminationData& most = *std::ranges::max_element(
        parts, {}, [](const EliminationData& data) { return all_contests(data).size(); });
    const DeviceProfile& profile = profile_of(device);
    all.push_back({names[profile.name] > 1
                       ? fmt::format("{}, driver {}", profile.name, profile.driver_version)
                       : profile.name,
                   place, most, verdict_of(most)});
  }
  return all;
}

std::optional<Figure> choices_figure(const Overview& overview) {
  constexpr std::pair<const char*, const char*> choices[] = {{"driver", "driver's default"},
                                                             {"lcm", "LCM rule"},
                                                             {"multiple", "preferred multiple"},
                                                             {"max", "largest"},
                                                             {"divisor", "largest divisor"},
                                                             {"fit", "fit"},
                                                             {"192", "192"},
                                                             {"256", "256"},
                                                             {"tuned", "tuned"}};
  Figure figure{
      "choices",
      "What each choice costs",
      "Medians over all n timed, and the range from the n that a choice suits best to the one "
      "that it suits worst; 1 is the best launch timed at each n.",
      {},
      {.label = "time over the best time", .unit = "times", .digits = 3}};
  Series series{"median and range over all n", Style::points};
  for (const auto& [rule, label] : choices) {
    const auto gain = overview.gain_over(rule);
    if (!gain) continue;
    add(series, static_cast<double>(figure.rows.size()),
        {gain->median, gain->least.ratio.median, gain->most.ratio.median, gain->count});
    figure.rows.emplace_back(label);
  }
  if (figure.rows.empty()) return std::nullopt;
  figure.series.push_back(std::move(series));
  figure.y.log = *std::ranges::max_element(figure.series.front().high) > kLogFrom;
  return figure;
}

namespace {

/// What the driver's groups were where the choice gains most over them.
std::string why_cell(const Overview& one, const Standing& choice) {
  const ByN contests = all_contests(one.data);
  const Timing* worst = nullptr;
  double most = 0;
  for (const auto& [n, contest] : contests) {
    const Timing* const driver = timed(contest, "driver");
    if (driver == nullptr || driver->chosen.empty()) continue;
    if (const double gain = driver->ms.median / contest.best()->ms.median; gain > most) {
      most = gain;
      worst = driver;
    }
  }
  if (worst == nullptr) return "what the driver chose was not recorded";
  std::string text = fmt::format("at n = {} the driver makes groups of {} (columns x rows)",
                                 worst->n, worst->chosen);
  if (choice.slower > 0)
    text += fmt::format("; at {} of {} n its own is faster", choice.slower, choice.count);
  return text;
}

}  // namespace

Table devices_table(const std::vector<Overview>& all) {
  Table table{
      "The devices side by side: what to do, and the speed over that with the driver's own "
      "groups (NULL)",
      {"device", "type", "do this", "median", "worst", "of n", "why"},
      {},
      false};
  for (const Overview& one : all) {
    std::vector<std::string> row{one.device, one.data.type};
    if (const auto& choice = one.verdict.choice) {
      row.insert(row.end(),
                 {without_quotes(advice_words(one.verdict)), significant(choice->gain, 3),
                  fmt::format("{} (n = {})", text_of(choice->worst_gain.ratio, 1, 3),
                              choice->worst_gain.n),
                  std::to_string(choice->count), why_cell(one, *choice)});
    } else {
      row.insert(row.end(), {without_quotes(advice_words(one.verdict)), "-", "-", "-",
                             "cannot be judged for all n: few n, or too noisy"});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Figure> devices_figures(const std::vector<Overview>& all) {
  std::vector<Figure> figures;
  if (all.size() < 2) return figures;
  if (const auto n = common_n(all)) figures.push_back(sizes_figure(all, *n));
  if (Figure driver = driver_figure(all); !driver.series.empty())
    figures.push_back(std::move(driver));
  return figures;
}

}  // namespace clgauss::tune::report
