#include "bench_measure.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "clock.hpp"
#include "command_line/progress_line.hpp"

namespace clgauss::bench {

namespace {

/// OpenBLAS's threads spin for some 20 ms after their last work, which would slow whoever comes
/// next on the same cores.
constexpr std::chrono::milliseconds kPause{50};

double timed_run_ms(Contestant& contestant) {
  std::this_thread::sleep_for(kPause);
  contestant.restore();
  const auto begin = std::chrono::steady_clock::now();
  contestant.run();
  return 1e3 * seconds_since(begin);
}

}  // namespace

std::vector<Measurement> run_match(const Problem& problem, const std::vector<Entry>& entries,
                                   int rounds) {
  cli::ProgressLine line(true);
  const std::string title = fmt::format("{} {} n = {}", what_name(problem.size.what),
                                        real_type_name(problem.size.type), problem.size.n);
  std::vector<Measurement> measurements;
  for (const auto& [name, contestant] : entries) {
    line.update(title, 0);
    contestant->restore();
    contestant->run();
    const Accuracy accuracy = check(problem, contestant->result());
    measurements.push_back({std::string(name), contestant->detail(), accuracy, {}});
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      line.update(title, static_cast<double>(round) / rounds);
      measurements[i].samples_ms.push_back(timed_run_ms(*entries[i].contestant));
    }
  return measurements;
}

}  // namespace clgauss::bench
