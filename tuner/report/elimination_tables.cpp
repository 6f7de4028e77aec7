#include "tuner/report/elimination_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "statistics.hpp"
#include "tuner/measure/divisors.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::size_t kMostLines = 60;

/// What a launch costs over the best, or why it has no time.
std::string cost_cell(const ContestResult& contest, const Timing* timing) {
  if (timing == nullptr) return "-";
  if (!timing->ok()) return std::string(status_name(timing->status));
  const Timing& best = *contest.best();
  const std::string cost =
      timing == &best ? std::string("best")
                      : cost_words(ratio_of(*timing, best), contest.order_to_best(*timing));
  return timing->local > 0 ? fmt::format("{} ({})", cost, timing->local) : cost;
}

/// The ways of launching, as rows and tables name them.
constexpr std::pair<std::string_view, const char*> kWays[] = {
    {"", "two launches, padded"},
    {"SPLIT=exact", "two, exact"},
    {"SPLIT=round_up", "one, rounded up"},
    {"SPLIT=tall", "one, 1 column"},
    {"SPLIT=non_uniform", "one, non-uniform"}};

/// The ways that any of `contests` has.
std::vector<std::pair<std::string_view, const char*>> ways_of(const ByN& contests) {
  std::vector<std::pair<std::string_view, const char*>> ways;
  for (const auto& way : kWays)
    if (std::ranges::any_of(contests, [&](const auto& of_n) {
          return fastest_of(of_n.second, way.first) != nullptr;
        }))
      ways.push_back(way);
  return ways;
}

std::string device_cell(const Timing* timing) {
  return timing == nullptr || timing->device_ns.empty()
             ? "-"
             : significant(median(timing->device_ns) / 1e6, 4);
}

bool has_local(const Timing& timing, std::size_t local) {
  return std::ranges::find(timing.locals, local) != timing.locals.end();
}

std::string floor_cell(const ContestResult& contest) {
  return contest.floor > 0 ? fmt::format("{:.1f} %", 100 * contest.floor) : "-";
}

/// What is statistically tied with the best: the first few by name.
std::string tied_cell(const ContestResult& contest) {
  constexpr std::size_t most = 6;
  std::vector<const Timing*> tied = contest.indistinguishable();
  const std::size_t all = tied.size();
  tied.resize(std::min(all, most));
  return names_of(tied) + (all > most ? fmt::format(" and {} more", all - most) : "");
}

std::string ms_cell(const Timing* timing) {
  if (timing == nullptr) return "-";
  return timing->ok() ? text_of(timing->ms) : std::string(status_name(timing->status));
}

/// Of the best, from the operations that the kernel is known to do.
std::string rate_cell(const Timing& best) {
  return best.work > 0 ? significant(best.work / (1e6 * best.ms.median), 4) : "-";
}

/// One line of the distribution: which n it is of, and what was found at them.
struct Distribution {
  std::string what;
  std::size_t faster = 0, ties = 0, slower = 0;
  std::vector<double> over_rule, rule_over_best;

  void take(const ContestResult& contest) {
    const Timing *driver = contest.of_rule("driver"), *rule = contest.of_rule("lcm");
    if (driver == nullptr || rule == nullptr || !rule->ok()) return;
    rule_over_best.push_back(rule->ms.median / contest.best()->ms.median);
    if (!driver->ok()) {
      slower += driver->status == Status::timeout;
      return;
    }
    const Order order = contest.order(*driver, *rule);
    ++(order == Order::faster ? faster : order == Order::tie ? ties : slower);
    over_rule.push_back(driver->ms.median / rule->ms.median);
  }
};

std::string quantiles(const std::vector<double>& values) {
  if (values.empty()) return "-";
  std::string text;
  for (const double p : {0.0, 0.25, 0.5, 0.75, 1.0})
    text += (text.empty() ? "" : ", ") + significant(quantile(values, p), 3);
  return text;
}

}  // namespace

std::string cost_words(const Estimate& ratio, Order order) {
  if (order == Order::tie && !ratio.single()) return "tie";
  const bool times = ratio.median >= 3;
  const auto number = [&](double value) {
    return times ? significant(value, 3) : fmt::format("{:.1f}", 100 * (value - 1));
  };
  const std::string interval =
      ratio.single() ? std::string(" (single run)")
                     : fmt::format(" [{}, {}]", number(ratio.low), number(ratio.high));
  return times ? "x " + number(ratio.median) + interval
               : (ratio.median >= 1 ? "+" : "") + number(ratio.median) + interval + " %";
}

