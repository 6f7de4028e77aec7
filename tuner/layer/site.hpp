#pragma once
/// Launches that are alike: of one kernel over one range, with one work-group size or with none.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "tuner/layer/catalog.hpp"
#include "tuner/layer/shape.hpp"
#include "tuner/layer/trial.hpp"

namespace clgauss::layer {

struct SiteKey {
  const KernelRecord* kernel = nullptr;
  Shape range;
  std::optional<Shape> group;  // the program's own; empty for NULL
  bool may_split = false;      // by their queue

  bool operator<(const SiteKey& other) const {
    return std::tie(kernel, range, group, may_split) <
           std::tie(other.kernel, other.range, other.group, other.may_split);
  }
};

/// The device's times of some launches, and how many these were.
struct Times {
  std::uint64_t launches = 0;
  double sum_ns = 0;

  void add(double time_ns) {
    ++launches;
    sum_ns += time_ns;
  }
  [[nodiscard]] double mean_ns() const {
    return launches == 0 ? 0 : sum_ns / static_cast<double>(launches);
  }
};

/// All but the atomic members is guarded by the watcher's mutex.
struct Site {
  KernelRecord* kernel = nullptr;
  Shape range;
  std::optional<Shape> group;
  bool may_split = false;

  GroupLimits limits;
  std::optional<Shape> driver_group;  // where the driver says it
  std::size_t largest_dividing = 1;   // work-items; an upper bound of the driver's group
  bool demands_size = false;          // by reqd_work_group_size

  std::atomic<std::uint64_t> launches{0};
  Times sampled;  // since the way of launching is settled: some of all
  Times counted;  // before: each of them was timed

  std::atomic<bool> tries{false};        // a trial goes on
  std::atomic<bool> is_decided{false};   // no trial is to begin
  std::atomic<const Way*> way{nullptr};  // how it is launched; null: as the program has it
  std::vector<Way> ways;                 // worth a trial, once the kernel's text was read
  std::string reason;                    // why there is none
  std::optional<Trial> trial;            // kept to tell what was tried
  std::optional<Decision> decision;      // by a trial of this run or an earlier one
  bool is_recalled = false;              // of an earlier one
  unsigned trials_begun = 0;             // in earlier runs, which ended before them

  /// Whether the driver is sure to make groups that leave a device idle: it says so, or no other
  /// divide the range.
  [[nodiscard]] bool is_degenerate() const {
    return !group && (driver_group ? driver_group->items() : largest_dividing) < kDegenerate;
  }
  /// Time on the device, of all launches by the mean of those that were timed.
  [[nodiscard]] double total_ns() const {
    const std::uint64_t all = launches;
    const std::uint64_t others = all > counted.launches ? all - counted.launches : 0;
    return counted.sum_ns + static_cast<double>(others) * sampled.mean_ns();
  }
};

}  // namespace clgauss::layer
