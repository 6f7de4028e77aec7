#pragma once
/// What the layer tells of a program's launches when it ends.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/layer/site.hpp"

namespace clgauss::layer {

/// A table, the longest launches first, and advice in words behind it. Empty without launches.
[[nodiscard]] std::string report(const std::vector<const Site*>& sites, bool repairs);

/// Why launches of the kernel were changed or not, what was tried and what it took.
[[nodiscard]] std::string explanation(const std::vector<const Site*>& sites,
                                      const std::string& kernel);

/// {"repair": false, "launches": [{"kernel": "blur", "device": .., "driver": .., "range": [..],
/// "group": null, "driver_group": null, "launches": 12, "timed": 12, "device_ms": 3.1,
/// "degenerate": true, "way": null, "gain": null, "recalled": false, "tried": [{"way": .., "us":
/// ..}], "reason": ..}]}; null is what is not known or was not found.
[[nodiscard]] nlohmann::json as_json(const std::vector<const Site*>& sites, bool repairs);

}  // namespace clgauss::layer
