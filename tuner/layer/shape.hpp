#pragma once
/// Ranges of work-items, the work-groups that may cut them, and the parts of a split launch.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace clgauss::layer {

/// Work-items in each dimension; 1 beyond the last one.
struct Shape {
  unsigned dims = 1;
  std::array<std::size_t, 3> size{1, 1, 1};

  [[nodiscard]] std::size_t items() const { return size[0] * size[1] * size[2]; }
  auto operator<=>(const Shape&) const = default;
};

/// "3821 x 2161".
[[nodiscard]] std::string text(const Shape& shape);

/// What a kernel allows its work-groups on a device.
struct GroupLimits {
  std::size_t items = 1;                          // CL_KERNEL_WORK_GROUP_SIZE
  std::array<std::size_t, 3> dimension{1, 1, 1};  // CL_DEVICE_MAX_WORK_ITEM_SIZES

  [[nodiscard]] bool allow(const Shape& group) const;
};

/// A driver that cuts a range into groups of fewer work-items leaves most of a device idle.
inline constexpr std::size_t kDegenerate = 16;

/// The most work-items of a group that divides the range: an upper bound for every driver that
/// must divide it.
[[nodiscard]] std::size_t largest_dividing_group(const Shape& range, const GroupLimits& limits);

/// At most four groups of different sizes that divide the range, worth trying, the largest first.
[[nodiscard]] std::vector<Shape> dividing_groups(const Shape& range, const GroupLimits& limits);

/// At most three groups for the main part of a split launch, worth trying; each leaves a remainder.
[[nodiscard]] std::vector<Shape> main_groups(const Shape& range, const GroupLimits& limits);

/// One launch of several that cover a range between them.
struct Part {
  std::array<std::size_t, 3> offset{0, 0, 0};  // from the range's own
  Shape range, group;                          // the group divides the range

  bool operator==(const Part&) const = default;
};

/// The main part, whose groups are `group`, and the remainders: in each dimension that `group` does
/// not divide the range is cut behind its last whole group, so that two dimensions may give four
/// parts. No group has more work-items than `group` (Baranov and Vlatskaya, 2013).
[[nodiscard]] std::vector<Part> split(const Shape& range, const Shape& group);

}  // namespace clgauss::layer
