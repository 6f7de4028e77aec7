#include "tuner/auto/method_tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>

#include "statistics.hpp"
#include "tuner/measure/timing.hpp"
#include "tuner/measure/turns.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kMethodRounds = 5, kFurther = 6;
constexpr std::array kMethods{Method::lu, Method::mixed, Method::rbt};

/// What came of the methods at one n, in the order of kMethods; empty where one did not work.
struct AtSize {
  std::array<std::vector<double>, kMethods.size()> times_ns;
  double floor = 0;

  [[nodiscard]] Order order(std::size_t a, std::size_t b) const {
    return order_of(times_ns[a], times_ns[b], floor);
  }
  /// Whether method `a` is there and faster than method `b`.
  [[nodiscard]] bool beats(std::size_t a, std::size_t b) const {
    return !times_ns[a].empty() && (times_ns[b].empty() || order(a, b) == Order::faster);
  }
};

class MethodBench {
 public:
  MethodBench(const Context& context, const ContextOptions& options, Index n,
              const std::function<void()>& between)
      : queue_(context.queue()),
        options_(options),
        system_{random_matrix(n, n, 1), random_matrix(n, 1, 2)},
        between_(between) {}

  [[nodiscard]] AtSize measure() const {
    std::vector<std::size_t> working;
    std::vector<std::function<double()>> timed;
    for (std::size_t i = 0; i < kMethods.size(); ++i) {
      if (const std::string fault = fault_of(kMethods[i]); !fault.empty()) {
        if (kMethods[i] == Method::lu) throw DeviceLimit("the method lu fails: " + fault);
        continue;
      }
      working.push_back(i);
      timed.emplace_back([this, i] {
        double ns = 0;
        (void)solved(kMethods[i], ns);
        return ns;
      });
    }
    const Turns turns = in_turns(kMethodRounds, kFurther, timed);
    AtSize result;
    result.floor = turns.floor();
    for (std::size_t w = 0; w < working.size(); ++w)
      result.times_ns[working[w]] = turns.times_ns[w];
    return result;
  }

 private:
  [[nodiscard]] Solution solved(Method method, double& ns) const {
    between_();
    Context context(queue_, options_);
    SolveOptions options;
    options.method = method;
    Solution solution;
    ns = 1e9 * time_once([&] { solution = solve(context, system_, options); });
    return solution;
  }

  /// Why the method does not give the answer by itself; empty: it does.
  [[nodiscard]] std::string fault_of(Method method) const {
    std::string fault;
    const Outcome outcome = guarded([&]() -> Outcome {
      double ns = 0;
      const Solution solution = solved(method, ns);
      if (solution.status != SolveStatus::ok || solution.method != method)
        fault = fmt::format("scaled residual {:.3g}", solution.residual.scaled);
      return {};
    });
    return outcome.status == Status::ok ? fault : outcome.detail;
  }

  cl::CommandQueue queue_;
  const ContextOptions& options_;
  System system_;
  const std::function<void()>& between_;
};

/// From `n` on where a method was measured to win there; where it lost at the largest n, as it was
/// so far beyond.
Index from_where(Index smallest_won, Index largest, Index so_far) {
  if (smallest_won > 0) return smallest_won;
  return so_far > largest ? so_far : MethodChoice::kNever;
}

}  // namespace

MethodTuning tune_methods(const Context& context, const ContextOptions& options,
                          const MethodTask& task, const StopCondition& stop,
                          const std::function<void()>& between) {
  std::vector<Index> sizes = task.sizes;
  std::ranges::sort(sizes, std::greater());
  MethodTuning result;
  Index mixed_from = 0, rbt_from = 0;
  bool mixed_wins = true, rbt_wins = true;
  for (const Index n : sizes) {
    if (result.tried > 0 && stop(result.tried)) break;
    const AtSize found = MethodBench(context, options, n, between).measure();
    mixed_wins = mixed_wins && found.beats(1, 0);
    rbt_wins = rbt_wins && found.beats(2, 0) && !found.beats(1, 2);
    if (mixed_wins) mixed_from = n;
    if (rbt_wins) rbt_from = n;
    if (result.n == 0) {
      const auto& best = found.times_ns[rbt_wins ? 2 : mixed_wins ? 1 : 0];
      result.n = n;
      result.best_ns = median(best);
      result.lu_ns = median(found.times_ns[0]);
      result.gain = ratio_of(found.times_ns[0], best);
    }
    result.tried += kMethods.size();
    if (!mixed_wins && !rbt_wins) break;
  }
  result.choice.mixed_from = from_where(mixed_from, result.n, task.so_far.mixed_from);
  result.choice.rbt_from = from_where(rbt_from, result.n, task.so_far.rbt_from);
  return result;
}

}  // namespace clgauss::tune
