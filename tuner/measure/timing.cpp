#include "tuner/measure/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clock.hpp"
#include "tuner/measure/turns.hpp"

namespace clgauss::tune {

namespace {

constexpr double kShortest = 2e-3;
constexpr std::size_t kMostPasses = 64;
constexpr double kHopeless = 2;  // times the best

}  // namespace

double time_once(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return seconds_since(start);
}

std::size_t passes_for(double pass_s, double shortest_s, std::size_t most) {
  return static_cast<std::size_t>(
      std::clamp(std::ceil(shortest_s / pass_s), 1.0, static_cast<double>(most)));
}

Outcome too_slow(double expected_s) {
  return {Status::timeout, fmt::format("a run would take about {:.3g} s", expected_s), {}};
}

Outcome time_runs(const TimingOptions& options, double expected_s,
                  const std::function<void(std::size_t passes)>& run) {
  if (!(expected_s <= options.timeout_s)) return too_slow(expected_s);
  Outcome outcome;
  double pass_s = expected_s;
  for (std::size_t r = 0; r < options.warmups + options.repetitions; ++r) {
    if (options.between) options.between();
    const std::size_t passes = passes_for(pass_s, kShortest, kMostPasses);
    const double measured_s = time_once([&] { run(passes); }) / static_cast<double>(passes);
    if (r < options.warmups)
      pass_s = measured_s;
    else
      outcome.times_ns.push_back(1e9 * measured_s);
  }
  return outcome;
}

Outcome check_and_time(const RunLimits& limits, std::string_view what,
                       const std::function<double()>& timed_ns,
                       const std::function<std::string()>& fault) {
  const double first_ns = timed_ns();
  if (!(first_ns <= limits.timeout_ns))
    return {Status::timeout, fmt::format("{:.3g} s {}", first_ns * 1e-9, what), {}};
  if (const std::string wrong = fault(); !wrong.empty()) return {Status::wrong_result, wrong, {}};
  Outcome outcome;
  while (outcome.times_ns.size() < limits.repetitions) {
    outcome.times_ns.push_back(timed_ns());
    if (limits.best_ns && outcome.times_ns.front() > kHopeless * *limits.best_ns) {
      outcome.detail = "over twice the best: timed once";
      break;
    }
  }
  return outcome;
}

Duel duel(std::size_t rounds, const std::function<double()>& timed_a_ns,
          const std::function<double()>& timed_b_ns) {
  Turns turns = in_turns(rounds, 2 * rounds, {timed_a_ns, timed_b_ns}, 1);
  return {std::move(turns.times_ns[0]), std::move(turns.times_ns[1]), std::move(turns.twin_ns)};
}

}  // namespace clgauss::tune
