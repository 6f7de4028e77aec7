#pragma once
/// Wall-clock times of something that can be repeated.

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

struct TimingOptions {
  std::size_t repetitions = 5, warmups = 1;
  double timeout_s = 10;          // what is expected to take longer is not begun
  std::function<void()> between;  // called between repetitions; may throw to stop
};

/// Seconds that `run` takes.
[[nodiscard]] double time_once(const std::function<void()>& run);

/// An outcome that says that `expected_s` is more than is allowed.
[[nodiscard]] Outcome too_slow(double expected_s);

/// Times of one pass of `run(passes)`, which does its work `passes` times and waits for the end. `expected_s` is how long one pass
/// may be expected to take; a pass of under 2 ms is repeated until the wait at the end does not count.
[[nodiscard]] Outcome time_runs(const TimingOptions& options, double expected_s,
                                const std::function<void(std::size_t passes)>& run);

/// Passes of `pass_s` each that take `shortest_s` together, at least 1 and at most `most`.
[[nodiscard]] std::size_t passes_for(double pass_s, double shortest_s, std::size_t most);

/// When a search loses interest in what it times.
struct RunLimits {
  std::size_t repetitions = 5;
  std::optional<double> best_ns = {};  // what takes over twice as long is timed once
  double timeout_ns = std::numeric_limits<double>::infinity();  // a first run that takes longer
};

/// Runs once to warm up, asks `fault` what is wrong with the result (empty: nothing), and takes the times of further runs.
/// `timed_ns` runs once and returns the time; `what` it runs is for messages: "a product".
[[nodiscard]] Outcome check_and_time(const RunLimits& limits, std::string_view what,
                                     const std::function<double()>& timed_ns,
                                     const std::function<std::string()>& fault);

/// Median times of two that work, taken in turns A B A B over `pairs` pairs after one that warms up.
[[nodiscard]] std::pair<double, double> compare_in_turns(int pairs,
                                                         const std::function<double()>& timed_a_ns,
                                                         const std::function<double()>& timed_b_ns);

}  // namespace clgauss::tune
