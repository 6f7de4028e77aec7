#pragma once
/// What the rows of one n say when they are judged: launches with intervals, which of them are the
/// fastest, and which cannot be told apart.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/estimate.hpp"
#include "tuner/rows/row.hpp"

namespace clgauss::tune {

/// One launch at one n - all rules that come to it - and the times of a whole elimination with it.
struct Timing {
  std::size_t n = 0;
  std::size_t local = 0,
              /// as asked for, and work-items of a group as launched; 0 = left to the driver
      group = 0;
  /// SPLIT=.. where the range is not cut in two parts of whole groups; empty where the groups
  /// divide it
  std::string parameters;
  std::vector<std::string> rules;   // driver, lcm, multiple, max, fixed ..: at least one
  std::vector<std::size_t> locals;  // all that come to this launch
  Status status = Status::ok;
  std::string detail;
  std::size_t steps = 0;
  bool estimated = false;
  std::vector<double> times_ns;
  /// beside times_ns: what was timed in the same round has the same number; empty: unknown
  std::vector<std::size_t> rounds;
  std::size_t launches = 0;       // of all timed steps
  std::string chosen, suggested;  // the driver's groups, as rows have them
  std::vector<double> device_ns;  // the device's own times
  double work = 0;                // floating-point operations; 0 = unknown
  Estimate ms;                    // of the median; 0 unless ok

  [[nodiscard]] bool ok() const { return !times_ns.empty(); }
  [[nodiscard]] bool has_rule(std::string_view rule) const;
  [[nodiscard]] bool by_driver() const { return has_rule("driver"); }
  /// "driver", "192", "256 round_up".
  [[nodiscard]] std::string name() const;
};

/// The launches that were timed interleaved at one n.
struct ContestResult {
  std::vector<Timing> timings;
  std::vector<Timing> empty;  // those that did nothing
  /// noise_floor() of the control, or of launches that were timed twice; 0 if there is neither
  double floor = 0;
  bool controlled = false,
       told_apart = false;    // a launch has a twin; their intervals tell the two apart, wrongly
  double expected_apart = 0;  // how often that is to be expected where nothing differs

  /// By the median; null if none is ok.
  [[nodiscard]] const Timing* best() const;
  /// The first with this rule, ok or not; null if there is none.
  [[nodiscard]] const Timing* of_rule(std::string_view rule) const;
  /// The best and those statistically tied with it, by their medians.
  [[nodiscard]] std::vector<const Timing*> indistinguishable() const;
  [[nodiscard]] Order order(const Timing& one, const Timing& other) const;
  /// The same for one of all the comparisons with the best, which was chosen by its times: all of
  /// them together are wrong no more often than one.
  [[nodiscard]] Order order_to_best(const Timing& one) const;
};

/// time / other's time with its interval, as one of so many comparisons: by rounds where both have
/// them. Both must be ok.
[[nodiscard]] Estimate ratio_of(const Timing& one, const Timing& other,
                                std::size_t comparisons = 1);

/// Of points of one n. Points that come to the same launch become one: the same measurement, or
/// their samples together; of different numbers of steps the larger counts.
[[nodiscard]] ContestResult contest_result(const std::vector<Point>& points);

/// The fastest of those that one may advise or store: launches that a solve can make, and the
/// driver's own only where it is safe. Null if there is none.
[[nodiscard]] const Timing* fastest_choice(const ContestResult& contest, std::size_t limit);

/// "512, 640, 768": names of `timings`.
[[nodiscard]] std::string names_of(const std::vector<const Timing*>& timings);

/// What a range of n + 1 leaves to the driver is no work-group size worth having near n where a
/// prime near it is above the limit.
[[nodiscard]] constexpr bool driver_is_safe(std::size_t n, std::size_t limit) {
  return 3 * n < 2 * limit;
}

}  // namespace clgauss::tune
