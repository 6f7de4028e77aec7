#include "statistics.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <numeric>

namespace clgauss {

double quantile(std::vector<double> samples, double p) {
  if (samples.empty()) throw UsageError("statistics of no samples");
  std::ranges::sort(samples);
  const double place = p * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double above = samples[std::min(below + 1, samples.size() - 1)];
  return std::lerp(samples[below], above, place - static_cast<double>(below));
}

double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

Statistics statistics(const std::vector<double>& samples) {
  Statistics result;
  result.median = median(samples);
  const auto [least, greatest] = std::ranges::minmax(samples);
  result.min = least;
  result.max = greatest;
  const auto count = static_cast<double>(samples.size());
  result.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  std::vector<double> deviations;
  double squares = 0;
  for (const double sample : samples) {
    deviations.push_back(std::abs(sample - result.median));
    squares += (sample - result.mean) * (sample - result.mean);
  }
  result.mad = median(deviations);
  if (samples.size() > 1) result.standard_error = std::sqrt(squares / (count - 1) / count);
  return result;
}

}  // namespace clgauss
