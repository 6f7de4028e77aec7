#pragma once
/// What the times say of the LCM rule, of the driver's default, and of the size to use.

#include <optional>
#include <string>
#include <vector>

#include "tuner/report/elimination_data.hpp"

namespace clgauss::tune::report {

/// What a choice costs: its time over another's, with its interval, and where it costs that.
struct Cost {
  Estimate ratio;
  std::size_t n = 0;
};

/// A value for --local, and --split, for sizes from..to: nothing that was timed there is faster by
/// more than the noise, the driver's own among it.
struct Advice {
  std::size_t from = 0, to = 0;     // least and largest n among those that it is drawn from
  std::size_t count = 0;            // of these n
  std::string local;                // "driver", "fit", "192" or "256 --split round_up"
  std::optional<Cost> least, most;  // the driver's time over it
};

/// What one choice is worth over all n at which it and the driver's own were timed.
struct Standing {
  std::string choice;      // as Advice::local
  std::size_t count = 0;   // of the n
  double gain = 1;         // the driver's time over its, in the median
  Cost worst_gain;         // the least of these
  std::size_t slower = 0;  // n at which it is slower than the driver's own, by more than the noise
  double loss = 1;         // its time over that of the best launch timed, in the median
  Cost worst_loss;         // the largest of these
};

/// At how many n something is faster than something else, and the most that it costs, or gains.
struct Counts {
  std::size_t faster = 0, ties = 0, slower = 0;
  std::optional<Cost> worst;
};

struct Verdict {
  std::optional<std::size_t> rule_local, rule_raw;
  std::size_t multiple = 0, limit = 0;
  std::size_t rule_sizes = 0;    // n at which the rule was timed beside other sizes
  std::size_t rule_ties = 0;     // of these: not told from the best
  std::size_t rule_unclear = 0;  // of these: by noise alone, see kAlike
  std::optional<Cost> rule;      // the largest over the best
  std::string rule_best;         // the best at that n
  /// the driver over the LCM rule; n by the largest divisor of n + 1 within the limit
  Counts small_divisor, other;
  Counts rounded_up;  // one launch beyond the range and the best size in two, over that
  std::vector<std::size_t> driver_timeouts;  // n at which it took too long to be timed
  std::vector<Advice> advice;                // by ascending n
  /// n at which every launch that a solve may make by itself is slower than the driver's own
  std::vector<std::size_t> driver_best;
  std::optional<Standing> fit;  // of the rule fit
  /// Of what was timed at every n at which fit was, without fit at every n of `rules`: the least
  /// loss in all; fit where it is as good. Empty below kFewestN, and where the machine was too
  /// noisy.
  std::optional<Standing> choice;
  std::size_t judged = 0;  // n that `choice` is sought over
  double noise = 0;        // the median of the controls' floors

  /// The rule as clamped says no more than "the largest multiple up to the limit".
  [[nodiscard]] bool rule_is_largest() const;
};

/// What is statistically tied with the best is as good only if its interval ends below this; else
/// nothing can be said of it.
inline constexpr double kAlike = 1.25;
/// Below so many n there is no advice for all.
inline constexpr std::size_t kFewestN = 3;
/// Above this noise nothing is advised.
inline constexpr double kMostNoiseOfAdvice = 0.2;

/// What competed at each n: the launches of `rules`, or else of `sweep`.
[[nodiscard]] ByN contests_of(const EliminationData& data);

[[nodiscard]] Verdict verdict_of(const EliminationData& data);

/// "`--local 512` for n = 2000 to 6000, ..": what to use, without what it is worth. Empty if the
/// rows do not say.
[[nodiscard]] std::string advice_words(const Verdict& verdict);

/// In plain sentences: whether the rule holds, what the driver's default costs, what to use, how
/// noisy the machine was.
[[nodiscard]] std::vector<std::string> sentences(const Verdict& verdict);

}  // namespace clgauss::tune::report
