#pragma once
/// What repeated times allow to say: medians with intervals, which of two is faster, and when
/// nothing can be said. Every verdict of the laboratory and of the tuner is made here.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace clgauss::tune {

/// A median and its 95 % interval, in the unit of the samples. Of a single run the interval is the
/// run itself and says nothing.
struct Estimate {
  double median = 0, low = 0, high = 0;
  std::size_t count = 0;  // samples

  [[nodiscard]] bool single() const { return count == 1; }
};

/// Percentile bootstrap of the median: resampled a thousand times, the same way each time. Below
/// nine samples, where it would be too narrow (84 % with seven), the interval is their whole range.
/// Throws UsageError if there is no sample.
[[nodiscard]] Estimate estimate(std::span<const double> samples);

/// median(a) / median(b) with its interval, both resampled; `count` is the smaller of the two.
[[nodiscard]] Estimate ratio_of(std::span<const double> a, std::span<const double> b);
/// 1 / ratio.
[[nodiscard]] Estimate inverse(const Estimate& ratio);
/// Of numbers that were not measured together: bounds of the sum and of the quotient from the
/// bounds of both.
[[nodiscard]] Estimate operator+(const Estimate& a, const Estimate& b);
[[nodiscard]] Estimate operator/(const Estimate& a, const Estimate& b);

/// Which of so many sorted values hold the median between them: the `rank`-th from either end
/// (from 0), and with what probability, by the sign test. No distribution is assumed.
struct MedianInterval {
  std::size_t rank = 0;
  double coverage = 0;
};
/// The narrowest with a coverage of at least 1 - error; where even the whole range has less, that.
[[nodiscard]] MedianInterval median_interval(std::size_t count, double error);

/// The most that equal launches may differ: gains of tuning are not told from more.
inline constexpr double kMostNoise = 0.05;

/// The share of verdicts that may be wrong.
inline constexpr double kError = 0.05;

/// Times, and the round in which each was taken, ascending.
struct RoundTimes {
  std::span<const double> times;
  std::span<const std::size_t> rounds;
};

/// The median of a / b over the rounds in which both were timed, so that what a machine did in a
/// round counts for both, with the interval of median_interval(); `count` rounds. As one of
/// `comparisons` that are all to be right at once, its error is that share of kError (Bonferroni).
/// Where so few rounds cannot be that sure, the interval is 0 to infinity. Throws UsageError where
/// there is no such round.
[[nodiscard]] Estimate paired_ratio(const RoundTimes& a, const RoundTimes& b,
                                    std::size_t comparisons = 1);

/// The times of something and of its twin, taken in the same rounds, differ by this share although
/// nothing differs: the floor below which no difference means anything. 0 where there is no twin.
[[nodiscard]] double noise_floor(std::span<const double> times, std::span<const double> twin);

/// A single run is believed only from this factor on.
inline constexpr double kSingleRunFactor = 2;

enum class Order { faster, slower, tie };

/// How times with this ratio to others stand to these: faster or slower only if the whole interval
/// is beyond the floor.
[[nodiscard]] Order order_of(const Estimate& ratio, double floor);
[[nodiscard]] Order order_of(std::span<const double> times, std::span<const double> others,
                             double floor);

/// What makes times doubtful, in plain words: outliers, a slow first run. `samples` in the order in
/// which they were taken.
[[nodiscard]] std::vector<std::string> doubts_of(std::span<const double> samples);

/// That others use the machine: said where they keep more than a third of the cores busy; else
/// empty.
[[nodiscard]] std::string load_doubt(double busy, unsigned cores);
/// How many cores other programs keep busy now, over a fifth of a second, which it takes; 0 where
/// the machine does not say. No load average: that tells of the last minute, in which the caller's
/// own build may have ended.
[[nodiscard]] double busy_cores();

/// With `digits` significant digits and, below ten millions, no exponent: 0.0123, 41700.
[[nodiscard]] std::string significant(double value, int digits);

/// "12.3 [11.9, 12.8]", or "12.3 (single run)"; numbers divided by `unit`, with `digits`
/// significant digits.
[[nodiscard]] std::string text_of(const Estimate& estimate, double unit = 1, int digits = 4);

}  // namespace clgauss::tune
