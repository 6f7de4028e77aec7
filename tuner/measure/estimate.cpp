#include "tuner/measure/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/error.hpp>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <random>
#include <thread>

#include "operating_system.hpp"
#include "statistics.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kResamples = 1000, kRangeBelow = 9;
constexpr double kTail = 0.025;

/// Seconds that cores were busy with other programs; empty where the machine does not say.
std::optional<double> others_seconds() {
  const std::optional<double> all = operating_system::busy_core_seconds();
  if (!all) return std::nullopt;
  return *all - static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double median_of(std::span<const double> samples) {
  return median({samples.begin(), samples.end()});
}

/// The median of as many samples drawn with replacement.
double resampled_median(std::span<const double> samples, std::mt19937& random,
                        std::vector<double>& drawn) {
  drawn.resize(samples.size());
  for (double& value : drawn) value = samples[random() % samples.size()];
  const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
  std::ranges::nth_element(drawn, middle);
  if (drawn.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(drawn.begin(), middle)) / 2;
}

/// The interval of a value of which `resample` gives a possible other.
template <typename Resample>
void set_interval(Estimate& estimate, const Resample& resample) {
  std::vector<double> values(kResamples);
  for (double& value : values) value = resample();
  estimate.low = quantile(values, kTail);
  estimate.high = quantile(std::move(values), 1 - kTail);
}

void require_samples(std::span<const double> samples) {
  if (samples.empty()) throw UsageError("an estimate of no samples");
}

}  // namespace

Estimate estimate(std::span<const double> samples) {
  require_samples(samples);
  Estimate result{median_of(samples), 0, 0, samples.size()};
  if (samples.size() < kRangeBelow) {
    const auto [least, greatest] = std::ranges::minmax(samples);
    result.low = least;
    result.high = greatest;
    return result;
  }
  std::mt19937 random(1);
  std::vector<double> drawn;
  set_interval(result, [&] { return resampled_median(samples, random, drawn); });
  return result;
}

Estimate ratio_of(std::span<const double> a, std::span<const double> b) {
  require_samples(a);
  require_samples(b);
  Estimate result{median_of(a) / median_of(b), 0, 0, std::min(a.size(), b.size())};
  if (result.count < kRangeBelow) {
    const Estimate of_a = estimate(a), of_b = estimate(b);
    result.low = of_a.low / of_b.high;
    result.high = of_a.high / of_b.low;
    return result;
  }
  std::mt19937 random(1);
  std::vector<double> drawn;
  set_interval(result, [&] {
    return resampled_median(a, random, drawn) / resampled_median(b, random, drawn);
  });
  return result;
}

MedianInterval median_interval(std::size_t count, double error) {
  // P(fewer than r of `count` values lie below the median) = sum_{i < r} C(count, i) / 2^count.
  double term = std::exp2(-static_cast<double>(count)), below = term;
  MedianInterval widest{0, count == 0 ? 0 : 1 - 2 * below};
  MedianInterval interval = widest;
  for (std::size_t rank = 1; 2 * rank < count; ++rank) {
    term *= static_cast<double>(count - rank + 1) / static_cast<double>(rank);
    below += term;
    if (2 * below > error) break;
    interval = {rank, 1 - 2 * below};
  }
  return widest.coverage < 1 - error ? widest : interval;
}

Estimate paired_ratio(const RoundTimes& a, const RoundTimes& b, std::size_t comparisons) {
  std::vector<double> ratios;
  for (std::size_t i = 0, j = 0; i < a.rounds.size() && j < b.rounds.size();) {
    if (a.rounds[i] == b.rounds[j])
      ratios.push_back(a.times[i++] / b.times[j++]);
    else
      ++(a.rounds[i] < b.rounds[j] ? i : j);
  }
  if (ratios.empty()) throw UsageError("a paired ratio of no round");
  std::ranges::sort(ratios);
  const double error = kError / static_cast<double>(std::max<std::size_t>(comparisons, 1));
  const auto [rank, coverage] = median_interval(ratios.size(), error);
  Estimate result{median(ratios), ratios[rank], ratios[ratios.size() - 1 - rank], ratios.size()};
  if (coverage < 1 - error) {
    result.low = 0;
    result.high = std::numeric_limits<double>::infinity();
  }
  return result;
}

