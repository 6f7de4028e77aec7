/// Tutubalin, "NVidia 8800GTX: memory bandwidth" (2007), and the same for writes, which its readers asked for.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics.hpp"
#include "tuner/reproduce/array_bench.hpp"
#include "tuner/reproduce/lazy.hpp"
#include "tuner/reproduce/matmul_bench.hpp"
#include "tuner/reproduce/published.hpp"
#include "tuner/reproduce/reproduction.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kGroups = 1024;  // of the sweep of the group size, and of the table
constexpr std::size_t kLocal = 256;    // of the sweep of the number of groups
constexpr std::array<std::size_t, 6> kTableLocals{64, 128, 192, 256, 384, 512};

std::vector<std::size_t> steps(std::size_t first, std::size_t last, std::size_t step) {
  std::vector<std::size_t> values;
  for (std::size_t value = first; value <= last; value += step) values.push_back(value);
  return values;
}

/// The document's sweep on a GPU; on a CPU, where a point takes a thousand times as long, every 16th size.
std::vector<std::size_t> sweep_locals(const Laboratory& laboratory) {
  if (!laboratory.options.locals.empty()) return laboratory.options.locals;
  return steps(16, 512, laboratory.context.profile().type == DeviceType::gpu ? 1 : 16);
}

/// Every number of groups up to 1024 on a GPU; on a CPU powers of 2 and their halves, and the peaks of the document.
std::vector<std::size_t> sweep_groups(const Laboratory& laboratory) {
  if (!laboratory.options.groups.empty()) return laboratory.options.groups;
  if (laboratory.context.profile().type == DeviceType::gpu) return steps(1, 1024, 1);
  return {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024};
}

std::string groups_parameter(std::size_t groups) { return fmt::format("GROUPS={}", groups); }
const char* variant_of(unsigned width) { return width == 4 ? "float4" : "float"; }

/// Makes the cases, each configuration once.
class BandwidthCases {
 public:
  BandwidthCases(const Laboratory& laboratory, std::size_t size)
      : laboratory_(laboratory),
        size_(size),
        bench_([&context = laboratory.context, size, timing = laboratory.options.timing] {
          return std::make_unique<ArrayBench>(context, size, timing);
        }) {}

  [[nodiscard]] std::vector<Case> all() {
    add(row("copy", "", "walk"), [bench = bench_] { return bench->copy(); });
    for (const bool write : {false, true})
      for (const bool by_columns : {false, true})
        for (const unsigned width : {1U, 4U})
          for (const std::size_t local : kTableLocals)
            add_walk({write, by_columns, width}, {local, kGroups});
    for (const bool write : {false, true}) {
      for (const std::size_t local : sweep_locals(laboratory_))
        add_walk({write, false, 1}, {local, kGroups});
      for (const std::size_t groups : sweep_groups(laboratory_))
        add_walk({write, false, 1}, {kLocal, groups});
    }
    return std::move(cases_);
  }

  /// The one row of an array that does not fit.
  [[nodiscard]] std::vector<Case> refused(const Outcome& outcome) {
    add(row("sum_rows", variant_of(1), "walk"), [outcome] { return outcome; });
    return std::move(cases_);
  }

 private:
  [[nodiscard]] Row row(const char* kernel, const char* variant, const char* part) const {
    Row one = row_for(laboratory_.info);
    one.kernel = kernel;
    one.variant = variant;
    one.part = part;
    one.n = size_;
    one.work = static_cast<double>(size_ * size_ * sizeof(float));
    return one;
  }

  void add(const Row& row, std::function<Outcome()> measure) {
    if (keys_.insert(row.key()).second) cases_.push_back(single_case(row, std::move(measure)));
  }

  void add_walk(const ArrayAccess& access, const GroupedRange& range) {
    Row walk = row(access.kernel(), variant_of(access.width), "walk");
    walk.local = range.local;
    walk.parameters = groups_parameter(range.groups);
    Row empty = walk;
    empty.kernel = "empty";
    empty.variant = "";
    empty.part = "launch";
    empty.work = 0;
    add(empty, [bench = bench_, range] { return bench->empty(range); });
    add(walk, [bench = bench_, access, range] { return bench->walk(access, range); });
  }

  const Laboratory& laboratory_;
  std::size_t size_;
  Lazy<ArrayBench> bench_;
  std::vector<Case> cases_;
  std::set<std::string> keys_;
};

std::vector<Case> bandwidth_cases(const Laboratory& laboratory) {
  std::vector<std::size_t> sizes = laboratory.options.sizes;
  if (sizes.empty()) sizes = {largest_array_size(laboratory.context.profile())};
  std::vector<Case> cases;
  for (const std::size_t size : sizes) {
    const Outcome room = guarded([&]() -> Outcome {
      laboratory.context.require_memory(size * size * sizeof(float),
                                        fmt::format("an array of {0} x {0}", size));
      return {};
    });
    BandwidthCases maker(laboratory, size);
    std::ranges::move(room.status == Status::ok ? maker.all() : maker.refused(room),
                      std::back_inserter(cases));
  }
  return cases;
}

