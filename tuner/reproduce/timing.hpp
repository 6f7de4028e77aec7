#pragma once
/// Wall-clock times of something that can be repeated.

#include <chrono>
#include <cstddef>
#include <functional>

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

}  // namespace clgauss::tune