Estimate inverse(const Estimate& ratio) {
  return {1 / ratio.median, 1 / ratio.high, 1 / ratio.low, ratio.count};
}

Estimate operator+(const Estimate& a, const Estimate& b) {
  return {a.median + b.median, a.low + b.low, a.high + b.high, std::min(a.count, b.count)};
}

Estimate operator/(const Estimate& a, const Estimate& b) {
  return {a.median / b.median, a.low / b.high, a.high / b.low, std::min(a.count, b.count)};
}

double noise_floor(std::span<const double> times, std::span<const double> twin) {
  if (times.empty() || twin.empty()) return 0;
  const double ratio = median_of(times) / median_of(twin);
  return std::max(ratio, 1 / ratio) - 1;
}

Order order_of(const Estimate& ratio, double floor) {
  const double least = ratio.single() ? kSingleRunFactor : 1 + floor;
  if (ratio.high * least < 1) return Order::faster;
  if (ratio.low > least) return Order::slower;
  return Order::tie;
}

Order order_of(std::span<const double> times, std::span<const double> others, double floor) {
  return order_of(ratio_of(times, others), floor);
}

std::vector<std::string> doubts_of(std::span<const double> samples) {
  constexpr std::size_t fewest = 4;
  constexpr double far = 10, slow = 1.1;  // robust standard deviations; of the rest's median
  std::vector<std::string> doubts;
  if (samples.size() < fewest) return doubts;
  const Statistics all = statistics({samples.begin(), samples.end()});
  // 1.4826 mad is the standard deviation where times are normal; a clock that ticks coarsely gives
  // 0.
  const double deviation = std::max(1.4826 * all.mad, 0.002 * all.median);
  const auto outlying = [&](double time) { return std::abs(time - all.median) > far * deviation; };
  const bool first_slow = outlying(samples.front()) && samples.front() > slow * all.median;
  const auto count = std::ranges::count_if(samples.subspan(first_slow ? 1 : 0), outlying);
  if (first_slow)
    doubts.push_back(fmt::format("the first run took {:.3g} times the median: warm up longer",
                                 samples.front() / all.median));
  if (count > 0)
    doubts.push_back(fmt::format("{} of {} runs are far from the others", count, samples.size()));
  return doubts;
}

std::string load_doubt(double busy, unsigned cores) {
  if (!(busy > cores / 3.0)) return {};
  return fmt::format("other programs use this machine: they keep {:.2g} of {} cores busy", busy,
                     cores);
}

double busy_cores() {
  constexpr auto kSpan = std::chrono::milliseconds(200);
  const std::optional<double> before = others_seconds();
  std::this_thread::sleep_for(kSpan);
  const std::optional<double> after = others_seconds();
  if (!before || !after) return 0;
  return std::max(*after - *before, 0.0) / std::chrono::duration<double>(kSpan).count();
}

std::string significant(double value, int digits) {
  const double size = std::abs(value), whole = std::pow(10, digits);
  if (!(size >= whole - 0.5 && size < 1e7)) return fmt::format("{:.{}g}", value, digits);
  const double last = std::pow(10, std::floor(std::log10(size))) * 10 / whole;
  return fmt::format("{:.0f}", std::round(value / last) * last);
}

std::string text_of(const Estimate& estimate, double unit, int digits) {
  const auto number = [&](double value) { return significant(value / unit, digits); };
  if (estimate.single()) return number(estimate.median) + " (single run)";
  return fmt::format("{} [{}, {}]", number(estimate.median), number(estimate.low),
                     number(estimate.high));
}

}  // namespace clgauss::tune
