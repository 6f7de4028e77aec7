#include "tuner/report/elimination_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "statistics.hpp"
#include "tuner/measure/divisors.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::size_t kMostLines = 60;

/// What a launch costs over the best, or why it has no time.
std::string cost_cell(const ContestResult& contest, const Timing* timing) {
  if (timing == nullptr) return "-";
  if (!timing->ok()) return std::string(status_name(timing->status));
  const Timing& best = *contest.best();
  const std::string cost = timing == &best
                               ? std::string("best")
                               : cost_words(ratio_of(*timing, best), contest.order(*timing, best));
  return timing->local > 0 ? fmt::format("{} ({})", cost, timing->local) : cost;
}

const Timing* split_of(const ContestResult& contest, std::string_view parameters) {
  const auto found = std::ranges::find_if(contest.timings, [&](const Timing& timing) {
    return timing.has_rule("256") && timing.parameters == parameters;
  });
  return found == contest.timings.end() ? nullptr : &*found;
}

bool has_local(const Timing& timing, std::size_t local) {
  return std::ranges::find(timing.locals, local) != timing.locals.end();
}

std::string floor_cell(const ContestResult& contest) {
  return contest.floor > 0 ? fmt::format("{:.1f} %", 100 * contest.floor) : "-";
}

std::string ms_cell(const Timing* timing) {
  if (timing == nullptr) return "-";
  return timing->ok() ? text_of(timing->ms) : std::string(status_name(timing->status));
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
  constexpr std::array<std::pair<const char*, const char*>, 10> named{{{"driver", "driver"},
                                                                       {"lcm", "LCM rule"},
                                                                       {"lcm_raw", "LCM raw"},
                                                                       {"lcm_lanes", "LCM, lanes"},
                                                                       {"multiple", "multiple"},
                                                                       {"max", "largest"},
                                                                       {"192", "192"},
                                                                       {"256", "256"},
                                                                       {"divisor", "divisor"},
                                                                       {"tuned", "tuned"}}};
  Table table{
      "What each rule costs over the best, at 95 %; sizes in brackets; tie: not told from the best",
      {"n", "best, ms", "indistinguishable"},
      {},
      true};
  std::vector<std::pair<const char*, const char*>> present;
  for (const auto& rule : named)
    if (std::ranges::any_of(
            rules, [&](const auto& of_n) { return of_n.second.of_rule(rule.first) != nullptr; }))
      present.push_back(rule);
  for (const auto& [rule, label] : present) table.columns.emplace_back(label);
  std::vector<const char*> splits;
  for (const auto& [split, label] : {std::pair{"SPLIT=round_up", "256 rounded up"},
                                     std::pair{"SPLIT=non_uniform", "256 non-uniform"}})
    if (std::ranges::any_of(
            rules, [&](const auto& of_n) { return split_of(of_n.second, split) != nullptr; })) {
      splits.push_back(split);
      table.columns.emplace_back(label);
    }
  table.columns.emplace_back("A/A floor");
  for (const auto& [n, contest] : rules) {
    if (contest.best() == nullptr) continue;
    const Timing* const rule = contest.of_rule("lcm");
    const bool other_cores = rule_local && rule != nullptr && !has_local(*rule, *rule_local);
    std::vector<std::string> row{
        other_cores ? fmt::format("{}, --cores-per-cu", n) : std::to_string(n),
        text_of(contest.best()->ms), names_of(contest.indistinguishable())};
    for (const auto& [rule, label] : present)
      row.push_back(cost_cell(contest, contest.of_rule(rule)));
    for (const char* split : splits) row.push_back(cost_cell(contest, split_of(contest, split)));
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
  Table table{"The sweeps: the best size at each n, what cannot be told from it, and the worst",
              {"n", "best", "best, ms", "indistinguishable", "worst", "worst / best", "A/A floor",
               "sizes", "failed"},
              {},
              true};
  for (const auto& [n, contest] : sweep) {
    const Timing* best = contest.best();
    const auto ok = static_cast<std::size_t>(std::ranges::count_if(contest.timings, &Timing::ok));
    if (best == nullptr) {
      table.rows.push_back({std::to_string(n), "-", "-", "-", "-", "-", "-", "0",
                            std::to_string(contest.timings.size())});
      continue;
    }
    const Timing* worst = best;
    for (const Timing& timing : contest.timings)
      if (timing.ok() && timing.ms.median > worst->ms.median) worst = &timing;
    table.rows.push_back({std::to_string(n), best->name(), text_of(best->ms),
                          names_of(contest.indistinguishable()), worst->name(),
                          text_of(ratio_of(*worst, *best), 1, 3) +
                              (contest.order(*worst, *best) == Order::tie ? " tie" : ""),
                          floor_cell(contest), std::to_string(ok),
                          std::to_string(contest.timings.size() - ok)});
  }
  return table;
}

Table other_kernels_table(const std::map<std::string, ByN>& kernels) {
  Table table{"The elimination's other kernels, all their steps",
              {"kernel", "n", "best", "best, ms", "indistinguishable", "worst", "worst / best"},
              {},
              true};
  for (const auto& [kernel, sweep] : kernels) {
    const Table one = sweep_table(sweep);
    for (const auto& row : one.rows)
      table.rows.push_back({kernel, row[0], row[1], row[2], row[3], row[4], row[5]});
  }
  return table;
}

}  // namespace clgauss::tune::report
