#pragma once
/// The rows of sweep, outliers and rules, in the shape in which the report looks at them.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/rows/contest_result.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune::report {

/// The n at which the source divides its figures.
inline constexpr std::size_t kLarge = 1000;

/// What competed at each n.
using ByN = std::map<std::size_t, ContestResult>;

/// The fastest size launched in the way of these parameters; null if there is none.
[[nodiscard]] const Timing* fastest_of(const ContestResult& contest, std::string_view parameters);

/// Points of any n, judged n by n.
[[nodiscard]] ByN by_n(const std::vector<Point>& points);

/// What was timed on one device with one type and NDRange mode, by n. Of a size that was timed
/// several times, that with the most steps counts.
struct EliminationData {
  std::string type, variant;
  DeviceProfile device;
  ByN sweep, outliers, rules;                // of gauss_fwd
  ByN solve;                                 // of the whole solve: what `rules` timed of it
  std::map<std::string, ByN> other_kernels;  // of gauss.cl: their sweeps

  /// The work-group size that the LCM rule gives gauss_fwd on this device, from the rows or else
  /// from the device's numbers.
  [[nodiscard]] std::optional<std::size_t> rule_local() const;
  /// The same before it is cut to what the device allows; empty if the cores are unknown.
  [[nodiscard]] std::optional<std::size_t> raw_rule() const;
  /// The kernel's preferred multiple, or else the device's; 0 = unknown.
  [[nodiscard]] std::size_t preferred_multiple() const;
  /// The largest work-group of the kernel, or else of the device; 0 = unknown.
  [[nodiscard]] std::size_t work_group_limit() const;
};

/// One for each type and NDRange mode among the results of one device; empty if none is of
/// gauss_fwd.
[[nodiscard]] std::vector<EliminationData> elimination_data(const std::vector<Results>& results);

}  // namespace clgauss::tune::report
