#include "tuner/reproduce/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "statistics.hpp"
#include "tuner/reproduce/timing.hpp"

namespace clgauss::tune {

namespace {

/// One outcome a row, whatever happens.
std::vector<Outcome> outcomes_of(const Case& one) {
  std::vector<Outcome> outcomes;
  const Outcome failure = guarded([&]() -> Outcome {
    outcomes = one.measure();
    return {};
  });
  if (failure.status != Status::ok) outcomes.assign(one.rows.size(), failure);
  return outcomes;
}

std::string describe(const Row& row) {
  std::string text = row.kernel;
  if (row.n > 0) text += fmt::format(" n = {}", row.n);
  if (row.local > 0) text += fmt::format(" local size {}", row.local);
  return row.parameters.empty() ? text : text + ' ' + row.parameters;
}

}  // namespace

Case single_case(Row row, std::function<Outcome()> measure) {
  return {{std::move(row)},
          [measure = std::move(measure)] { return std::vector<Outcome>{measure()}; }};
}

ExperimentSummary run_cases(ResultFolder& folder, std::vector<Case> cases,
                            const ExperimentLimits& limits, const ExperimentProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  ExperimentSummary summary{cases.size(), 0, 0};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Case one = std::move(cases[c]);  // what it holds, matrices among it, goes with it
    if (std::ranges::all_of(one.rows, [&](const Row& row) { return folder.has(row); })) continue;
    if (limits.budget_s && seconds_since(start) >= *limits.budget_s) {
      ++summary.left;
      continue;
    }
    progress(static_cast<double>(c) / static_cast<double>(summary.points),
             describe(one.rows.front()));
    const std::vector<Outcome> outcomes = outcomes_of(one);
    std::vector<Row> rows;
    for (std::size_t r = 0; r < one.rows.size(); ++r)
      if (!folder.has(one.rows[r]))
        std::ranges::move(rows_of(one.rows[r], outcomes[r]), std::back_inserter(rows));
    folder.append(rows);
    ++summary.measured;
  }
  return summary;
}

const Point* Measured::find(const Wanted& wanted) const {
  const auto matches = [&](const Point& point) {
    const Row& row = point.row;
    return row.kernel == wanted.kernel && row.n == wanted.n.value_or(row.n) &&
           row.local == wanted.local.value_or(row.local) &&
           row.parameters == wanted.parameters.value_or(row.parameters) &&
           row.variant == wanted.variant.value_or(row.variant) &&
           row.part == wanted.part.value_or(row.part);
  };
  const auto found = std::ranges::find_if(points_, matches);
  return found == points_.end() ? nullptr : &*found;
}

std::optional<double> Measured::ns(const Wanted& wanted) const {
  const Point* point = find(wanted);
  if (point == nullptr || point->times_ns.empty()) return std::nullopt;
  return median(point->times_ns);
}

std::vector<std::size_t> Measured::sizes_of(std::string_view kernel) const {
  std::set<std::size_t> sizes;
  for (const Point& point : points_)
    if (point.row.kernel == kernel) sizes.insert(point.row.n);
  return {sizes.begin(), sizes.end()};
}

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

std::optional<double> ratio(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *b != 0 ? std::optional<double>(*a / *b) : std::nullopt;
}

std::string failures_text(const Measured& measured) {
  std::map<std::pair<Status, std::string>, std::vector<const Row*>> failed;
  for (const Point& point : measured.points())
    if (point.row.status != Status::ok)
      failed[{point.row.status, point.row.detail}].push_back(&point.row);
  constexpr std::size_t kMost = 12;
  std::string text = failed.empty() ? "" : "\nnot timed:\n";
  std::size_t shown = 0;
  for (const auto& [reason, rows] : failed) {
    if (++shown > kMost) continue;
    text += fmt::format("  {}, {}{}: {}\n", status_name(reason.first), describe(*rows.front()),
                        rows.size() > 1 ? fmt::format(" and {} more", rows.size() - 1) : "",
                        reason.second);
  }
  return shown <= kMost ? text : text + fmt::format("  and {} other reasons\n", shown - kMost);
}

}  // namespace clgauss::tune
