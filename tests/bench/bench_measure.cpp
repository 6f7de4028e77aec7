#include "bench_measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

namespace clgauss::bench {

namespace {

/// OpenBLAS's threads spin for some 20 ms after their last work, which would slow whoever comes
/// next on the same cores.
constexpr std::chrono::milliseconds kPause{50};

/// One line on a terminal that says what goes on, and nothing anywhere else.
class ProgressLine {
 public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { show({}); }

  void show(const std::string& text) const {
    if (!terminal_) return;
    fmt::print(stderr, "\r\033[K{}", text);
    std::fflush(stderr);
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
};

double median_of_sorted(const std::vector<double>& values) {
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

double timed_run_ms(Contestant& contestant) {
  std::this_thread::sleep_for(kPause);
  contestant.restore();
  const auto begin = std::chrono::steady_clock::now();
  contestant.run();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

}  // namespace

Statistics statistics(const std::vector<double>& samples_ms) {
  std::vector<double> sorted = samples_ms;
  std::ranges::sort(sorted);
  const double median = median_of_sorted(sorted);
  std::vector<double> deviations;
  for (const double sample : sorted) deviations.push_back(std::abs(sample - median));
  std::ranges::sort(deviations);
  return {median, sorted.front(), sorted.back(), median_of_sorted(deviations)};
}

std::vector<Measurement> run_match(const Problem& problem, const std::vector<Entry>& entries,
                                   int rounds) {
  const ProgressLine line;
  const std::string title = fmt::format("{} {} n = {}", what_name(problem.size.what),
                                        real_type_name(problem.size.type), problem.size.n);
  std::vector<Measurement> measurements;
  for (const auto& [name, contestant] : entries) {
    line.show(fmt::format("{}: checking {}", title, name));
    contestant->restore();
    contestant->run();
    const Accuracy accuracy = check(problem, contestant->result());
    measurements.push_back({std::string(name), contestant->detail(), accuracy, {}});
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      line.show(fmt::format("{}: {}, round {} of {}", title, entries[i].name, round + 1, rounds));
      measurements[i].samples_ms.push_back(timed_run_ms(*entries[i].contestant));
    }
  return measurements;
}

}  // namespace clgauss::bench
