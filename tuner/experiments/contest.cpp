#include "tuner/experiments/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/error.hpp>

#include "clock.hpp"

namespace clgauss::tune {

namespace {

/// The row of a candidate before it is measured.
Row row_of(const ExperimentInfo& info, const EliminationOptions& options, Index n,
           const Candidate& candidate) {
  Row row = row_for(info);
  row.kernel = "gauss_fwd";
  row.type = real_type_name(options.type);
  row.variant = ndrange_name(options.ndrange);
  row.rule = candidate.rule;
  row.n = n;
  row.local = candidate.policy.size;
  row.all_steps = n - 1;
  row.steps = options.steps == 0 ? row.all_steps : std::min(options.steps, row.all_steps);
  row.estimated = row.steps < row.all_steps;
  // 2 operations for each of the sum of j (j + 1), j = 1 .. n - 1, elements that the steps change
  const auto size = static_cast<double>(n);
  row.work = 2 * ((size - 1) * size * (2 * size - 1) / 6 + (size - 1) * size / 2);
  return row;
}

std::vector<Row> rows_of_result(Row row, const EliminationResultOf& result) {
  row.main_launches = result.main_launches;
  row.remainder_launches = result.remainder_launches;
  row.build_options = result.build_options;
  return rows_of(row, result.outcome);
}

/// The candidates of `contest` that the folder does not hold.
Contest missing_of(const ResultFolder& folder, const ExperimentInfo& info,
                   const EliminationOptions& options, const Contest& contest) {
  Contest missing{contest.n, {}};
  for (const Candidate& candidate : contest.candidates)
    if (!folder.has(row_of(info, options, contest.n, candidate)))
      missing.candidates.push_back(candidate);
  return missing;
}

/// One result for each candidate; where not even the matrix can be made, all say why.
std::vector<EliminationResultOf> measure(Context& context, const EliminationOptions& options,
                                         const Contest& contest,
                                         const std::function<void()>& between) {
  std::vector<WorkGroupPolicy> policies;
  for (const Candidate& candidate : contest.candidates) policies.push_back(candidate.policy);
  std::vector<EliminationResultOf> results;
  const Outcome failure = guarded([&]() -> Outcome {
    results = EliminationBench(context, contest.n, options).measure(policies, between);
    return {};
  });
  if (failure.status != Status::ok) {
    results.assign(contest.candidates.size(), {});
    for (EliminationResultOf& result : results) result.outcome = failure;
  }
  return results;
}

}  // namespace

std::vector<Candidate> rule_candidates(Context& context, RealType type) {
  const Kernel forward = context.programs().kernel("gauss.cl", "gauss_fwd", real_defines(type));
  const Launcher launcher(context.profile(), context.queue(), {}, SplitMode::automatic);
  const auto fixed = [](std::size_t size) {
    return WorkGroupPolicy{WorkGroupPolicy::Rule::fixed, size};
  };
  return {{"driver", {WorkGroupPolicy::Rule::driver, 0}},
          {"lcm", fixed(launcher.rule_for(forward).clamped)},
          {"multiple", fixed(forward.preferred_multiple)},
          {"max", fixed(forward.work_group_limit)}};
}

std::optional<Candidate> tuned_candidate(const Context& context, RealType type, Index n) {
  const TunedEntry* tuned = context.tuning().find(kTunedElimination, type, n);
  if (tuned == nullptr) return std::nullopt;
  const auto local = static_cast<std::size_t>(value_of(tuned->parameters, "LOCAL"));
  if (local == 0) return Candidate{"tuned", {WorkGroupPolicy::Rule::driver, 0}};
  return Candidate{"tuned", {WorkGroupPolicy::Rule::fixed, local}};
}

ExperimentSummary run_contests(Context& context, ResultFolder& folder, const ExperimentInfo& info,
                               const EliminationOptions& options,
                               const std::vector<Contest>& contests, const ExperimentLimits& limits,
                               const ExperimentProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  ExperimentSummary summary;
  for (std::size_t c = 0; c < contests.size(); ++c) {
    const Contest contest = missing_of(folder, info, options, contests[c]);
    summary.points += contests[c].candidates.size();
    if (contest.candidates.empty()) continue;
    if (limits.budget_s && seconds_since(start) >= *limits.budget_s) {
      summary.left += contest.candidates.size();
      continue;
    }
    const auto report = [&] {
      progress(
          static_cast<double>(c) / static_cast<double>(contests.size()),
          fmt::format("n = {}, local size {}", contest.n, contest.candidates.front().policy.size));
    };
    std::vector<Row> rows;  // with the time at which the contest starts
    for (const Candidate& candidate : contest.candidates)
      rows.push_back(row_of(info, options, contest.n, candidate));
    const auto results = measure(context, options, contest, report);
    for (std::size_t i = 0; i < results.size(); ++i)
      folder.append(rows_of_result(rows[i], results[i]));
    summary.measured += results.size();
  }
  if (summary.left == 0) {
    std::vector<Point> all;
    for (auto& points : points_of(folder, info, options, contests))
      std::ranges::move(points, std::back_inserter(all));
    require_one_ok(info.device, all);
  }
  return summary;
}

std::vector<std::vector<Point>> points_of(const ResultFolder& folder, const ExperimentInfo& info,
                                          const EliminationOptions& options,
                                          const std::vector<Contest>& contests) {
  std::vector<std::vector<Point>> grouped;
  for (const Contest& contest : contests) {
    std::vector<Row> rows;
    for (const Candidate& candidate : contest.candidates)
      rows.push_back(row_of(info, options, contest.n, candidate));
    grouped.push_back(points_of(folder, rows));
  }
  return grouped;
}

const char* ndrange_name(NdRangeMode mode) {
  return mode == NdRangeMode::fixed ? "fixed" : "shrinking";
}

}  // namespace clgauss::tune
