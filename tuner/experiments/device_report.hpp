#pragma once
/// What a device does, in a few figures: speeds of what clgauss is made of, and the constants that
/// the laboratory's theories stand on.

#include <clgauss/context.hpp>
#include <string>
#include <vector>

#include "tuner/experiments/experiment.hpp"

namespace clgauss::tune {

/// One figure: the median of `times_ns` as a rate, or as a time.
struct DeviceFigure {
  std::string what;       // "lu", "gemm", "batch of 512", "upload" ..
  std::string type = {};  // "f32", "f64"; empty where there is none
  std::size_t n = 0;      // order of the matrices, bytes of a chain, 0 where there is none
  std::string unit = {};  // "GFLOP/s", "GB/s", "us", "ns"
  double value = 0;
  std::vector<double> times_ns = {};
  std::string problem = {};  // why there is no value
};

/// Measures for about `budget_s` seconds; what is not begun by then is left out. Larger n come last
/// and only while they fit the device's memory and the time. Answers are checked before they are
/// timed. `progress` may throw to stop.
[[nodiscard]] std::vector<DeviceFigure> device_figures(Context& context, double budget_s,
                                                       const ExperimentProgress& progress);

}  // namespace clgauss::tune
