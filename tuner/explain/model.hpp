#pragma once
/// What a launch takes, and why: a model with a few constants a device. A launch is groups of
/// work-items, and its time the largest of what the host needs to launch it, what the device needs
/// to dispatch the groups, and what they need where only so many are resident at once.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::tune {

/// Of a device; all are measured, except `units` and `lanes`, which it says of itself.
struct DeviceConstants {
  double launch_ns = 0;      // from one launch to the next: no launch takes less
  double start_ns = 0;       // of the device's own time, whatever a launch does: start and tail
  double groups_per_ns = 0;  // dispatched by the whole device
  double latency_ns = 0;     // of a group whose work-items read once and end
  double item_ns = 0;        // that a group lives longer for each of its work-items
  double bytes_per_ns = 0, flops_per_ns = 0;       // of the whole device, from memory
  double cache_bytes_per_ns = 0, cache_bytes = 0;  // the same from caches, and what they hold
  double sector_bytes = 0;                         // that memory moves where a group wants fewer
  std::size_t units = 1;                           // compute units
  std::size_t lanes = 1;                           // work-items of a group come in multiples of it
  std::size_t unit_items = 1, unit_groups = 1;     // resident in a unit: work-items, groups

  /// Groups of `items` that a unit holds at once, at least 1.
  [[nodiscard]] std::size_t resident(std::size_t items) const;
  /// Whether a kernel was measured whose arithmetic counts.
  [[nodiscard]] bool computes() const;
  /// From and to so many bytes, of which caches hold what they can.
  [[nodiscard]] double ns_per_byte(double footprint) const;
};

/// What a work-item does.
struct ItemWork {
  /// that are contiguous along a row of the group, or only along a column
  double bytes_along_x = 0, bytes_along_y = 0;
  double element_bytes = 4;
  double flops = 0;
  double reads = 1;  // that wait for each other, barriers among them
};

/// Groups of one launch that do the same.
struct Groups {
  double count = 0;
  std::size_t x = 1, y = 1;  // work-items
  ItemWork work;
  double active = 1;     // the share of their work-items that do it; the others return at once
  double footprint = 0;  // bytes that this launch and the next one like it read and write
};

using Launch = std::vector<Groups>;
using Step = std::vector<Launch>;  // launches one after the other

enum class Term { launch, tail, dispatch, occupancy, bandwidth, arithmetic };
inline constexpr std::size_t kTerms = 6;
[[nodiscard]] std::string_view term_name(Term term);

/// Times in nanoseconds.
struct Prediction {
  double ns = 0;
  std::array<double, kTerms> terms{};  // which make it up
  double device_ns = 0;                // of the device alone, where the host takes longer

  [[nodiscard]] Term dominant() const;
};

/// The mean time of a step.
[[nodiscard]] Prediction predict(const DeviceConstants& device, std::span<const Step> steps);

/// Why a launch of groups of x-by-y takes what it takes, in a sentence.
[[nodiscard]] std::string reason_of(const DeviceConstants& device, const Prediction& prediction,
                                    std::size_t x, std::size_t y);

/// What was measured, from which constants are made.
struct Observation {
  std::vector<Step> steps;
  double ns = 0;  // of a step
};

/// The constants with which the mean of |log(predicted / measured)| is least, beginning with
/// `start`, of which units and lanes stay. How much a unit holds is chosen among one group and 1,
/// 1.5 and 2 times `max_group` work-items with 8, 16 and 32 groups; with 0 it is one group, as on
/// CPUs. A constant that no observation depends
/// on stays what `start` has. Throws UsageError without observations.
[[nodiscard]] DeviceConstants fit(std::span<const Observation> observations,
                                  const DeviceConstants& start, std::size_t max_group);

/// Where fit() begins on a device of so many units: orders of magnitude, from the fastest that was
/// observed.
[[nodiscard]] DeviceConstants first_guess(std::span<const Observation> observations,
                                          std::size_t units, std::size_t lanes);

}  // namespace clgauss::tune