Table rules_table(const ByN& rules, std::optional<std::size_t> rule_local) {
  constexpr std::array<std::pair<const char*, const char*>, 11> named{{{"driver", "driver"},
                                                                       {"lcm", "LCM rule"},
                                                                       {"lcm_raw", "LCM raw"},
                                                                       {"lcm_lanes", "LCM, lanes"},
                                                                       {"multiple", "multiple"},
                                                                       {"max", "largest"},
                                                                       {"192", "192"},
                                                                       {"256", "256"},
                                                                       {"divisor", "divisor"},
                                                                       {"fit", "fit"},
                                                                       {"tuned", "tuned"}}};
  Table table{
      "What each rule costs over the best, at 95 %; sizes in brackets; tie: statistically tied "
      "with the best",
      {"n", "best, ms", "best, Gflop/s", "indistinguishable"},
      {},
      true};
  std::vector<std::pair<const char*, const char*>> present;
  for (const auto& rule : named)
    if (std::ranges::any_of(
            rules, [&](const auto& of_n) { return of_n.second.of_rule(rule.first) != nullptr; }))
      present.push_back(rule);
  for (const auto& [rule, label] : present) table.columns.emplace_back(label);
  const auto ways = ways_of(rules);
  if (ways.size() > 1)
    for (const auto& [parameters, label] : ways) table.columns.emplace_back(label);
  table.columns.emplace_back("A/A floor");
  for (const auto& [n, contest] : rules) {
    if (contest.best() == nullptr) continue;
    const Timing* const rule = contest.of_rule("lcm");
    const bool other_cores = rule_local && rule != nullptr && !has_local(*rule, *rule_local);
    std::vector<std::string> row{
        other_cores ? fmt::format("{}, --cores-per-cu", n) : std::to_string(n),
        text_of(contest.best()->ms), rate_cell(*contest.best()), tied_cell(contest)};
    for (const auto& [rule, label] : present)
      row.push_back(cost_cell(contest, contest.of_rule(rule)));
    if (ways.size() > 1)
      for (const auto& [parameters, label] : ways)
        row.push_back(cost_cell(contest, fastest_of(contest, parameters)));
    row.push_back(floor_cell(contest));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table outliers_table(const ByN& outliers, std::size_t limit) {
  Table table{"The driver's own size and the rules', ms",
              {"n", "n + 1", "largest divisor", "driver", "LCM rule", "divisor's", "driver / rule"},
              {},
              true};
  if (outliers.size() > kMostLines) return table;
  for (const auto& [n, contest] : outliers) {
    const Timing *driver = contest.of_rule("driver"), *rule = contest.of_rule("lcm");
    if (driver == nullptr || rule == nullptr) continue;
    std::string over = "-";
    if (driver->ok() && rule->ok()) {
      over = text_of(ratio_of(*driver, *rule), 1, 3);
      if (contest.order(*driver, *rule) == Order::tie) over += " tie";
    }
    table.rows.push_back({std::to_string(n), is_prime(n + 1) ? "prime" : "",
                          std::to_string(largest_divisor(n + 1, std::max<std::size_t>(limit, 1))),
                          ms_cell(driver), ms_cell(rule), ms_cell(contest.of_rule("divisor")),
                          over});
  }
  return table;
}

Table distribution_table(const ByN& outliers, std::size_t limit) {
  std::vector<Distribution> parts{
      {"all n", 0, 0, 0, {}, {}},
      {"n + 1 prime", 0, 0, 0, {}, {}},
      {"n + 1 composite", 0, 0, 0, {}, {}},
      {fmt::format("divisor below {}", kSmallDivisor), 0, 0, 0, {}, {}},
      {fmt::format("divisor of {} to 127", kSmallDivisor), 0, 0, 0, {}, {}},
      {"divisor of 128 and more", 0, 0, 0, {}, {}}};
  for (const auto& [n, contest] : outliers) {
    const std::size_t divisor = largest_divisor(n + 1, std::max<std::size_t>(limit, 1));
    parts[0].take(contest);
    parts[is_prime(n + 1) ? 1 : 2].take(contest);
    parts[divisor < kSmallDivisor ? 3 : divisor < 128 ? 4 : 5].take(contest);
  }
  Table table{"Over all n timed, not the worst only; quantiles 0, 25, 50, 75, 100 %",
              {"", "n", "driver faster", "tie", "slower", "driver / rule", "rule / best"},
              {},
              true};
  for (const Distribution& part : parts) {
    if (part.rule_over_best.empty()) continue;
    table.rows.push_back({part.what, std::to_string(part.rule_over_best.size()),
                          std::to_string(part.faster), std::to_string(part.ties),
                          std::to_string(part.slower), quantiles(part.over_rule),
                          quantiles(part.rule_over_best)});
  }
  return table;
}

Table sweep_table(const ByN& sweep) {
  Table table{"The sweeps: the best size at each n, what is tied with it, and the worst",
              {"n", "best", "best, ms", "best, Gflop/s", "indistinguishable", "worst",
               "worst / best", "A/A floor", "sizes", "failed"},
              {},
              true};
  for (const auto& [n, contest] : sweep) {
    const Timing* best = contest.best();
    const auto ok = static_cast<std::size_t>(std::ranges::count_if(contest.timings, &Timing::ok));
    if (best == nullptr) {
      table.rows.push_back({std::to_string(n), "-", "-", "-", "-", "-", "-", "-", "0",
                            std::to_string(contest.timings.size())});
      continue;
    }
    const Timing* worst = best;
    for (const Timing& timing : contest.timings)
      if (timing.ok() && timing.ms.median > worst->ms.median) worst = &timing;
    table.rows.push_back({std::to_string(n), best->name(), text_of(best->ms), rate_cell(*best),
                          tied_cell(contest), worst->name(),
                          text_of(ratio_of(*worst, *best), 1, 3) +
                              (contest.order(*worst, *best) == Order::tie ? " tie" : ""),
                          floor_cell(contest), std::to_string(ok),
                          std::to_string(contest.timings.size() - ok)});
  }
  return table;
}

Table other_kernels_table(const std::map<std::string, ByN>& kernels) {
  Table table{"The elimination's other kernels, all their steps",
              {"kernel", "n", "best", "best, ms", "best, Gflop/s", "indistinguishable", "worst",
               "worst / best"},
              {},
              true};
  for (const auto& [kernel, sweep] : kernels) {
    const Table one = sweep_table(sweep);
    for (const auto& row : one.rows)
      table.rows.push_back({kernel, row[0], row[1], row[2], row[3], row[4], row[5], row[6]});
  }
  return table;
}

Table launches_table(const ByN& rules) {
  Table table{
      "What the driver chose where it was left to it (columns x rows), and where the time goes; "
      "device: the sum of all launches' events, which includes what a launch costs where "
      "launches are short",
      {"n", "driver's group", "its query says", "driver, ms", "on the device", "best", "best, ms",
       "on the device", "a launch of one work-item, us"},
      {},
      true};
  for (const auto& [n, contest] : rules) {
    const Timing* const driver = contest.of_rule("driver");
    if (driver == nullptr || driver->chosen.empty() || contest.best() == nullptr) continue;
    const auto launch = std::ranges::find(contest.empty, kOneItem, &Timing::parameters);
    const bool known = launch != contest.empty.end() && launch->ok();
    table.rows.push_back(
        {std::to_string(n), driver->chosen, driver->suggested.empty() ? "-" : driver->suggested,
         ms_cell(driver), device_cell(driver), contest.best()->name(), ms_cell(contest.best()),
         device_cell(contest.best()),
         known ? significant(1e3 * launch->ms.median / static_cast<double>(n - 1), 3) : "-"});
  }
  return table;
}

Table solve_table(const ByN& solve) {
  Table table{
      "The whole solve by its four kernels, gauss_fwd alone with a size: cost over the best",
      {"n", "best", "best, ms", "driver"},
      {},
      true};
  const auto ways = ways_of(solve);
  for (const auto& [parameters, label] : ways) table.columns.emplace_back(label);
  table.columns.emplace_back("A/A floor");
  for (const auto& [n, contest] : solve) {
    if (contest.best() == nullptr) continue;
    std::vector<std::string> row{std::to_string(n), contest.best()->name(), ms_cell(contest.best()),
                                 cost_cell(contest, contest.of_rule("driver"))};
    for (const auto& [parameters, label] : ways)
      row.push_back(cost_cell(contest, fastest_of(contest, parameters)));
    row.push_back(floor_cell(contest));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table published_table(const ByN& sweep) {
  constexpr std::size_t shown[] = {1, 32, 192, 256, 512, 1024};
  Table table{
      "Figures 3 to 6 of the source: times over the best time, GeForce GT 555M (whole solve, f32) "
      "/ here",
      {"n", "best size"},
      {},
      true};
  for (const std::size_t local : shown) table.columns.push_back(fmt::format("size {}", local));
  const auto published = published::elimination_times();
  for (const auto& [n, contest] : sweep) {
    const auto theirs = published.find(n);
    if (theirs == published.end() || contest.best() == nullptr) continue;
    const auto& times = theirs->second;
    const auto best =
        std::ranges::min_element(times, {}, [](const auto& one) { return one.second; });
    std::vector<std::string> row{std::to_string(n),
                                 fmt::format("{} / {}", best->first, contest.best()->name())};
    for (const std::size_t local : shown) {
      const auto at = times.find(local);
      const auto here = std::ranges::find_if(contest.timings, [&](const Timing& timing) {
        return timing.ok() && has_local(timing, local);
      });
      row.push_back(fmt::format("{} / {}",
                                at == times.end() ? "-" : significant(at->second / best->second, 3),
                                here == contest.timings.end()
                                    ? "-"
                                    : significant(here->ms.median / contest.best()->ms.median, 3)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace clgauss::tune::report
