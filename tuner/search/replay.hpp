#pragma once
/// Searches on spaces that were measured in full, to see what a strategy is worth without a device.

#include <functional>
#include <string>
#include <vector>

#include "tuner/rows/t4.hpp"
#include "tuner/search/searcher.hpp"

namespace clgauss::tune {

/// A space in which every configuration's time, or failure, is known.
struct RecordedSpace {
  Space space;
  std::vector<std::optional<double>> times_ns;  // by the configuration's number; empty if it failed
  double best_ns = 0;                           // the optimum
};

/// Throws UsageError if a configuration comes twice or none is correct.
[[nodiscard]] RecordedSpace recorded_space(const T4File& file);

/// How many of another search's best a search begins with.
inline constexpr std::size_t kSeeds = 5;

/// At most `count` configurations of `space`, the best that `file`, of another device or size,
/// found: seeds for a search.
[[nodiscard]] std::vector<std::size_t> best_of(const T4File& file, const Space& space,
                                               std::size_t count);

/// The first `evaluations` configurations that one search tries; fewer where the space is
/// exhausted.
[[nodiscard]] std::vector<std::size_t> replay_once(const RecordedSpace& recorded,
                                                   Searcher& searcher, std::size_t evaluations);

/// Best time over best found time after 1, 2, .. `evaluations` of the configurations `tried`; 0
/// while all failed. A failure counts as an evaluation, and where the space is exhausted the last
/// value stays.
[[nodiscard]] std::vector<double> shares_found(const RecordedSpace& recorded,
                                               const std::vector<std::size_t>& tried,
                                               std::size_t evaluations);

struct ReplayOptions {
  std::vector<std::size_t> evaluations{10, 25, 50, 100, 200};
  std::size_t repeats = 100;
  std::uint64_t random_seed = 1;  // of the first repeat; each further one takes the next number
  std::vector<std::size_t> seeds = {};                 // configurations to start from
  std::function<void(double fraction)> progress = {};  // called after each repeat; may throw
  /// Hears what each search tried.
  std::function<void(std::size_t repeat, const std::vector<std::size_t>& tried)> trace = {};
};

/// Shares of the optimum after so many evaluations, over all repeats.
struct ReplayFigure {
  std::size_t evaluations = 0;
  double median = 0, percentile_10 = 0;
};

/// Runs a strategy `options.repeats` times. Throws UsageError for an unknown strategy, no or zero
/// evaluations or repeats.
[[nodiscard]] std::vector<ReplayFigure> replay(const RecordedSpace& recorded,
                                               std::string_view strategy,
                                               const ReplayOptions& options);

}  // namespace clgauss::tune
