#include "tuner/report/elimination_data.hpp"

#include <algorithm>
#include <clgauss/lab/launch.hpp>

#include "statistics.hpp"
#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

namespace {

Timing timing_of(const Point& point) {
  Timing timing;
  timing.n = point.row.n;
  timing.local = point.row.local;
  timing.rule = point.row.rule;
  timing.status = point.row.status;
  timing.detail = point.row.detail;
  timing.steps = point.row.steps;
  timing.estimated = point.row.estimated;
  timing.repetitions = point.times_ns.size();
  if (timing.ok()) {
    const Statistics times = statistics(point.times_ns);
    timing.median_ms = times.median / 1e6;
    timing.min_ms = times.min / 1e6;
    timing.max_ms = times.max / 1e6;
  }
  return timing;
}

/// Adds `timing`, or replaces the same configuration if it says less.
void take(EliminationData::ByN& by_n, const Timing& timing) {
  std::vector<Timing>& timings = by_n[timing.n];
  const auto same = std::ranges::find_if(timings, [&](const Timing& other) {
    return other.rule == timing.rule && other.local == timing.local;
  });
  if (same == timings.end())
    timings.push_back(timing);
  else if (std::pair(timing.ok(), timing.steps) > std::pair(same->ok(), same->steps))
    *same = timing;
}

/// The size of the first timing by `rule`, in `rules` or else in `outliers`.
std::optional<std::size_t> local_of(const EliminationData& data, const std::string& rule) {
  for (const auto* by_n : {&data.rules, &data.outliers})
    for (const auto& [n, timings] : *by_n)
      for (const Timing& timing : timings)
        if (timing.rule == rule && timing.local > 0) return timing.local;
  return std::nullopt;
}

std::optional<LcmRule> rule_from_device(const EliminationData& data) {
  const LcmRuleInput input{data.device.total_cores(), data.device.compute_units,
                           data.preferred_multiple(), data.work_group_limit()};
  if (!input.total_cores || input.compute_units == 0 || *input.total_cores < input.compute_units ||
      input.preferred_multiple == 0 || input.work_group_limit == 0)
    return std::nullopt;
  return lcm_rule(input);
}

}  // namespace

std::optional<std::size_t> EliminationData::rule_local() const {
  if (const auto local = local_of(*this, "lcm")) return local;
  const auto rule = rule_from_device(*this);
  return rule ? std::optional(rule->clamped) : std::nullopt;
}

std::optional<std::size_t> EliminationData::raw_rule() const {
  const auto rule = rule_from_device(*this);
  return rule ? rule->raw : std::nullopt;
}

std::size_t EliminationData::preferred_multiple() const {
  return local_of(*this, "multiple").value_or(device.preferred_multiple);
}

std::size_t EliminationData::work_group_limit() const {
  return local_of(*this, "max").value_or(device.max_work_group_size);
}

std::vector<EliminationData> elimination_data(const std::vector<Results>& results) {
  std::vector<EliminationData> all;
  const auto data_for = [&](const Row& row) -> EliminationData& {
    const auto found = std::ranges::find_if(all, [&](const EliminationData& data) {
      return data.type == row.type && data.variant == row.variant;
    });
    if (found != all.end()) return *found;
    all.push_back({row.type, row.variant, profile_of(results), {}, {}, {}});
    return all.back();
  };
  const std::pair<const char*, EliminationData::ByN EliminationData::*> experiments[] = {
      {"sweep", &EliminationData::sweep},
      {"outliers", &EliminationData::outliers},
      {"rules", &EliminationData::rules}};
  for (const auto& [name, member] : experiments)
    for (const Point& point : points_of_experiment(results, name, "gauss_fwd"))
      take(data_for(point.row).*member, timing_of(point));
  for (EliminationData& data : all)
    for (auto& [n, timings] : data.sweep) std::ranges::sort(timings, {}, &Timing::local);
  std::ranges::sort(all, {},
                    [](const EliminationData& data) { return std::pair(data.type, data.variant); });
  return all;
}

}  // namespace clgauss::tune::report
