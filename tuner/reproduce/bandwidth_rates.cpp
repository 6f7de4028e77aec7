#include "tuner/reproduce/bandwidth_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "tuner/reproduce/claims.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune {

const char* variant_of(unsigned width) { return width == 4 ? "float4" : "float"; }

namespace {

/// The number of NAME=NUMBER; empty where there is none.
std::optional<std::size_t> number_of(const std::string& parameters) {
  const std::size_t sign = parameters.find('=');
  std::size_t number = 0;
  if (sign == std::string::npos) return std::nullopt;
  const char* const end = parameters.data() + parameters.size();
  return std::from_chars(parameters.data() + sign + 1, end, number).ec == std::errc{}
             ? std::optional(number)
             : std::nullopt;
}

/// The group size and, behind GROUPS=, the number of groups.
std::pair<std::size_t, std::size_t> place(const Row& row) {
  return {row.local, number_of(row.parameters).value_or(0)};
}

}  // namespace

Rates::Rates(const Measured& measured, std::size_t size) {
  for (const Point& point : measured.points()) {
    const Row& row = point.row;
    if (row.n != size || point.times_ns.empty()) continue;
    const Estimate ns = estimate(point.times_ns);
    if (row.kernel == "empty")
      empty_ns_[place(row)] = ns.median;
    else if (row.kernel == "copy") {
      copy_ = row.work / ns.median;
      units_ = number_of(row.parameters);
    } else if (row.kernel == "arithmetic")
      arithmetic_ms_ = Estimate{ns.median / 1e6, ns.low / 1e6, ns.high / 1e6, ns.count};
    else
      walks_.emplace_back(row, ns);
  }
}

std::vector<Rate> Rates::of(
    const ArrayAccess& access,
    const std::function<bool(std::size_t local, std::size_t groups)>& wanted) const {
  std::vector<Rate> rates;
  for (const auto& [row, ns] : walks_) {
    const auto [local, groups] = place(row);
    if (row.kernel != access.kernel() || row.variant != variant_of(access.width) ||
        !wanted(local, groups))
      continue;
    const auto empty = empty_ns_.find({local, groups});
    const double empty_ns = empty == empty_ns_.end() ? 0 : empty->second;
    if (ns.low > empty_ns)
      rates.push_back({local, groups, row.work / (ns.median - empty_ns),
                       row.work / (ns.high - empty_ns), row.work / (ns.low - empty_ns)});
  }
  return rates;
}

std::optional<Estimate> Rates::walk_ms(const ArrayAccess& access, const GroupedRange& range) const {
  for (const auto& [row, ns] : walks_)
    if (row.kernel == access.kernel() && row.variant == variant_of(access.width) &&
        place(row) == Place{range.local, range.groups})
      return Estimate{ns.median / 1e6, ns.low / 1e6, ns.high / 1e6, ns.count};
  return std::nullopt;
}

std::vector<Rate> Rates::over_locals(bool write) const {
  auto rates =
      of({write, false, 1}, [](std::size_t, std::size_t groups) { return groups == kSweepGroups; });
  std::ranges::sort(rates, {}, &Rate::local);
  return rates;
}

std::vector<Rate> Rates::over_groups(bool write) const {
  auto rates =
      of({write, false, 1}, [](std::size_t local, std::size_t) { return local == kSweepLocal; });
  std::ranges::sort(rates, {}, &Rate::groups);
  return rates;
}

std::optional<Rate> best_of(const std::vector<Rate>& rates) {
  const auto best = std::ranges::max_element(rates, {}, &Rate::gb_per_s);
  return best == rates.end() ? std::nullopt : std::optional<Rate>(*best);
}

std::optional<double> vendor_peak(std::string_view device) {
  if (device.find("H200") != std::string_view::npos) return 4800;
  if (device.find("8800 GTX") != std::string_view::npos) return published::bandwidth_peak();
  return std::nullopt;
}