/// What vendors say of their memory, GB/s, where a device's name tells it apart.
std::optional<double> vendor_peak(std::string_view device) {
  if (device.find("H200") != std::string_view::npos) return 4800;
  if (device.find("8800 GTX") != std::string_view::npos) return published::kBandwidthPeak;
  return std::nullopt;
}

/// The rates of the rows of one array.
class Rates {
 public:
  Rates(const Measured& measured, std::size_t size) : measured_(measured), size_(size) {
    for (const Point& point : measured.points()) {
      if (point.row.n != size || point.times_ns.empty()) continue;
      const double ns = median(point.times_ns);
      if (point.row.kernel == "empty")
        empty_ns_[place(point.row)] = ns;
      else
        walks_.emplace_back(&point.row, ns);
    }
  }

  struct Rate {
    std::size_t local, groups;
    double gb_per_s;
  };

  /// All rates of one access, the empty launch taken off; `wanted` says which ranges.
  [[nodiscard]] std::vector<Rate> of(
      const ArrayAccess& access,
      const std::function<bool(std::size_t local, std::size_t groups)>& wanted) const {
    std::vector<Rate> rates;
    for (const auto& [row, ns] : walks_) {
      const auto [local, groups] = place(*row);
      if (row->kernel != access.kernel() || row->variant != variant_of(access.width) ||
          !wanted(local, groups))
        continue;
      const auto empty = empty_ns_.find({local, groups});
      const double net_ns = ns - (empty == empty_ns_.end() ? 0 : empty->second);
      if (net_ns > 0) rates.push_back({local, groups, row->work / net_ns});
    }
    return rates;
  }

  [[nodiscard]] std::optional<double> copy() const {
    return ratio(static_cast<double>(size_ * size_ * sizeof(float)),
                 measured_.ns({.kernel = "copy", .n = size_}));
  }

 private:
  using Place = std::pair<std::size_t, std::size_t>;

  static Place place(const Row& row) {
    const std::size_t sign = row.parameters.find('=');
    return {row.local, sign == std::string::npos
                           ? 0
                           : static_cast<std::size_t>(std::stoul(row.parameters.substr(sign + 1)))};
  }

  const Measured& measured_;
  std::size_t size_;
  std::map<Place, double> empty_ns_;
  std::vector<std::pair<const Row*, double>> walks_;
};

const Rates::Rate* best_of(const std::vector<Rates::Rate>& rates) {
  const auto best = std::ranges::max_element(rates, {}, &Rates::Rate::gb_per_s);
  return best == rates.end() ? nullptr : &*best;
}

std::optional<double> mean_of(const std::vector<Rates::Rate>& rates,
                              const std::function<bool(const Rates::Rate&)>& wanted) {
  std::vector<double> values;
  for (const Rates::Rate& rate : rates)
    if (wanted(rate)) values.push_back(rate.gb_per_s);
  return values.empty() ? std::nullopt : std::optional<double>(statistics(values).mean);
}

/// Rates at 1024 groups: the best of the group sizes of the table.
std::string table_1(const Rates& rates, const std::optional<double>& peak) {
  const auto best = [&](const ArrayAccess& access) -> std::optional<Rates::Rate> {
    const auto all = rates.of(access, [](std::size_t local, std::size_t groups) {
      return groups == kGroups && std::ranges::find(kTableLocals, local) != kTableLocals.end();
    });
    const Rates::Rate* found = best_of(all);
    return found == nullptr ? std::nullopt : std::optional<Rates::Rate>(*found);
  };
  const auto rate_of = [](const std::optional<Rates::Rate>& rate) {
    return rate ? std::optional<double>(rate->gb_per_s) : std::nullopt;
  };
  std::string text = fmt::format(
      "                          {:^30}   {:^38}\n"
      "                          {:>8} {:>8} {:>12}   {:>8} {:>8} {:>12} {:>7}\n",
      "published (8800 GTX)", "here, best at 1024 groups", "GB/s", "% peak", "over columns", "GB/s",
      "% peak", "over columns", "local");
  for (const bool write : {false, true})
    for (const unsigned width : {1U, 4U})
      for (const bool by_columns : {false, true}) {
        const auto here = best({write, by_columns, width});
        const auto columns = rate_of(best({write, true, width}));
        const double published = published::bandwidth_gb_per_s(by_columns, width);
        const bool none = write;  // the document has reads only
        text += fmt::format(
            "{:5} {:6} by {:7}     {:>8} {:>8} {:>12}   {:>8} {:>8} {:>12} {:>7}\n",
            write ? "write" : "read", variant_of(width), by_columns ? "columns" : "rows",
            none ? "-" : cell(published), none ? "-" : cell(100 * published / 86.4),
            none ? "-" : cell(published / published::bandwidth_gb_per_s(true, width)),
            cell(rate_of(here)), cell(ratio(100 * rate_of(here).value_or(NAN), peak)),
            cell(ratio(rate_of(here), columns)), here ? std::to_string(here->local) : "-");
      }
  return text;
}

