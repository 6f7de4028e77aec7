#pragma once
/// What the rows of bandwidth say: GB/s of every walk, the empty launch taken off.

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/measure/array_bench.hpp"
#include "tuner/reproduce/findings.hpp"

namespace clgauss::tune {

inline constexpr std::size_t kSweepGroups = 1024;  // of the sweep of the group size, and of table 1
inline constexpr std::size_t kSweepLocal = 256;    // of the sweep of the number of groups
inline constexpr std::size_t kFirstLocal = 16, kLastLocal = 512;  // of the sweep of the group size
inline constexpr std::size_t kAllLocals = kLastLocal - kFirstLocal + 1;
/// "64 groups of 128" on the document's 16 units.
inline constexpr std::size_t kFewLocal = 128, kFewRounds = 4;
/// Groups a compute unit that the sweep of the number of groups holds, and one group more: the
/// document's 32 groups and its peaks are 2, 16, 32, 40 and 48 on the 16 units of its device.
inline constexpr std::array<std::size_t, 9> kUnitRounds{1, 2, 4, 8, 16, 32, 40, 48, 64};
inline constexpr std::size_t kMostRounds = kUnitRounds.back();
/// Group sizes of which table 1 shows the best.
inline constexpr std::array<std::size_t, 6> kTableLocals{64, 128, 192, 256, 384, 512};

/// "float" or "float4": the variant of a row.
[[nodiscard]] const char* variant_of(unsigned width);

struct Rate {
  std::size_t local = 0, groups = 0;
  double gb_per_s = 0, low = 0, high = 0;  // with the 95 % interval

  [[nodiscard]] Estimate estimate() const { return {gb_per_s, low, high, 2}; }
};

/// The rates on one array.
class Rates {
 public:
  Rates(const Measured& measured, std::size_t size);

  /// All rates of one access in ranges that are `wanted`.
  [[nodiscard]] std::vector<Rate> of(
      const ArrayAccess& access,
      const std::function<bool(std::size_t local, std::size_t groups)>& wanted) const;
  /// Of the sweeps, by rows and float: ascending in the size that varies.
  [[nodiscard]] std::vector<Rate> over_locals(bool write) const;
  [[nodiscard]] std::vector<Rate> over_groups(bool write) const;
  /// Milliseconds of a walk, and of the walk's arithmetic alone.
  [[nodiscard]] std::optional<Estimate> walk_ms(const ArrayAccess& access,
                                                const GroupedRange& range) const;
  [[nodiscard]] const std::optional<Estimate>& arithmetic_ms() const { return arithmetic_ms_; }
  /// Compute units of the device; empty for rows of the first designs.
  [[nodiscard]] std::optional<std::size_t> units() const { return units_; }
  /// Of the copy, which reads half of its bytes and writes half.
  [[nodiscard]] std::optional<double> copy() const { return copy_; }

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // local, groups

  std::optional<double> copy_;
  std::optional<std::size_t> units_;
  std::map<Place, double> empty_ns_;
  std::vector<std::pair<Row, Estimate>> walks_;  // with their ns
  std::optional<Estimate> arithmetic_ms_;
};

/// The fastest; empty if there is none.
[[nodiscard]] std::optional<Rate> best_of(const std::vector<Rate>& rates);

/// What vendors say of their memory, GB/s, where a device's name tells it apart.
[[nodiscard]] std::optional<double> vendor_peak(std::string_view device);

[[nodiscard]] Findings bandwidth_findings(const std::vector<Row>& rows);

}  // namespace clgauss::tune
