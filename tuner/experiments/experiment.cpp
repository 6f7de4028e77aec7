#include "tuner/experiments/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

namespace clgauss::tune {

void require_one_ok(const DeviceProfile& device, const std::vector<Point>& points) {
  if (!points.empty() &&
      std::ranges::all_of(points, [](const Point& point) { return point.times_ns.empty(); }))
    throw DeviceLimit(fmt::format("nothing that was asked for can run on {}: {}", device.name,
                                  points.front().row.detail));
}

}  // namespace clgauss::tune
