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

/// A value for --local, for sizes from..to: nothing that was timed there is faster by more than the
/// noise.
struct Advice {
  std::size_t from = 0, to = 0;  // least and largest n among those that it is drawn from
  std::size_t count = 0;         // of these n
  std::string local;             // "driver" or a number
  /// the LCM rule's time over it, where it is not the rule's own size
  std::optional<Cost> least, most;
};

/// At how many n something is faster than something else, and the most that it costs, or gains.
struct Counts {
  std::size_t faster = 0, ties = 0, slower = 0;
  std::optional<Cost> worst;
};

struct Verdict {
  std::optional<std::size_t> rule_local, rule_raw;
  std::size_t multiple = 0, limit = 0;
  std::size_t rule_sizes = 0;  // n at which the rule was timed beside other sizes
  std::size_t rule_ties = 0;   // of these: not told from the best
  std::optional<Cost> rule;    // the largest over the best
  std::string rule_best;       // the best at that n
  /// the driver over the LCM rule; n by the largest divisor of n + 1 within the limit
  Counts small_divisor, other;
  Counts rounded_up;  // one launch beyond the range and the best size in two, over that
  std::vector<std::size_t> driver_timeouts;  // n at which it took too long to be timed
  std::vector<Advice> advice;                // by ascending n

  /// The rule as clamped says no more than "the largest multiple up to the limit".
  [[nodiscard]] bool rule_is_largest() const;
};

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
