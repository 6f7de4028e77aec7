#pragma once
/// Wall-clock times of something that can be repeated.

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/estimate.hpp"
#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

struct TimingOptions {
  std::size_t warmups = 1;
  double timeout_s = 10;          // what is expected to take longer is not begun
  std::function<void()> between;  // called before each run that warms up; may throw to stop
};

/// What was built, checked and warmed up, and waits to be timed; or why it cannot be.
struct Prepared {
  Outcome outcome = {};  // so far
  std::function<double()> timed_ns =
      {};                 // runs once and returns the time; empty where nothing is to be timed
  double expected_s = 0;  // about what that takes
};

/// guarded() for what prepares.
[[nodiscard]] Prepared guarded_prepare(const std::function<Prepared()>& prepare);

/// Seconds that `run` takes.
[[nodiscard]] double time_once(const std::function<void()>& run);

/// An outcome that says that `expected_s` is more than is allowed.
[[nodiscard]] Outcome too_slow(double expected_s);

/// Warms up, and times one pass of `run(passes)`, which does its work `passes` times and waits for
/// the end. `expected_s` is how long one pass may be expected to take; a pass of under 2 ms is
/// repeated until the wait at the end does not count.
[[nodiscard]] Prepared repeated(const TimingOptions& options, double expected_s,
                                std::function<void(std::size_t passes)> run);

/// Passes of `pass_s` each that take `shortest_s` together, at least 1 and at most `most`.
[[nodiscard]] std::size_t passes_for(double pass_s, double shortest_s, std::size_t most);

/// When a search loses interest in what it times.
struct RunLimits {
  std::size_t repetitions = 5;
  std::optional<double> best_ns = {};  // what takes over twice as long is timed once
  double timeout_ns = std::numeric_limits<double>::infinity();  // a first run that takes longer
};

/// Runs once to warm up, for no longer than `timeout_ns`, and asks `fault` what is wrong with the
/// result (empty: nothing). `timed_ns` runs once and returns the time; `what` it runs is for
/// messages: "a product".
[[nodiscard]] Prepared checked(double timeout_ns, std::string_view what,
                               std::function<double()> timed_ns,
                               const std::function<std::string()>& fault);

/// Takes the times one after the other, as a search does.
[[nodiscard]] Outcome time_at_once(const RunLimits& limits, Prepared prepared);

/// The times of two that work, and of the second's twin.
struct Duel {
  std::vector<double> a_ns, b_ns, twin_ns;

  /// How many times as long B takes as A.
  [[nodiscard]] Estimate gain() const { return ratio_of(b_ns, a_ns); }
  [[nodiscard]] double floor() const { return noise_floor(b_ns, twin_ns); }
  /// Whether A is faster or slower than B.
  [[nodiscard]] Order order() const { return order_of(a_ns, b_ns, floor()); }
};

/// Times A, B and B once more, as its own control, in every round in a random order, after one of
/// each that warms up: `rounds`, or up to three times as many until the two separate.
[[nodiscard]] Duel duel(std::size_t rounds, const std::function<double()>& timed_a_ns,
                        const std::function<double()>& timed_b_ns);

}  // namespace clgauss::tune
