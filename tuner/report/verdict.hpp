#pragma once
/// What the times say of the LCM rule, of the driver's default, and of the size to use.

#include <optional>
#include <string>
#include <vector>

#include "tuner/report/elimination_data.hpp"

namespace clgauss::tune::report {

/// A rule holds where its time is within this share of the best time.
inline constexpr double kHoldsWithin = 0.10;

/// What a choice costs: its time over the best of the sizes timed with it, minus 1, and where it costs that.
struct Regret {
  double regret = 0;
  std::size_t n = 0;
};

/// A value for --local, for sizes from..to.
struct Advice {
  std::size_t from = 0, to = 0;  // least and largest n among those that it is drawn from
  std::size_t count = 0;         // of these n
  std::string local;             // "driver" or a number
  Regret worst;
};

struct Verdict {
  std::optional<std::size_t> rule_local;
  std::size_t rule_sizes = 0;       // n at which the rule was timed beside other sizes
  std::size_t rule_holds_at = 0;    // of these
  std::optional<Regret> rule;       // the largest
  std::size_t rule_best_local = 0;  // the best at that n
  std::optional<Regret> driver_prime, driver_other;  // the largest, where n + 1 is prime, elsewhere
  std::vector<Advice> advice;                        // n < 1000, n >= 1000; those that were timed

  [[nodiscard]] bool rule_holds() const { return rule && rule_holds_at == rule_sizes; }
};

/// The fastest of `timings`; null if none is ok.
[[nodiscard]] const Timing* best_of(const std::vector<Timing>& timings);

/// The sizes that competed at each n: those of `rules`, or else of `sweep`.
[[nodiscard]] EliminationData::ByN contests_of(const EliminationData& data);

[[nodiscard]] Verdict verdict_of(const EliminationData& data);

/// In plain sentences. The first says whether the rule holds, the second what the driver's default costs, the third what to use.
[[nodiscard]] std::vector<std::string> sentences(const Verdict& verdict);

/// "12 %", "0.4 %"; from 10 times on "17 times": the share by which something costs more.
[[nodiscard]] std::string percent(double share);

}  // namespace clgauss::tune::report
