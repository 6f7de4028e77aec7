#include "tuner/auto/elimination_tuner.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <map>
#include <optional>
#include <set>

#include "statistics.hpp"
#include "tuner/experiments/contest.hpp"

namespace clgauss::tune {

namespace {

/// A size, 0 = left to the driver, and how it is launched.
using Launch = std::pair<std::size_t, SplitMode>;

Launch launch_of(const LaunchChoice& choice) { return {choice.policy.size, choice.split}; }

/// Measures sets of launches, each interleaved, and remembers the last times of each.
class Rounds {
 public:
  Rounds(Context& context, RealType type, Index n, const std::function<void()>& between)
      : context_(context), between_(between), n_(n) {
    options_.type = type;
  }

  void run(const std::set<Launch>& launches, std::size_t steps, std::size_t repetitions,
           double timeout_s) {
    options_.steps = steps;
    options_.repetitions = repetitions;
    options_.timeout_s = timeout_s;
    std::vector<LaunchChoice> choices;
    for (const auto& [local, split] : launches) {
      choices.push_back(fixed_candidate(local).choice);
      choices.back().split = split;
    }
    const auto results = EliminationBench(context_, n_, options_).measure(choices, between_);
    for (const EliminationResultOf& result : results.choices) {
      const Launch launch = launch_of(result.choice);
      points_.erase(launch);
      if (result.outcome.status == Status::ok) points_[launch] = point_of(result, "fixed");
      tried_.insert(launch.first);
    }
    if (results.control) control_ = point_of(*results.control, std::string(kControlRule));
  }

  /// The fastest `count` sizes of those in the last rounds, the fastest first.
  [[nodiscard]] std::vector<std::size_t> best(std::size_t count) const {
    std::vector<std::pair<double, std::size_t>> sizes;
    for (const auto& [launch, point] : points_)
      sizes.emplace_back(median(point.times_ns), launch.first);
    std::ranges::sort(sizes);
    std::vector<std::size_t> locals;
    for (std::size_t i = 0; i < std::min(count, sizes.size()); ++i)
      locals.push_back(sizes[i].second);
    return locals;
  }

  /// All that was timed since forget().
  [[nodiscard]] ContestResult result() const {
    std::vector<Point> points;
    for (const auto& [launch, point] : points_) points.push_back(point);
    if (control_) points.push_back(*control_);
    return contest_result(points);
  }

  [[nodiscard]] bool was_tried(std::size_t local) const { return tried_.contains(local); }
  [[nodiscard]] std::size_t tried() const { return tried_.size(); }
  void forget() { points_.clear(); }

 private:
  [[nodiscard]] Point point_of(const EliminationResultOf& result, const std::string& rule) const {
    Point point;
    point.row.n = n_;
    point.row.variant = ndrange_name(options_.ndrange);
    point.row.local = result.choice.policy.size;
    point.row.group = result.group;
    point.row.parameters = parameters_of(result.choice);
    point.row.rule = point.row.local == 0 && rule == "fixed" ? "driver" : rule;
    point.times_ns = result.outcome.times_ns;
    point.rounds = result.outcome.rounds;
    return point;
  }

