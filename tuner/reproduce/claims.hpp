#pragma once
/// What a document claims, judged by what was measured here: the table at the end of each document's page.

#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/estimate.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::tune {

/// One claim. `verdict`: "holds", "does not hold", or "cannot be judged here: " and why.
struct Claim {
  std::string claim, published, here, verdict;
};

inline constexpr const char *kHolds = "holds", *kDoesNotHold = "does not hold";

/// kHolds or kDoesNotHold.
[[nodiscard]] std::string held(bool holds);
/// "cannot be judged here: " and `why`.
[[nodiscard]] Claim unjudged(std::string claim, std::string published, const std::string& why);

/// Of a claim that something is so many times as fast: holds where the interval lies above `least`; where it holds `least` the
/// claim cannot be told.
[[nodiscard]] Claim ratio_claim(std::string claim, std::string published,
                                const std::optional<Estimate>& here, double least,
                                const std::string& why_not);

[[nodiscard]] Table table_of(const std::vector<Claim>& claims);

}  // namespace clgauss::tune
