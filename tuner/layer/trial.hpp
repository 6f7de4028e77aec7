#pragma once
/// Which way of a launch is the fastest, tried on launches that a program makes anyway.

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tuner/layer/shape.hpp"

namespace clgauss::layer {

/// A way to launch what a program leaves to the driver: groups that divide the range, or, `split`,
/// groups of the main part.
struct Way {
  Shape group;
  bool split = false;

  bool operator==(const Way&) const = default;
};

/// "256 x 1", "split, 256 x 1".
[[nodiscard]] std::string text(const Way& way);

/// What a trial found.
struct Verdict {
  std::optional<Way> way;  // empty: the driver's own size stays
  double gain = 1;         // driver's time / the way's, median of the rounds; 1 without a way
  double tried_gain = 0;   // the same of the way that was compared last, whatever came of it
  double floor = 0;        // the share by which equal launches differed
};

/// Tries some ways against the driver's own size: each once to warm up; kChoosing rounds of all to
/// choose one; kComparing rounds of that one, the driver's own size and the driver's own size once
/// more, as its control. The order within a round is random. The choice and the comparison share no
/// time, so that what was fast by chance is not kept for it. At most 43 launches for four ways.
class Trial {
 public:
  static constexpr std::size_t kChoosing = 3, kComparing = 9;

  /// What one launch is for.
  struct Turn {
    std::optional<std::size_t> way;  // index; empty: the driver's own
    std::size_t lane = 0, round = 0;
  };

  explicit Trial(std::vector<Way> ways);

  [[nodiscard]] const std::vector<Way>& ways() const { return ways_; }
  /// What the next launch is to be. Empty where the trial is over, or goes on only when launches
  /// that were given out have ended.
  [[nodiscard]] std::optional<Turn> next();
  /// What the launch of a turn took; empty where that is not known. Turns may end in any order.
  void add(const Turn& turn, std::optional<double> time_ns);
  /// A way that the driver refuses.
  void give_up(std::size_t way);
  [[nodiscard]] bool is_over() const { return phase_ == Phase::over; }
  /// A way is kept if it is faster by the paired ratio of the rounds (estimate.hpp), by more than
  /// the noise and 5 %; by 25 % if it is split, as several launches cost the host more.
  [[nodiscard]] Verdict verdict() const;
  /// The median of a way's times, where there are any.
  [[nodiscard]] std::optional<double> median_ns(std::size_t way) const;

 private:
  enum class Phase { warming, choosing, comparing, over };
  /// The times of one way in one phase.
  struct Lane {
    std::vector<double> times_ns;
    std::vector<std::size_t> rounds;
  };

  void go_on();
  void plan(std::size_t rounds, const std::vector<Turn>& contenders);
  void choose();

  std::vector<Way> ways_;
  std::vector<bool> given_up_;
  std::vector<Lane> choosing_;            // of the ways
  Lane chosen_times_, driver_, control_;  // of the comparison
  std::optional<std::size_t> chosen_;
  std::vector<Turn> turns_;  // the last is the next
  std::size_t running_ = 0;
  Phase phase_ = Phase::warming;
  std::mt19937 random_{1};
};

}  // namespace clgauss::layer
