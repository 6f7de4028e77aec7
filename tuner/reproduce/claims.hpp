#pragma once
/// What a document claims, judged by what was measured here: the table at the end of each
/// document's page.

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

/// Judges claims on ratios by their whole intervals; where the interval, or the `floor` of the A/A
/// control beside it, holds what is claimed, the claim cannot be told.
class Judge {
 public:
  explicit Judge(double floor = 0) : floor_(floor) {}

  /// That something is more than `least` times.
  [[nodiscard]] Claim over(std::string claim, std::string published,
                           const std::optional<Estimate>& here, double least,
                           const std::string& why_not) const;
  /// That something is less than `most` times.
  [[nodiscard]] Claim under(std::string claim, std::string published,
                            const std::optional<Estimate>& here, double most,
                            const std::string& why_not) const;

  /// That something is from `least` to `most` times.
  [[nodiscard]] Claim between(std::string claim, std::string published,
                              const std::optional<Estimate>& here, double least, double most,
                              const std::string& why_not) const;

 private:
  double floor_;
};

/// `n`: where they are judged.
[[nodiscard]] Table table_of(const std::vector<Claim>& claims, std::optional<std::size_t> n = {});

}  // namespace clgauss::tune
