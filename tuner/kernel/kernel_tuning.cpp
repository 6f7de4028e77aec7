#include "tuner/kernel/kernel_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "statistics.hpp"
#include "tuner/measure/turns.hpp"
#include "tuner/rows/kernel_experiment.hpp"
#include "tuner/search/replay.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kRunnersUp = 2;
constexpr std::size_t kMostBuilds = 8;  // that may fail before the kernel is taken to be at fault
constexpr auto kTime = &std::pair<double, KernelLaunch>::first;

/// A launch and why it is in the last comparison.
struct Finalist {
  std::string rule;
  KernelLaunch launch;
};

/// What a launch does; empty where that depends on a group that the driver chooses, and where it is
/// no amount.
std::optional<double> amount_of(const LaunchRate& rate, const KernelTask& task,
                                const KernelLaunch& launch) {
  if (launch.local.empty() && names_local(rate.amount)) return std::nullopt;
  const double amount = 1e9 * rate.amount.value(variables_of(task, launch));
  return amount > 0 && std::isfinite(amount) ? std::optional(amount) : std::nullopt;
}

Row row_of(const ExperimentInfo& info, const KernelTask& task, const KernelLaunch& launch,
           const std::string& rule) {
  Row row = row_for(info);
  for (const LaunchRate& rate : task.rates)
    if (const auto amount = amount_of(rate, task, launch)) row.*rate.kind.amount = *amount;
  row.rule = rule;
  row.local = row.group = launch.group();
  row.parameters = text_of(launch);
  return row;
}

/// A bench for a kernel that some configuration builds: the first ones are tried.
std::unique_ptr<KernelBench> open_bench(Context& context, const KernelTask& task,
                                        const KernelSpace& space) {
  std::optional<BuildError> first;
  // Far from each other: neighbours fail by the same.
  for (const std::size_t at : space.space.some(kMostBuilds)) {
    try {
      return std::make_unique<KernelBench>(context, task, space.launch(task, at));
    } catch (const BuildError& error) {
      if (!first) first = error;
    }
  }
  throw *first;
}

/// Whether a configuration failed by what it is, not by a limit of the device.
bool is_fault(Status status) {
  return status != Status::ok && status != Status::constraint && status != Status::device_limit;
}

/// What the rules say for the kernel with these macros, as groups along the first dimension.
std::vector<Finalist> rule_launches(const KernelTask& task, const DeviceProfile& device,
                                    const Kernel& kernel, const KernelLaunch& best) {
  const LcmRule lcm = lcm_rule({device.total_cores(), device.compute_units,
                                kernel.preferred_multiple, kernel.work_group_limit});
  std::vector<Finalist> rules;
  if (!needs_local(task)) rules.push_back({"driver", {best.macros, {}}});
  for (const auto& [rule, size] :
       {std::pair<const char*, std::size_t>{"lcm", lcm.clamped},
        {"multiple", std::min(kernel.preferred_multiple, kernel.work_group_limit)},
        {"max", kernel.work_group_limit},
        {"256", std::min<std::size_t>(256, kernel.work_group_limit)}}) {
    std::vector<std::size_t> local(best.local.size(), 1);
    local.front() = size;
    rules.push_back({rule, {best.macros, local}});
  }
  return rules;
}

/// What a search knows and leaves.
class Measurements {
 public:
  Measurements(KernelBench& bench, const ExperimentInfo& info, ResultFolder& folder,
               const KernelTuningOptions& options)
      : bench_(bench), info_(info), folder_(folder), options_(options) {
    for (Point& point : group_rows(folder.rows()))
      known_.emplace(point.row.key(), std::move(point));
  }

  /// What comes of a launch: of the folder, else measured and put there.
  Outcome outcome_of(const KernelLaunch& launch, const std::string& rule,
                     std::optional<double> best_ns = {}) {
    const Row row = row_of(info_, bench_.task(), launch, rule);
    if (const auto there = known_.find(row.key()); there != known_.end())
      return {there->second.row.status, there->second.row.detail, there->second.times_ns};
    Outcome outcome =
        bench_.measure(launch, {options_.repetitions, best_ns, 1e9 * options_.timeout_s});
    folder_.append(rows_of(row, outcome));
    ++measured_;
    return outcome;
  }

  /// The fastest of the finalists, timed interleaved; equal launches are timed once.
  KernelLaunch compare(const std::vector<Finalist>& finalists) {
    std::vector<KernelLaunch> launches;
    std::vector<std::size_t> places;
    std::vector<std::function<double()>> timed;
    for (const Finalist& one : finalists) {
      const auto same = std::ranges::find(launches, one.launch);
      places.push_back(static_cast<std::size_t>(same - launches.begin()));
      if (same != launches.end()) continue;
      launches.push_back(one.launch);
      timed.push_back(bench_.timed(one.launch));
    }
    const Turns turns = in_turns(options_.rounds, 3 * options_.rounds, timed);
    std::vector<Row> rows;
    const auto add = [&](const KernelLaunch& launch, const std::string& rule,
                         const std::vector<double>& times_ns) {
      Row row = row_of(info_, bench_.task(), launch, rule);
      row.part = kFinalPart;
      std::ranges::move(rows_of(row, {Status::ok, {}, times_ns}), std::back_inserter(rows));
    };
    for (std::size_t i = 0; i < finalists.size(); ++i)
      add(finalists[i].launch, finalists[i].rule, turns.times_ns[places[i]]);
    add(launches.front(), std::string(kControlRule), turns.twin_ns);
    folder_.append(rows);
    const auto best = std::ranges::min_element(
        turns.times_ns, {}, [](const std::vector<double>& times) { return median(times); });
    return launches[static_cast<std::size_t>(best - turns.times_ns.begin())];
  }

