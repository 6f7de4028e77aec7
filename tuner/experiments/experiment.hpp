#pragma once
/// What every experiment hears, may take and has to say.

#include <clgauss/device.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune {

/// Hears of the share that is done and of what is being measured. May throw to stop.
using ExperimentProgress = std::function<void(double fraction, const std::string& what)>;

struct ExperimentLimits {
  std::optional<double> budget_s;  // nothing is begun after it
};

struct ExperimentSummary {
  std::size_t points = 0;    // asked for
  std::size_t measured = 0;  // now; the rest was there already or is left
  std::size_t left = 0;      // because the budget was used up
};

/// Throws DeviceLimit, with the first detail, if there are points and none of them is ok.
void require_one_ok(const DeviceProfile& device, const std::vector<Point>& points);

}  // namespace clgauss::tune
