#include "tuner/report/elimination_data.hpp"

#include <algorithm>
#include <clgauss/lab/launch.hpp>

#include "statistics.hpp"
#include "tuner/measure/elimination.hpp"
#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

namespace {

/// The size by `rule`, in `rules` or else in `outliers`.
std::optional<std::size_t> local_of(const EliminationData& data, const std::string& rule) {
  for (const auto* by_n : {&data.rules, &data.outliers})
    for (const auto& [n, timings] : *by_n)
      if (const Timing* timing = timings.of_rule(rule); timing != nullptr && timing->local > 0)
        return timing->local;
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

const Timing* fastest_of(const ContestResult& contest, std::string_view parameters) {
  const Timing* best = nullptr;
  for (const Timing& timing : contest.timings)
    if (timing.ok() && !timing.by_driver() && timing.parameters == parameters &&
        (best == nullptr || timing.ms.median < best->ms.median))
      best = &timing;
  return best;
}

ByN by_n(const std::vector<Point>& points) {
  std::map<std::size_t, std::vector<Point>> grouped;
  for (const Point& point : points) grouped[point.row.n].push_back(point);
  ByN judged;
  for (const auto& [n, of_n] : grouped) judged[n] = contest_result(of_n);
  return judged;
}

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
    all.push_back({row.type, row.variant, profile_of(results), {}, {}, {}, {}, {}});
    return all.back();
  };
  const std::pair<const char*, ByN EliminationData::*> experiments[] = {
      {"sweep", &EliminationData::sweep},
      {"outliers", &EliminationData::outliers},
      {"rules", &EliminationData::rules}};
  for (const auto& [name, member] : experiments) {
    std::map<std::pair<std::string, std::string>, std::vector<Point>> parts;
    for (const Point& point : points_of_experiment(results, name, "gauss_fwd"))
      parts[{point.row.type, point.row.variant}].push_back(point);
    for (const Point& point : points_of_experiment(results, name, kEmptyKernel))
      if (const auto part = parts.find({point.row.type, point.row.variant}); part != parts.end())
        part->second.push_back(point);
    for (const auto& [part, points] : parts) data_for(points.front().row).*member = by_n(points);
  }
  std::map<std::pair<std::string, std::string>, std::vector<Point>> solves;
  for (const Point& point : points_of_experiment(results, "rules", kWholeSolve))
    solves[{point.row.type, point.row.variant}].push_back(point);
  for (const auto& [part, points] : solves) data_for(points.front().row).solve = by_n(points);
  for (const std::string& kernel : elimination_kernels()) {
    if (kernel == "gauss_fwd" || kernel == kWholeSolve) continue;
    std::map<std::pair<std::string, std::string>, std::vector<Point>> parts;
    for (const Point& point : points_of_experiment(results, "sweep", kernel))
      parts[{point.row.type, point.row.variant}].push_back(point);
    for (const auto& [part, points] : parts)
      data_for(points.front().row).other_kernels[kernel] = by_n(points);
  }
  for (EliminationData& data : all)
    for (auto& [n, contest] : data.sweep) std::ranges::sort(contest.timings, {}, &Timing::local);
  std::ranges::sort(all, {},
                    [](const EliminationData& data) { return std::pair(data.type, data.variant); });
  return all;
}

}  // namespace clgauss::tune::report
