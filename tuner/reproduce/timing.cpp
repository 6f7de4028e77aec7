#include "tuner/reproduce/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clock.hpp"

namespace clgauss::tune {

namespace {

constexpr double kShortest = 2e-3;
constexpr double kMostPasses = 64;

std::size_t passes_for(double pass_s) {
  return static_cast<std::size_t>(std::clamp(std::ceil(kShortest / pass_s), 1.0, kMostPasses));
}

}  // namespace

double time_once(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return seconds_since(start);
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
    const std::size_t passes = passes_for(pass_s);
    const double measured_s = time_once([&] { run(passes); }) / static_cast<double>(passes);
    if (r < options.warmups)
      pass_s = measured_s;
    else
      outcome.times_ns.push_back(1e9 * measured_s);
  }
  return outcome;
}

}  // namespace clgauss::tune
