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

Prepared guarded_prepare(const std::function<Prepared()>& prepare) {
  Prepared prepared;
  const Outcome failure = guarded([&]() -> Outcome {
    prepared = prepare();
    return {};
  });
  return failure.status == Status::ok ? prepared : Prepared{failure};
}

Prepared repeated(const TimingOptions& options, double expected_s,
                  std::function<void(std::size_t passes)> run) {
  if (!(expected_s <= options.timeout_s)) return {too_slow(expected_s)};
  double pass_s = expected_s;
  const auto pass_of_s = [run = std::move(run)](std::size_t passes) {
    return time_once([&] { run(passes); }) / static_cast<double>(passes);
  };
  for (std::size_t w = 0; w < options.warmups; ++w) {
    if (options.between) options.between();
    pass_s = pass_of_s(passes_for(pass_s, kShortest, kMostPasses));
  }
  const std::size_t passes = passes_for(pass_s, kShortest, kMostPasses);
  return {{},
          [pass_of_s, passes] { return 1e9 * pass_of_s(passes); },
          pass_s * static_cast<double>(passes)};
}

Prepared checked(double timeout_ns, std::string_view what, std::function<double()> timed_ns,
                 const std::function<std::string()>& fault) {
  const double first_ns = timed_ns();
  if (!(first_ns <= timeout_ns))
    return {{Status::timeout, fmt::format("{:.3g} s {}", first_ns * 1e-9, what), {}}};
  if (const std::string wrong = fault(); !wrong.empty()) return {{Status::wrong_result, wrong, {}}};
  return {{}, std::move(timed_ns), first_ns * 1e-9};
}

Outcome time_at_once(const RunLimits& limits, Prepared prepared) {
  Outcome& outcome = prepared.outcome;
  while (prepared.timed_ns && outcome.times_ns.size() < limits.repetitions) {
    outcome.times_ns.push_back(prepared.timed_ns());
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
