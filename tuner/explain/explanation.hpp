#pragma once
/// The model beside what was measured, and what it says of a kernel that was not.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tuner/explain/observations.hpp"

namespace clgauss::tune {

/// A launch that was measured, or is to be (then `ns` of its observation is 0), and its prediction.
struct Explained {
  Observed observed;
  Prediction prediction;
  bool fitted = false;  // whether the constants were made from it, too
};

/// Of the same kernel, type and n: what the model picks among the sizes - of several for which the
/// host takes longest, that which takes the device least - and what was fastest.
struct Pick {
  const Explained* picked = nullptr;
  const Explained* best = nullptr;  // measured

  /// How many times as long the pick takes as the fastest, as measured.
  [[nodiscard]] double loss() const;
};

/// Constants from at most 400 of `observed`, evenly spread. Throws UsageError where none is left.
[[nodiscard]] DeviceConstants constants_from(const std::vector<Observed>& observed,
                                             const DeviceProfile& device);

/// Predicts all of `observed`; `fitted` says of which rows the constants were made. What is not
/// fitted is corrected by what the constants leave over of the fitted rows of its own kernel and
/// type, similar groups and n before others: constants of a device do not tell how well its
/// compiler did with a kernel. O(rows * fitted rows of a kernel).
[[nodiscard]] std::vector<Explained> explain(const std::vector<Observed>& observed,
                                             const DeviceConstants& device,
                                             const std::function<bool(const Row&)>& fitted);

/// The same, each kernel by constants that were made from the rows of all others.
[[nodiscard]] std::vector<Explained> explain_each_kernel(const std::vector<Observed>& observed,
                                                         const DeviceProfile& device);

/// One for each kernel, type and n of which two sizes or more were measured.
[[nodiscard]] std::vector<Pick> picks_of(std::span<const Explained> explained);

/// What is not fitted, against its measured time: the median of |predicted / measured - 1|, and the
/// share of picks within 10 % of the fastest. Zero where there is nothing.
struct ModelError {
  std::size_t times = 0, picks = 0;
  double median_error = 0, good_picks = 0;
};
[[nodiscard]] ModelError error_of(std::span<const Explained> explained);

/// A table with one line each, and its header: device, kernel, type, n, rule, local, x, y,
/// parameters, fitted, predicted_ns, measured_ns (empty: not measured), dominant.
[[nodiscard]] std::string explained_csv(std::span<const Explained> explained);

}  // namespace clgauss::tune
