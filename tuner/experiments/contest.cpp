#include "tuner/experiments/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/error.hpp>
#include <iterator>
#include <set>

#include "clock.hpp"
#include "tuner/measure/divisors.hpp"

namespace clgauss::tune {

namespace {

/// The row of a candidate before it is measured.
Row row_of(const ExperimentInfo& info, const EliminationOptions& options, Index n,
           const Candidate& candidate) {
  Row row = row_for(info);
  row.kernel = candidate.choice.work == LaunchWork::kernel ? options.kernel : kEmptyKernel;
  row.type = real_type_name(options.type);
  row.variant = ndrange_name(options.ndrange);
  row.rule = candidate.rule;
  row.n = n;
  row.local = candidate.choice.policy.size;
  row.parameters = parameters_of(candidate.choice);
  row.all_steps = n - 1;
  row.steps = options.steps == 0 ? row.all_steps : std::min(options.steps, row.all_steps);
  row.estimated = row.steps < row.all_steps;
  if (candidate.choice.work == LaunchWork::kernel) row.work = elimination_work(options.kernel, n);
  return row;
}

std::vector<Row> rows_of_result(Row row, const EliminationResultOf& result) {
  row.group = result.group;
  row.main_launches = result.main_launches;
  row.remainder_launches = result.remainder_launches;
  row.build_options = result.build_options;
  row.chosen = result.chosen;
  row.suggested = result.suggested;
  std::vector<Row> rows = rows_of(row, result.outcome);
  if (result.device_outcome.times_ns.empty()) return rows;
  row.part = kDevicePart;
  std::ranges::move(rows_of(row, result.device_outcome), std::back_inserter(rows));
  return rows;
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
EliminationResults measure(Context& context, const EliminationOptions& options,
                           const Contest& contest, const std::function<void()>& between) {
  std::vector<LaunchChoice> choices;
  for (const Candidate& candidate : contest.candidates) choices.push_back(candidate.choice);
  EliminationResults results;
  const Outcome failure = guarded([&]() -> Outcome {
    results = EliminationBench(context, contest.n, options).measure(choices, between);
    return {};
  });
  if (failure.status != Status::ok) {
    results.choices.assign(contest.candidates.size(), {});
    for (EliminationResultOf& result : results.choices) result.outcome = failure;
    results.control.reset();
  }
  return results;
}

/// Times that something is launched in a contest.
std::size_t runs_of(const Contest& contest, const EliminationOptions& options) {
  return (contest.candidates.size() + 1) *
         (1 + options.warmups + options.repetitions + options.device_repetitions);
}

/// The share of a contest in the time of all.
double weight_of(const Contest& contest, const EliminationOptions& options) {
  return contest.candidates.empty() ? 0
                                    : static_cast<double>(contest.n * contest.n) *
                                          static_cast<double>(runs_of(contest, options));
}

/// The rows of a control: its twin's, by another name.
std::vector<Row> rows_of_control(const ExperimentInfo& info, const EliminationOptions& options,
                                 Index n, const EliminationResultOf& control) {
  return rows_of_result(row_of(info, options, n, {std::string(kControlRule), control.choice}),
                        control);
}

}  // namespace

Candidate fixed_candidate(std::size_t size) {
  using Rule = WorkGroupPolicy::Rule;
  if (size == 0) return {"driver", {{Rule::driver, 0}}};
  return {"fixed", {{Rule::fixed, size}}};
}

std::vector<Candidate> rule_candidates(Context& context, RealType type, Index n) {
  const Kernel forward = context.programs().kernel("gauss.cl", "gauss_fwd", real_defines(type));
  const DeviceProfile& device = context.profile();
  const LcmRuleInput input{device.total_cores(), device.compute_units, forward.preferred_multiple,
                           forward.work_group_limit};
  const LcmRule rule = lcm_rule(input);
  const auto named = [](const char* name, std::size_t size) {
    return Candidate{name, fixed_candidate(size).choice};
  };
  std::vector<Candidate> rules{fixed_candidate(0), named("lcm", rule.clamped)};
  if (rule.raw) rules.push_back(named("lcm_raw", *rule.raw));
  if (const std::size_t lanes = device.native_vector_bytes / sizeof(float);
      device.type == DeviceType::cpu && lanes > 1) {
    LcmRuleInput by_lanes = input;
    by_lanes.total_cores = lanes * device.compute_units;
    rules.push_back(named("lcm_lanes", *lcm_rule(by_lanes).raw));
  }
  const std::size_t limit = forward.work_group_limit;
  const Launcher fit(device, context.queue(), {WorkGroupPolicy::Rule::fit, 0}, SplitMode::automatic,
                     n + 1);
  for (const Candidate& one :
       {named("multiple", forward.preferred_multiple), named("max", limit), named("192", 192),
        named("256", 256), named("divisor", largest_divisor(n + 1, limit)),
        named("fit", fit.local_size_for(forward))})
    rules.push_back(one);
  rules.back().choice.split = SplitMode::round_up;
  return rules;
}

const Candidate& candidate_of(const std::vector<Candidate>& rules, std::string_view rule) {
  return *std::ranges::find(rules, rule, &Candidate::rule);
}

std::vector<Candidate> design_candidates(Context& context, RealType type,
                                         const LaunchDesign& design) {
  std::vector<Candidate> candidates;
  for (const std::size_t local : design.locals)
    for (const SplitMode split : design.splits) {
      candidates.push_back(fixed_candidate(local));
      candidates.back().choice.split = split;
    }
  if (!design.empty) return candidates;
  const Kernel forward = context.programs().kernel("gauss.cl", "gauss_fwd", real_defines(type));
  const std::size_t usual = std::min(forward.work_group_limit, kUnknownDeviceWorkGroup);
  for (const std::size_t local : {std::size_t{1}, usual}) {
    Candidate empty = fixed_candidate(local);
    empty.choice.split = SplitMode::round_up;
    empty.choice.work = LaunchWork::nothing;
    candidates.push_back(empty);
  }
  candidates.push_back(fixed_candidate(1));
  candidates.back().choice.work = LaunchWork::one_item;
  for (auto one = candidates.end() - 3; one != candidates.end(); ++one) one->rule = "empty";
  return candidates;
}

std::optional<Candidate> tuned_candidate(const Context& context, RealType type, Index n) {
  const TunedEntry* tuned = context.tuning().find(kTunedElimination, type, n);
  if (tuned == nullptr) return std::nullopt;
  Candidate candidate =
      fixed_candidate(static_cast<std::size_t>(value_of(tuned->parameters, "LOCAL")));
  candidate.rule = "tuned";
  candidate.choice.split = tuned_split(*tuned);
  return candidate;
}

double expected_seconds(Context& context, const EliminationOptions& options,
                        const std::vector<Contest>& contests) {
  if (contests.empty()) return 0;
  const auto steps_of = [&](Index n) {
    return options.steps == 0 ? n - 1 : std::min<std::size_t>(options.steps, n - 1);
  };
  const Index n = std::ranges::max_element(contests, {}, &Contest::n)->n;
  EliminationOptions probe = options;
  probe.steps = 3;
  probe.repetitions = 1;
  probe.device_repetitions = 0;
  const std::vector<LaunchChoice> choice{{{WorkGroupPolicy::Rule::lcm, 0}}};
  double step_s = 0;
  static_cast<void>(guarded([&]() -> Outcome {
    const auto results = EliminationBench(context, n, probe).measure(choice);
    const auto& times = results.choices.front().outcome.times_ns;
    if (!times.empty()) step_s = times.front() * 1e-9 / static_cast<double>(n - 1);
    return {};
  }));
  constexpr double least_run_s = 5e-3;    // EliminationBench goes over short ones again
  constexpr double first_launch_s = 0.1;  // a CPU's driver builds for a size when it meets it
  const bool cpu = context.profile().type == DeviceType::cpu;
  double expected_s = 0;
  for (const Contest& contest : contests) {
    const double share = static_cast<double>(contest.n * contest.n) / static_cast<double>(n * n);
    const double run_s =
        std::max(least_run_s, step_s * share * static_cast<double>(steps_of(contest.n)));
    const auto candidates = static_cast<double>(contest.candidates.size());
    const double runs =
        (candidates + 1) *
        static_cast<double>(options.warmups + options.repetitions + options.device_repetitions);
    expected_s += runs * run_s + (cpu ? candidates * first_launch_s : 0);
  }
  return expected_s;
}

ExperimentSummary run_contests(Context& context, ResultFolder& folder, const ExperimentInfo& info,
                               const EliminationOptions& options,
                               const std::vector<Contest>& contests, const ExperimentLimits& limits,
                               const ExperimentProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  ExperimentSummary summary;
  double all_weight = 0, done_weight = 0;
  for (const Contest& one : contests)
    all_weight += weight_of(missing_of(folder, info, options, one), options);
  for (const Contest& one : contests) {
    const Contest contest = missing_of(folder, info, options, one);
    summary.points += one.candidates.size();
    if (contest.candidates.empty()) continue;
    if (limits.budget_s && seconds_since(start) >= *limits.budget_s) {
      summary.left += contest.candidates.size();
      continue;
    }
    const double weight = weight_of(contest, options);
    std::size_t runs = 0;
    const auto report = [&] {
      const double part = std::min(
          1.0, static_cast<double>(runs++) / static_cast<double>(runs_of(contest, options)));
      progress((done_weight + part * weight) / all_weight,
               fmt::format("n = {}, {} sizes interleaved", contest.n, contest.candidates.size()));
    };
    std::vector<Row> rows;  // with the time at which the contest starts, the same for all
    const std::string time = utc_now();
    for (const Candidate& candidate : contest.candidates)
      rows.push_back(row_of(info, options, contest.n, candidate));
    const auto results = measure(context, options, contest, report);
    std::vector<Row> done;
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::ranges::move(rows_of_result(rows[i], results.choices[i]), std::back_inserter(done));
    if (results.control)
      std::ranges::move(rows_of_control(info, options, contest.n, *results.control),
                        std::back_inserter(done));
    for (Row& row : done) row.time = time;
    folder.append(done);
    summary.measured += rows.size();
    done_weight += weight;
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
    std::set<std::string> keys;
    const auto add = [&](const Candidate& candidate) {
      Row row = row_of(info, options, contest.n, candidate);
      if (keys.insert(row.key()).second) rows.push_back(std::move(row));
    };
    for (const Candidate& candidate : contest.candidates) add(candidate);
    for (const Candidate& candidate : contest.candidates)  // one of them has a twin
      add({std::string(kControlRule), candidate.choice});
    grouped.push_back(points_of(folder, rows));
  }
  return grouped;
}

std::string parameters_of(const LaunchChoice& choice) {
  if (choice.work == LaunchWork::one_item) return std::string(kOneItem);
  return choice.split == SplitMode::padded ? ""
                                           : fmt::format("SPLIT={}", split_mode_name(choice.split));
}

const char* ndrange_name(NdRangeMode mode) {
  return mode == NdRangeMode::fixed ? "fixed" : "shrinking";
}

}  // namespace clgauss::tune