  /// The fastest of those finalists that the folder has compared; empty if it has none.
  [[nodiscard]] std::optional<KernelLaunch> compared(const std::vector<Finalist>& finalists) const {
    std::optional<KernelLaunch> best;
    double best_ns = 0;
    for (const Finalist& one : finalists) {
      Row row = row_of(info_, bench_.task(), one.launch, one.rule);
      row.part = kFinalPart;
      const auto there = known_.find(row.key());
      if (there == known_.end() || there->second.times_ns.empty()) continue;
      const double time_ns = median(there->second.times_ns);
      if (best && best_ns <= time_ns) continue;
      best = one.launch;
      best_ns = time_ns;
    }
    return best;
  }

  [[nodiscard]] std::size_t measured() const { return measured_; }

 private:
  KernelBench& bench_;
  const ExperimentInfo& info_;
  ResultFolder& folder_;
  const KernelTuningOptions& options_;
  std::map<std::string, Point> known_;  // of the folder, by their keys
  std::size_t measured_ = 0;
};

}  // namespace

std::vector<T4Measurement> rates_of(const KernelTask& task, const KernelLaunch& launch,
                                    double time_ns) {
  std::vector<T4Measurement> rates;
  for (const LaunchRate& rate : task.rates)
    if (const auto amount = amount_of(rate, task, launch))
      rates.push_back(
          {std::string(rate.kind.name), *amount / time_ns, std::string(rate.kind.unit)});
  return rates;
}

ExperimentInfo info_of(const KernelTask& task, const std::string& command,
                       const DeviceProfile& device) {
  std::string variant;
  for (const auto& [name, size] : task.sizes) variant += fmt::format("{}={:.17g} ", name, size);
  variant += "global";
  for (const Expression& size : task.global) variant += ' ' + size.text();
  std::string type;
  for (const KernelArgument& argument : task.arguments)
    if (type.empty() && argument.kind == KernelArgument::Kind::buffer)
      type = element_type_name(argument.type);
  return {std::string(kKernelExperiment), task.name, type, variant, command, device};
}

KernelTuner::KernelTuner(Context& context, const KernelTask& task)
    : space_(kernel_space(task, context.profile())), bench_(open_bench(context, task, space_)) {}

KernelTuning KernelTuner::run(const ExperimentInfo& info, ResultFolder& folder,
                              const KernelTuningOptions& options) {
  const KernelTask& task = bench_->task();
  const Space& space = space_.space;
  KernelTuning tuning;
  tuning.size = space.size();
  tuning.record.metadata = {"OpenCL", info.device.platform_name, info.device.name, "clgauss-tune"};
  Measurements measurements(*bench_, info, folder, options);

  SearchStart start{{}, options.random_seed};
  if (options.seeds) start.seeds = best_of(*options.seeds, space, kSeeds);
  const auto searcher = make_searcher(options.strategy, space, start);
  std::vector<std::pair<double, KernelLaunch>> ranked;
  Outcome first_failure;
  while (!options.stop(tuning.tried)) {
    const auto configuration = searcher->next();
    if (!configuration) break;
    const KernelLaunch launch = space_.launch(task, *configuration);
    std::optional<double> time_ns, best_ns;
    if (!ranked.empty()) best_ns = std::ranges::min(ranked, {}, kTime).first;
    Outcome outcome = measurements.outcome_of(launch, "fixed", best_ns);
    if (outcome.status == Status::ok)
      ranked.emplace_back(time_ns.emplace(median(outcome.times_ns)), launch);
    else if (first_failure.status == Status::ok)
      first_failure = outcome;
    searcher->report(*configuration, time_ns);
    ++tuning.tried;
    if (is_fault(outcome.status)) ++tuning.failures[outcome.status];
    tuning.measured = measurements.measured();
    if (options.progress) options.progress(outcome, tuning.tried, tuning.size);
    tuning.record.results.push_back(
        {space.configuration(*configuration), std::move(outcome), time_ns,
         time_ns ? rates_of(task, launch, *time_ns) : std::vector<T4Measurement>()});
  }
  const bool interrupted = options.interrupted && options.interrupted();
  if (ranked.empty()) {
    if (interrupted || first_failure.status == Status::ok) return tuning;  // nothing was tried
    throw DeviceLimit(fmt::format("none of {} configurations works on {}; the first: {}: {}",
                                  tuning.tried, info.device.name, status_name(first_failure.status),
                                  first_failure.detail));
  }
  std::ranges::stable_sort(ranked, {}, kTime);
  tuning.best = ranked.front().second;
  if (interrupted) return tuning;

  std::vector<Finalist> finalists;
  for (std::size_t i = 0; i < std::min(ranked.size(), 1 + kRunnersUp); ++i)
    finalists.push_back({"fixed", ranked[i].second});
  if (!space_.local_is_bound)
    for (const Finalist& rule :
         rule_launches(task, info.device, bench_->kernel_of(*tuning.best), *tuning.best))
      if (measurements.outcome_of(rule.launch, rule.rule).status == Status::ok)
        finalists.push_back(rule);
  const auto compared =
      measurements.measured() == 0 ? measurements.compared(finalists) : std::nullopt;
  tuning.best = compared ? *compared : measurements.compare(finalists);
  return tuning;
}

}  // namespace clgauss::tune
