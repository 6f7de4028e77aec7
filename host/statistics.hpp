#pragma once
/// Statistics of repeated measurements.

#include <vector>

namespace clgauss {

/// In the unit of the samples.
struct Statistics {
  double median = 0, min = 0, max = 0;
  double mad = 0;  // median absolute deviation from the median
  double mean = 0;
  double standard_error = 0;  // of the mean; 0 for a single sample
};

/// Throws UsageError if there is no sample.
[[nodiscard]] Statistics statistics(const std::vector<double>& samples);
[[nodiscard]] double median(std::vector<double> samples);

/// The quantile `p` (0..1) of the samples, interpolated between neighbours.
[[nodiscard]] double quantile(std::vector<double> samples, double p);

}  // namespace clgauss