  Context& context_;
  const std::function<void()>& between_;
  Index n_;
  EliminationOptions options_;
  std::map<Launch, Point> points_;
  std::optional<Point> control_;
  std::set<std::size_t> tried_;
};

/// What a launch of `local` in this way comes to, if it was timed.
const Timing* timing_of(const ContestResult& contest, Index n, const Launch& launch) {
  const auto& [local, split] = launch;
  const std::size_t group = std::min<std::size_t>(local, n + 1);
  const bool divides = group > 0 && (n + 1) % group == 0;
  LaunchChoice choice;
  choice.split = split;
  for (const Timing& timing : contest.timings)
    if (timing.ok() && timing.by_driver() == (local == 0) && timing.group == group &&
        timing.parameters == (divides && split != SplitMode::tall ? "" : parameters_of(choice)))
      return &timing;
  return nullptr;
}

}  // namespace

EliminationTuning tune_elimination(Context& context, RealType type, Index n,
                                   const std::vector<std::size_t>& seeds, const LaunchChoice* taken,
                                   const std::function<void()>& between) {
  constexpr double kRoundTimeout = 2;  // a size that is so slow at few steps is out of the question
  constexpr std::size_t kLastSteps = 32, kLastRounds = 10;
  const std::vector<Candidate> rules = rule_candidates(context, type, n);
  const auto size_of = [&](const char* name) {
    return candidate_of(rules, name).choice.policy.size;
  };
  const std::size_t multiple = size_of("multiple"), limit = size_of("max");
  const Launch driver{0, SplitMode::padded}, fit{size_of("fit"), SplitMode::round_up};
  const auto rounded = [&](std::size_t size) {
    return (size + multiple - 1) / multiple * multiple;
  };

  std::set<std::size_t> first{0, fit.first, size_of("lcm"), multiple, limit};
  for (std::size_t size = 32; size <= limit; size *= 2) first.insert({size, size + size / 2});
  for (std::size_t parts = 1; parts <= 4; ++parts) first.insert(rounded((n + parts) / parts));
  first.insert(seeds.begin(), seeds.end());
  // Above the n + 1 columns all are the same launch.
  std::erase_if(first, [&](std::size_t size) { return size > std::min(limit, rounded(n + 1)); });
  const auto in_one_launch = [&](const std::set<std::size_t>& sizes) {
    std::set<Launch> launches;
    for (const std::size_t size : sizes)
      launches.insert(size == 0 ? driver : Launch{size, SplitMode::round_up});
    return launches;
  };

  Rounds rounds(context, type, n, between);
  rounds.run(in_one_launch(first), 8, 3, kRoundTimeout);
  std::set<std::size_t> second;
  for (const std::size_t local : rounds.best(2))
    for (const std::size_t step : {multiple, 4 * multiple}) {
      if (local > step) second.insert(local - step);
      if (local > 0 && local + step <= std::min(limit, rounded(n + 1))) second.insert(local + step);
    }
  std::erase_if(second, [&](std::size_t size) { return rounds.was_tried(size); });
  if (!second.empty()) rounds.run(in_one_launch(second), 8, 3, kRoundTimeout);

  std::set<Launch> last{driver, fit};
  if (taken != nullptr) last.insert(launch_of(*taken));
  for (const std::size_t local : rounds.best(2))
    for (const SplitMode split :
         {SplitMode::padded, SplitMode::exact, SplitMode::round_up, SplitMode::tall})
      if (local > 0) last.insert({local, split});
  rounds.forget();
  rounds.run(last, kLastSteps, kLastRounds, 16 * kRoundTimeout);

  EliminationTuning tuning;
  tuning.last = rounds.result();
  tuning.tried = rounds.tried();
  const Timing* const best = fastest_choice(tuning.last, limit);
  if (best == nullptr)
    throw DeviceLimit("no work-group size can run gauss_fwd on " + context.profile().name);
  tuning.best = *best;
  tuning.local = best->by_driver() ? 0 : best->local;
  for (const auto& [local, split] : last)
    if (timing_of(tuning.last, n, {local, split}) == best && local == tuning.local)
      tuning.split = split;
  const Timing* const own = timing_of(tuning.last, n, driver);
  tuning.wins = own == nullptr || own == best || tuning.last.order(*best, *own) != Order::slower;
  for (const Launch& other_launch : {fit, taken != nullptr ? launch_of(*taken) : fit}) {
    const Timing* const other = timing_of(tuning.last, n, other_launch);
    if (other == nullptr) continue;  // it does not run
    tuning.incumbent = *other;
    tuning.wins =
        tuning.wins && other != best && tuning.last.order_to_best(*other) == Order::slower;
  }
  return tuning;
}

}  // namespace clgauss::tune
