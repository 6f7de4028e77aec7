#include "tuner/auto/elimination_tuner.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <map>
#include <set>

#include "statistics.hpp"
#include "tuner/experiments/contest.hpp"

namespace clgauss::tune {

namespace {

using Rule = WorkGroupPolicy::Rule;

WorkGroupPolicy policy_of(std::size_t local) {
  return local == 0 ? WorkGroupPolicy{Rule::driver, 0} : WorkGroupPolicy{Rule::fixed, local};
}

/// Measures sets of sizes, each in turns, and remembers the last median of each.
class Rounds {
 public:
  Rounds(Context& context, RealType type, Index n, const std::function<void()>& between)
      : context_(context), type_(type), n_(n), between_(between) {}

  void run(const std::set<std::size_t>& locals, std::size_t steps, std::size_t repetitions,
           double timeout_s) {
    EliminationOptions options;
    options.type = type_;
    options.steps = steps;
    options.repetitions = repetitions;
    options.timeout_s = timeout_s;
    std::vector<WorkGroupPolicy> policies;
    for (const std::size_t local : locals) policies.push_back(policy_of(local));
    for (const auto& result : EliminationBench(context_, n_, options).measure(policies, between_)) {
      times_.erase(result.policy.size);
      if (result.outcome.status == Status::ok)
        times_[result.policy.size] = median(result.outcome.times_ns);
      tried_.insert(result.policy.size);
    }
  }

  /// The fastest `count` sizes of those in the last rounds, the fastest first.
  [[nodiscard]] std::vector<TunedSize> best(std::size_t count) const {
    std::vector<TunedSize> sizes;
    for (const auto& [local, time_ns] : times_) sizes.push_back({local, time_ns});
    std::ranges::sort(sizes, {}, &TunedSize::time_ns);
    sizes.resize(std::min(count, sizes.size()));
    return sizes;
  }

  [[nodiscard]] TunedSize at(std::size_t local) const {
    const auto found = times_.find(local);
    return {local, found == times_.end() ? 0 : found->second};
  }

  [[nodiscard]] bool was_tried(std::size_t local) const { return tried_.contains(local); }
  [[nodiscard]] std::size_t tried() const { return tried_.size(); }
  void forget() { times_.clear(); }

 private:
  Context& context_;
  RealType type_;
  Index n_;
  const std::function<void()>& between_;
  std::map<std::size_t, double> times_;
  std::set<std::size_t> tried_;
};

}  // namespace

EliminationTuning tune_elimination(Context& context, RealType type, Index n,
                                   const std::vector<std::size_t>& seeds,
                                   const std::function<void()>& between) {
  constexpr double kClearly = 0.97;
  constexpr double kRoundTimeout = 2;  // a size that is so slow at few steps is out of the question
  const std::vector<Candidate> rules = rule_candidates(context, type);
  const std::size_t rule = rules[1].policy.size, multiple = rules[2].policy.size,
                    limit = rules[3].policy.size;
  const auto rounded = [&](std::size_t size) {
    return (size + multiple - 1) / multiple * multiple;
  };

  std::set<std::size_t> first{0, rule, multiple, limit};
  for (std::size_t size = 32; size <= limit; size *= 2) first.insert({size, size + size / 2});
  for (std::size_t parts = 1; parts <= 4; ++parts) first.insert(rounded((n + parts) / parts));
  first.insert(seeds.begin(), seeds.end());
  std::erase_if(first, [&](std::size_t size) { return size > limit; });

  Rounds rounds(context, type, n, between);
  rounds.run(first, 8, 3, kRoundTimeout);
  std::set<std::size_t> second;
  for (const TunedSize& size : rounds.best(2))
    for (const std::size_t step : {multiple, 4 * multiple}) {
      if (size.local > step) second.insert(size.local - step);
      if (size.local > 0 && size.local + step <= limit) second.insert(size.local + step);
    }
  std::erase_if(second, [&](std::size_t size) { return rounds.was_tried(size); });
  if (!second.empty()) rounds.run(second, 8, 3, kRoundTimeout);

  std::set<std::size_t> last{0, rule};
  for (const TunedSize& size : rounds.best(4)) last.insert(size.local);
  rounds.forget();
  rounds.run(last, 64, 7, 16 * kRoundTimeout);
  const std::vector<TunedSize> best = rounds.best(2);
  if (best.empty())
    throw DeviceLimit("no work-group size can run gauss_fwd on " + context.profile().name);
  const bool by_driver = best.front().local == 0;
  const bool safe = 1.5 * static_cast<double>(n) < static_cast<double>(limit);
  const bool clear = best.size() < 2 || best[0].time_ns < kClearly * best[1].time_ns;
  return {by_driver && best.size() > 1 && !(safe && clear) ? best[1] : best[0], rounds.at(0),
          rounds.at(rule), rounds.tried()};
}

}  // namespace clgauss::tune