namespace {

std::optional<double> rate_of(const std::optional<Rate>& rate) {
  return rate ? std::optional<double>(rate->gb_per_s) : std::nullopt;
}

std::optional<Estimate> estimate_of(const std::optional<Rate>& rate) {
  return rate ? std::optional(rate->estimate()) : std::nullopt;
}

/// The mean, and those of all lower and all upper bounds: an interval that is too wide rather than
/// too narrow.
std::optional<Estimate> mean_of(const std::vector<Rate>& rates,
                                const std::function<bool(const Rate&)>& wanted) {
  Estimate sum;
  double count = 0;
  for (const Rate& rate : rates) {
    if (!wanted(rate)) continue;
    sum.median += rate.gb_per_s;
    sum.low += rate.low;
    sum.high += rate.high;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return Estimate{sum.median / count, sum.low / count, sum.high / count, 2};
}

std::optional<double> percent(const std::optional<double>& rate,
                              const std::optional<double>& peak) {
  const auto share = ratio(rate, peak);
  return share ? std::optional<double>(100 * *share) : std::nullopt;
}

/// The document's table 1, with writes: rates at 1024 groups, the best of the group sizes.
Table table_1(const Rates& rates, std::size_t size, const std::optional<double>& peak) {
  const auto best = [&](const ArrayAccess& access) {
    return best_of(rates.of(access, [](std::size_t local, std::size_t groups) {
      return groups == kSweepGroups && std::ranges::find(kTableLocals, local) != kTableLocals.end();
    }));
  };
  Table table{
      fmt::format("Array of {0} x {0}, {1} groups; published: GeForce 8800 GTX, 12288 x 12288",
                  size, kSweepGroups),
      {"access", "published GB/s", "% of peak", "rows / columns", "here GB/s", "% of peak",
       "rows / columns", "best local size"},
      {},
      true};
  for (const bool write : {false, true})
    for (const unsigned width : {1U, 4U})
      for (const bool by_columns : {false, true}) {
        const auto here = best({write, by_columns, width});
        const auto published =
            write ? std::nullopt
                  : std::optional<double>(published::bandwidth_gb_per_s(by_columns, width));
        const auto published_columns =
            by_columns ? std::nullopt
                       : std::optional<double>(published::bandwidth_gb_per_s(true, width));
        const auto columns = by_columns ? std::nullopt : rate_of(best({write, true, width}));
        table.rows.push_back(
            {fmt::format("{} {} by {}", write ? "write" : "read", variant_of(width),
                         by_columns ? "columns" : "rows"),
             cell(published), cell(percent(published, published::bandwidth_peak())),
             cell(ratio(published, published_columns)), cell(estimate_of(here)),
             cell(percent(rate_of(here), peak)), cell(ratio(rate_of(here), columns)),
             here ? std::to_string(here->local) : "-"});
      }
  return table;
}

/// The sweep of the group size: by what the size is a multiple of, and before and after the
/// document's cliff.
Table local_table(const Rates& rates) {
  const std::vector<Rate> reads = rates.over_locals(false), writes = rates.over_locals(true);
  Table table{fmt::format("Sweep of the work-group size at {} groups, float by rows, mean GB/s",
                          kSweepGroups),
              {"work-group sizes", "published reads", "reads", "writes"},
              {},
              true};
  const auto add = [&](const std::string& what, const std::string& published,
                       const std::function<bool(const Rate&)>& wanted) {
    const auto read = mean_of(reads, wanted), write = mean_of(writes, wanted);
    if (read || write) table.rows.push_back({what, published, cell(read), cell(write)});
  };
  const auto largest_divisor = [](std::size_t local) {
    for (const std::size_t divisor : {32U, 16U, 8U, 4U})
      if (local % divisor == 0) return divisor;
    return std::size_t{1};
  };
  const auto divided_by = [&](std::size_t divisor) {
    return [=](const Rate& rate) {
      return rate.local >= 64 && largest_divisor(rate.local) == divisor;
    };
  };
  add("16", "3 to 4 times below the best", [](const Rate& rate) { return rate.local == 16; });
  add("32", "1.5 to 2 times below", [](const Rate& rate) { return rate.local == 32; });
  add("multiples of 32 from 64 on", "65 to 70", divided_by(32));
  add("of 16 only", "a little less", divided_by(16));
  add("of 8 only", "clearly less", divided_by(8));
  add("of 4 only", "above the rest", divided_by(4));
  add("others", "about 10", divided_by(1));
  add("multiples of 32, 192 to 384", "the best", [](const Rate& rate) {
    return rate.local % 32 == 0 && rate.local >= 192 && rate.local <= 384;
  });
  add("multiples of 32, 416 to 512", "a steep fall after 384", [](const Rate& rate) {
    return rate.local % 32 == 0 && rate.local > 384 && rate.local <= 512;
  });
  return table;
}

/// The document's peaks.
bool is_peak(const Rate& rate) {
  return rate.groups == 256 || rate.groups == 512 || rate.groups == 640 || rate.groups == 768;
}

/// The sweep of the number of groups: where 95 % of the best begins, and the document's peaks.
Table groups_table(const Rates& rates) {
  Table table{
      fmt::format("Sweep of the number of groups, {} work-items each, float by rows", kSweepLocal),
      {"", "best GB/s", "with groups", "95 % of it from", "1 group, GB/s",
       "256, 512, 640, 768 over the others from 256"},
      {{"published reads", "-", "256, 512, 640, 768", "32", "-", "above 1"}},
      true};
  for (const bool write : {false, true}) {
    const std::vector<Rate> all = rates.over_groups(write);
    const auto best = best_of(all);
    if (all.size() < 2) continue;
    const auto enough = std::ranges::find_if(
        all, [&](const Rate& rate) { return rate.gb_per_s >= 0.95 * best->gb_per_s; });
    const auto peaks = mean_of(all, is_peak);
    const auto upper =
        mean_of(all, [](const Rate& rate) { return rate.groups >= 256 && !is_peak(rate); });
    table.rows.push_back({write ? "writes here" : "reads here", cell(estimate_of(best)),
                          std::to_string(best->groups), std::to_string(enough->groups),
                          cell(mean_of(all, [](const Rate& rate) { return rate.groups == 1; })),
                          cell(ratio(peaks, upper))});
  }
  if (table.rows.size() == 1) table.rows.clear();  // no sweep to compare with
  return table;
}

/// On the number of groups: by the device's units where these are known, else by the document's own
/// numbers, which are of a device of 16 units. `means` judges a ratio of means.
void add_groups_claims(const auto& means, const Rates& rates) {
  const std::vector<Rate> all = rates.over_groups(false);
  const auto at = [&](const std::vector<std::size_t>& groups) {
    return mean_of(all, [&](const Rate& one) {
      return std::ranges::find(groups, one.groups) != groups.end();
    });
  };
  const auto best = estimate_of(best_of(all));
  if (!rates.units()) {
    means("256, 512, 640 and 768 groups are peaks, above the others from 256 on", "figure",
          mean_of(all, is_peak),
          mean_of(all, [](const Rate& one) { return one.groups > 256 && !is_peak(one); }), 1);
    const auto at_32 = at({32});
    means("32 groups of 256 reach nearly the best, over 0.9 of it", "nearly", at_32,
          at_32 ? best : std::nullopt, 0.9);
    means("64 groups of 128 reach nearly the best, over 0.9 of it", "nearly", std::nullopt, best,
          0.9);
    return;
  }
  const std::size_t units = *rates.units();
  const std::vector<std::size_t> peaks{16 * units, 32 * units, 40 * units, 48 * units};
  means("16, 32, 40 and 48 groups a unit (256 to 768 on its 16) are peaks", "figure", at(peaks),
        mean_of(all,
                [&](const Rate& one) {
                  return one.groups > 16 * units &&
                         std::ranges::find(peaks, one.groups) == peaks.end();
                }),
        1);
  const auto at_2 = at({2 * units});
  means("2 groups a unit (32 on its 16) reach over 0.9 of the best", "nearly", at_2,
        at_2 ? best : std::nullopt, 0.9);
  const auto of_128 = estimate_of(
      best_of(rates.of({false, false, 1}, [units](std::size_t local, std::size_t groups) {
        return local == kFewLocal && groups == kFewRounds * units;
      })));
  means("4 groups of 128 a unit (64 on its 16) reach over 0.9 of the best", "nearly", of_128, best,
        0.9);
  means("a saw-tooth: 1, 2 and 4 groups a unit are over 1.1 times as fast as one more",
        "15 to 20 %", at({units, 2 * units, 4 * units}),
        at({units + 1, 2 * units + 1, 4 * units + 1}), 1.1);
}

std::vector<Claim> bandwidth_claims(const Rates& rates, const Judge& judge,
                                    std::optional<double> peak) {
  const auto at_1024 = [](std::size_t, std::size_t groups) { return groups == kSweepGroups; };
  const auto best = [&](const ArrayAccess& access) {
    return estimate_of(best_of(rates.of(access, at_1024)));
  };
  const std::string not_run = "not measured";
  const auto rows = best({false, false, 1}), columns = best({false, true, 1}),
             rows_4 = best({false, false, 4}), columns_4 = best({false, true, 4});
  const auto rate = [](bool by_columns, unsigned width) {
    return published::bandwidth_gb_per_s(by_columns, width);
  };
  const auto printed = [](double value) { return significant(value, 3) + " times"; };
  std::vector<Claim> claims{
      judge.over("by rows floats are read many times, over 10, as fast as by columns",
                 printed(rate(false, 1) / rate(true, 1)), ratio(rows, columns), 10, not_run),
      judge.over("by rows float4 is slower than float", printed(rate(false, 1) / rate(false, 4)),
                 ratio(rows, rows_4), 1, not_run),
      judge.over("by columns float4 is about four times, over 3, as fast as float",
                 printed(rate(true, 4) / rate(true, 1)), ratio(columns_4, columns), 3, not_run)};
  if (rows && peak)
    claims.push_back(
        {"by rows over four fifths of the peak are reached",
         fmt::format("{:.0f} % of {} GB/s", 100 * rate(false, 1) / published::bandwidth_peak(),
                     published::bandwidth_peak()),
         fmt::format("{:.0f} [{:.0f}, {:.0f}] % of {:.4g} GB/s", 100 * rows->median / *peak,
                     100 * rows->low / *peak, 100 * rows->high / *peak, *peak),
         held(rows->low > 0.8 * *peak)});
  const std::vector<Rate> reads = rates.over_locals(false);
  const auto mean = [&](std::size_t first, std::size_t last, std::size_t divisor,
                        std::size_t not_divisor) {
    return mean_of(reads, [=](const Rate& one) {
      return one.local >= first && one.local <= last && one.local % divisor == 0 &&
             (not_divisor == 0 || one.local % not_divisor != 0);
    });
  };
  const auto means = [&](const char* claim, const char* published, const std::optional<Estimate>& a,
                         const std::optional<Estimate>& b, double least) {
    Claim judged =
        judge.over(claim, published, ratio(a, b), least, "those sizes were not measured");
    if (a && b) judged.here += fmt::format(" times (means {} and {} GB/s)", cell(a), cell(b));
    claims.push_back(std::move(judged));
  };
  means("teeth, over 2 times: multiples of 16 against sizes that 4 does not divide", "6 to 7 times",
        mean(64, 512, 16, 0),
        mean_of(reads, [](const Rate& one) { return one.local >= 64 && one.local % 4 != 0; }), 2);
  means("groups of 16 are at least 3 times too slow", "3 to 4 times", mean(192, 384, 32, 0),
        mean(16, 16, 16, 0), 3);
  means("a steep fall after 384, over 1.1 times", "figure", mean(192, 384, 32, 0),
        mean(416, 512, 32, 0), 1.1);
  add_groups_claims(means, rates);
  for (const auto& [claim, why] :
       {std::pair("by columns, textures are much faster", "no kernel here reads an image"),
        std::pair("batches of inverses of 32 x 32 (a reader)",
                  "docs/performance_tables.md times them"),
        std::pair("writes are 19 of 20 minutes of comparing X with Y (a reader)",
                  "no kernel here compares"),
        std::pair("a download brings about 1 GB/s", "matmul-ladder times copies")})
    claims.push_back(unjudged(claim, "stated", why));
  const auto walk_ms = rates.walk_ms({false, false, 1}, {kSweepLocal, kSweepGroups});
  if (rates.arithmetic_ms() && walk_ms)
    claims.push_back(judge.over("the arithmetic takes less than half of the walk", "not stated",
                                *walk_ms / *rates.arithmetic_ms(), 2, not_run));
  else
    claims.push_back(
        unjudged("the arithmetic takes less than half of the walk", "not stated", not_run));
  return claims;
}

}  // namespace

/// How much of the sweeps ran, and whether the rate was flat at the end of that of groups.
std::string sweeps_words(const Rates& rates) {
  const std::vector<Rate> locals = rates.over_locals(false), groups = rates.over_groups(false);
  const auto swept = std::ranges::count_if(
      locals, [](const Rate& one) { return one.local >= kFirstLocal && one.local <= kLastLocal; });
  std::string text = fmt::format("The sweeps hold {} of {} group sizes and {} numbers of groups",
                                 swept, kAllLocals, groups.size());
  if (groups.size() < 2) return text + ".";
  const std::size_t last = groups.back().groups;
  double before = 0, after = 0;
  for (const Rate& one : groups)
    (2 * one.groups <= last ? before : after) =
        std::max(one.gb_per_s, 2 * one.groups <= last ? before : after);
  return text +
         fmt::format(", up to {}{}.", last,
                     after > 1.02 * before
                         ? fmt::format("; beyond {} the rate still rises", last / 2)
                         : fmt::format("; from {} on the rate is flat within 2 %", last / 2));
}

Findings bandwidth_findings(const std::vector<Row>& rows) {
  const Measured measured(rows);
  Findings findings;
  std::vector<Table> claims;
  for (const std::size_t size : measured.sizes_of("sum_rows")) {
    const Rates rates(measured, size);
    const auto vendor = vendor_peak(rows.front().device);
    findings.remarks.push_back(fmt::format(
        "Array of {0} x {0}: a copy moves {1} GB/s; percentages are of {2}. The time of an empty "
        "launch is taken off.{3}",
        size, cell(rates.copy()),
        vendor ? fmt::format("the vendor's {} GB/s", *vendor) : "that, no vendor's figure is known",
        size < 12288 ? " An array smaller than the document's may lie in caches." : ""));
    findings.remarks.push_back(sweeps_words(rates));
    findings.tables.push_back(table_1(rates, size, vendor ? vendor : rates.copy()));
    findings.tables.push_back(local_table(rates));
    findings.tables.push_back(groups_table(rates));
    claims.push_back(table_of(
        bandwidth_claims(rates, Judge(measured.floor(size)), vendor ? vendor : rates.copy())));
  }
  std::ranges::move(control_remarks(measured), std::back_inserter(findings.remarks));
  findings.tables.push_back(untimed_table(measured));
  std::ranges::move(claims, std::back_inserter(findings.tables));
  return findings;
}

}  // namespace clgauss::tune
