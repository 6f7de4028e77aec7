#include "tuner/layer/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/measure/estimate.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::layer {

namespace {

using nlohmann::json;
using tune::significant;

constexpr std::size_t kMostRows = 40;
constexpr const char* kPaper = "Baranov and Vlatskaya (2013)";

std::string group_text(const Site& site) { return site.group ? text(*site.group) : "NULL"; }

std::string driver_group_text(const Site& site) {
  if (site.group) return "-";
  return site.driver_group ? text(*site.driver_group) : "not known";
}

/// What a repair gives, or why there is none.
std::string repair_text(const Site& site, bool repairs) {
  if (const Way* const way = site.way)
    return site.decision ? fmt::format("{}: {}x", text(*way), significant(site.decision->gain, 3))
                         : fmt::format("{}, unmeasured", text(*way));
  if (site.group) return "-";
  if (site.decision) return "none faster";
  if (site.tries) return "trial not over";
  if (!repairs) return "not tried";
  return site.is_decided ? "hands off" : "too short to try";
}

/// The smallest multiple of 32 that is no less.
std::size_t padded(std::size_t size) { return (size + 31) / 32 * 32; }

/// What its programmer could do; empty where nothing is wrong.
std::string advice(const Site& site, bool repairs) {
  if (!site.is_degenerate() || site.range.items() <= kDegenerate) return {};
  Shape pad = site.range;
  pad.size[0] = padded(pad.size[0]);
  const std::string groups =
      site.driver_group ? fmt::format("the driver runs groups of {}", text(*site.driver_group))
                        : fmt::format("no work-group of more than {} divides the range",
                                      site.largest_dividing == 1
                                          ? "1 work-item"
                                          : fmt::format("{} work-items", site.largest_dividing));
  const bool is_repaired = site.decision && site.decision->way;
  return fmt::format(
      "{}, {}: {}. {}ad the range to {} and let the work-items beyond the end return{} ({}).\n",
      site.kernel->name, text(site.range), groups, is_repaired ? "Repaired; or p" : "P", text(pad),
      repairs || is_repaired ? "" : ", or run it with --repair", kPaper);
}

tune::Table table_of(const std::vector<const Site*>& sites, bool repairs) {
  tune::Table table{"",
                    {"kernel", "range", "size", "driver's size", "launches", "device ms", "repair"},
                    {},
                    false};
  for (const Site* site : sites) {
    if (table.rows.size() == kMostRows) break;
    table.rows.push_back(
        {site->kernel->name, text(site->range), group_text(*site), driver_group_text(*site),
         std::to_string(site->launches),
         site->total_ns() > 0 ? significant(site->total_ns() / 1e6, 3) : "not known",
         repair_text(*site, repairs)});
  }
  return table;
}

json sizes_of(const Shape& shape) {
  return std::vector<std::size_t>(shape.size.begin(), shape.size.begin() + shape.dims);
}

template <typename Value, typename Written>
json or_null(const std::optional<Value>& value, const Written& written) {
  return value ? json(written(*value)) : json(nullptr);
}

json tried_of(const Site& site) {
  json tried = json::array();
  for (std::size_t way = 0; site.trial && way < site.ways.size(); ++way)
    tried.push_back({{"way", text(site.ways[way])},
                     {"us", or_null(site.trial->median_ns(way),
                                    [](double time_ns) { return time_ns / 1000; })}});
  return tried;
}

}  // namespace

std::string report(const std::vector<const Site*>& sites, bool repairs) {
  if (sites.empty()) return {};
  std::string written = "clgauss: OpenCL launches; size NULL leaves the work-group to the driver\n";
  written += text(table_of(sites, repairs));
  if (sites.size() > kMostRows)
    written += fmt::format("and {} more, each of them shorter (CLGAUSS_LAYER_JSON=FILE has all)\n",
                           sites.size() - kMostRows);
  std::size_t advised = 0;
  constexpr std::size_t kMostAdvice = 5;
  for (const Site* site : sites) {
    const std::string words = advice(*site, repairs);
    if (words.empty() || advised == kMostAdvice) continue;
    ++advised;
    written += words;
  }
  return written;
}

std::string explanation(const std::vector<const Site*>& sites, const std::string& kernel) {
  std::string written;
  for (const Site* site : sites) {
    if (site->kernel->name != kernel) continue;
    written += fmt::format("{}, {}, {}: ", kernel, text(site->range), group_text(*site));
    if (site->group && site->way == nullptr) {
      written += "the program chose the size, which is never changed\n";
      continue;
    }
    if (!site->reason.empty()) {
      written += fmt::format("not changed: {}\n", site->reason);
      continue;
    }
    const KernelText& seen = *site->kernel->judged;
    written += "no work-item can tell another size\n";
    written += seen.split_is_hidden ? "  nor that the launch was split\n"
                                    : fmt::format("  not split: {}\n", seen.reason);
    if (!site->may_split)
      written += "  not split: its queue is out of order, or the program takes times of it\n";
    else if (!site->is_degenerate())
      written += "  not split: there are groups that divide the range\n";
    for (std::size_t way = 0; site->trial && way < site->ways.size(); ++way)
      if (const auto time_ns = site->trial->median_ns(way))
        written += fmt::format("  tried {}: {} us\n", text(site->ways[way]),
                               significant(*time_ns / 1000, 3));
    if (site->trial && site->trial->is_over())
      written += fmt::format(
          "  the fastest against the driver's size: {}x, equal launches differed by {:.1f} %\n",
          significant(site->trial->verdict().tried_gain, 3), 100 * site->trial->verdict().floor);
    const Way* const way = site->way;
    if (site->is_decided)
      written += fmt::format("  {}{}: {}\n", site->decision ? "decided" : "forced",
                             site->is_recalled ? " in an earlier run" : "",
                             way != nullptr ? text(*way) : "the driver's size stays");
    else
      written += "  not decided: it was not launched often or long enough\n";
  }
  return written.empty() ? fmt::format("{}: no such kernel was launched\n", kernel) : written;
}

json as_json(const std::vector<const Site*>& sites, bool repairs) {
  json launches = json::array();
  for (const Site* site : sites) {
    const Way* const way = site->way;
    launches.push_back(
        {{"kernel", site->kernel->name},
         {"device", site->kernel->device->name},
         {"driver", site->kernel->device->driver},
         {"range", sizes_of(site->range)},
         {"group", or_null(site->group, sizes_of)},
         {"driver_group", or_null(site->driver_group, sizes_of)},
         {"launches", site->launches.load()},
         {"timed", site->counted.launches + site->sampled.launches},
         {"device_ms", site->total_ns() / 1e6},
         {"degenerate", site->is_degenerate()},
         {"way", way != nullptr ? json(text(*way)) : json(nullptr)},
         {"gain", way != nullptr && site->decision ? json(site->decision->gain) : json(nullptr)},
         {"recalled", site->is_recalled},
         {"tried", tried_of(*site)},
         {"reason", site->reason}});
  }
  return {{"repair", repairs}, {"launches", launches}};
}

}  // namespace clgauss::layer