/// The sweep of the group size by what the size is a multiple of, and before and after the document's cliff.
std::string local_sweep(const Rates& rates, bool write) {
  const auto all = rates.of({write, false, 1},
                            [](std::size_t, std::size_t groups) { return groups == kGroups; });
  const Rates::Rate* best = best_of(all);
  if (best == nullptr) return {};
  const auto multiple = [](std::size_t local) {
    for (const std::size_t m : {32U, 16U, 8U, 4U})
      if (local % m == 0) return m;
    return std::size_t{1};
  };
  std::string text = fmt::format("{} at {} groups: best {:.4g} GB/s with local size {}; mean of",
                                 write ? "writes" : "reads", kGroups, best->gb_per_s, best->local);
  for (const std::size_t m : {32U, 16U, 8U, 4U, 1U})
    text += fmt::format("{} {}: {}",
                        m == 32  ? " multiples of"
                        : m == 1 ? "; others"
                                 : ";",
                        m == 1 ? std::string() : std::to_string(m),
                        cell(mean_of(all, [&](const Rates::Rate& rate) {
                          return rate.local >= 64 && multiple(rate.local) == m;
                        })));
  const auto before = mean_of(all, [](const Rates::Rate& rate) {
    return rate.local % 32 == 0 && rate.local >= 192 && rate.local <= 384;
  });
  const auto after = mean_of(
      all, [](const Rates::Rate& rate) { return rate.local % 32 == 0 && rate.local > 384; });
  return text + fmt::format("; 192..384 over 416..512: {}\n", cell(ratio(before, after)));
}

/// The sweep of the number of groups: where 95 % of the best begins, and the document's peaks.
std::string groups_sweep(const Rates& rates, bool write) {
  auto all =
      rates.of({write, false, 1}, [](std::size_t local, std::size_t) { return local == kLocal; });
  std::ranges::sort(all, {}, &Rates::Rate::groups);
  const Rates::Rate* best = best_of(all);
  if (best == nullptr) return {};
  const auto enough = std::ranges::find_if(
      all, [&](const Rates::Rate& rate) { return rate.gb_per_s >= 0.95 * best->gb_per_s; });
  const auto peaks = mean_of(all, [](const Rates::Rate& rate) {
    return rate.groups == 256 || rate.groups == 512 || rate.groups == 640 || rate.groups == 768;
  });
  const auto upper = mean_of(all, [](const Rates::Rate& rate) { return rate.groups >= 256; });
  return fmt::format(
      "{} with local size {}: best {:.4g} GB/s with {} groups; 95 % of it from {} groups on; 1 "
      "group: "
      "{}; 256, 512, 640, 768 over the mean from 256 on: {}\n",
      write ? "writes" : "reads", kLocal, best->gb_per_s, best->groups, enough->groups,
      cell(mean_of(all, [](const Rates::Rate& rate) { return rate.groups == 1; })),
      cell(ratio(peaks, upper)));
}

std::string bandwidth_table(const std::vector<Row>& rows) {
  const Measured measured(rows);
  std::string text;
  for (const std::size_t size : measured.sizes_of("sum_rows")) {
    const Rates rates(measured, size);
    const auto vendor = vendor_peak(rows.front().device);
    const auto peak = vendor ? vendor : rates.copy();
    text += fmt::format("array {0} x {0}{1}; peak {2} GB/s ({3}); copy {4} GB/s\n", size,
                        size == 12288 ? "" : " (12288 x 12288 there)", cell(peak),
                        vendor ? "the vendor's" : "the copy's", cell(rates.copy()));
    text += table_1(rates, peak);
    text +=
        "\npublished, reads: best 192 at 1024 groups, 384 nearly; multiples of 16 and 32 65 to 70 "
        "GB/s, of nothing about 10;\na cliff after 384; peaks at 256, 512, 640, 768 groups\n";
    for (const bool write : {false, true}) text += local_sweep(rates, write);
    for (const bool write : {false, true}) text += groups_sweep(rates, write);
  }
  return text + failures_text(measured);
}

}  // namespace

Reproduction bandwidth() {
  return {"bandwidth", "Tutubalin 2007: NVidia 8800GTX, memory bandwidth", 3, bandwidth_cases,
          bandwidth_table};
}

}  // namespace clgauss::tune
