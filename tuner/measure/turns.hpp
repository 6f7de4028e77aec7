#pragma once
/// Several that work, timed interleaved.

#include <cstddef>
#include <functional>
#include <vector>

namespace clgauss::tune {

/// The times of contenders, and of the twin of one of them.
struct Turns {
  std::vector<std::vector<double>> times_ns;  // of each contender, in their order
  std::vector<double> twin_ns;                // of `twin_of` once more, as if it were another
  std::size_t twin_of = 0;

  /// By how much equal things differ: noise_floor() of `twin_of` and its twin.
  [[nodiscard]] double floor() const;
  /// The fastest by the median, and those statistically tied with it.
  [[nodiscard]] std::vector<bool> may_be_best() const;
};

/// Times every contender, and `twin_of` once more as its own control, `rounds` times interleaved,
/// each round in a random order, after one run of each that warms up. Then those that may be the
/// fastest, `twin_of` and its twin go on until one is alone, or `further` rounds are over.
[[nodiscard]] Turns in_turns(std::size_t rounds, std::size_t further,
                             const std::vector<std::function<double()>>& timed_ns,
                             std::size_t twin_of = 0);

}  // namespace clgauss::tune
