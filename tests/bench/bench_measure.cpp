#include "bench_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "clock.hpp"
#include "command_line/progress_line.hpp"

namespace clgauss::bench {

namespace {

/// OpenBLAS's threads spin for some 20 ms after their last work, which would slow whoever comes
/// next on the same cores.
constexpr std::chrono::milliseconds kPause{50};

struct TimedRun {
  double ms;
  std::string detail;
};

TimedRun timed_run(Contestant& contestant) {
  std::this_thread::sleep_for(kPause);
  contestant.restore();
  const auto begin = std::chrono::steady_clock::now();
  contestant.run();
  const double ms = 1e3 * seconds_since(begin);
  return {ms, contestant.detail()};
}

}  // namespace

std::vector<Measurement> run_match(const Problem& problem, const std::vector<Entry>& entries,
                                   int rounds) {
  cli::ProgressLine line(true);
  const std::string title = fmt::format("{} {} n = {}", what_name(problem.size.what),
                                        real_type_name(problem.size.type), problem.size.n);
  std::vector<Measurement> measurements;
  std::vector<std::vector<TimedRun>> runs(entries.size());
  for (const auto& [name, contestant] : entries) {
    line.update(title, 0);
    contestant->restore();
    contestant->run();
    const Accuracy accuracy = check(problem, contestant->result());
    measurements.push_back({std::string(name), {}, accuracy, {}});
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      line.update(title, static_cast<double>(round) / rounds);
      runs[i].push_back(timed_run(*entries[i].contestant));
    }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const TimedRun& run : runs[i]) measurements[i].samples_ms.push_back(run.ms);
    const auto middle = runs[i].begin() + (rounds - 1) / 2;
    std::ranges::nth_element(runs[i], middle, {}, &TimedRun::ms);
    measurements[i].detail = std::move(middle->detail);
  }
  return measurements;
}

}  // namespace clgauss::bench
