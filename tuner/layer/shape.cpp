#include "tuner/layer/shape.hpp"

#include <algorithm>

namespace clgauss::layer {

namespace {

constexpr std::size_t kMostDividing = 4, kMostMain = 3;

/// Divisors of `number` that are at most `limit`, ascending.
std::vector<std::size_t> divisors(std::size_t number, std::size_t limit) {
  std::vector<std::size_t> found;
  for (std::size_t small = 1; small <= number / small; ++small) {
    if (number % small != 0) continue;
    for (const std::size_t divisor : {small, number / small})
      if (divisor <= limit) found.push_back(divisor);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Every group that divides the range and is allowed.
std::vector<Shape> all_dividing(const Shape& range, const GroupLimits& limits) {
  std::array<std::vector<std::size_t>, 3> of;
  for (unsigned d = 0; d < 3; ++d)
    of[d] = divisors(range.size[d], std::min(limits.items, limits.dimension[d]));
  std::vector<Shape> groups;
  for (const std::size_t z : of[2])
    for (const std::size_t y : of[1]) {
      if (y * z > limits.items) break;
      for (const std::size_t x : of[0]) {
        if (x * y * z > limits.items) break;
        groups.push_back({range.dims, {x, y, z}});
      }
    }
  return groups;
}

void add_unless_there(std::vector<Shape>& shapes, const Shape& shape, std::size_t most) {
  if (shapes.size() < most && std::ranges::find(shapes, shape) == shapes.end())
    shapes.push_back(shape);
}

/// Sizes that suit devices of one kind or the other: many work-items for CPUs, which run a group on
/// one core, and 64 to 256 for GPUs.
std::vector<std::size_t> targets(const GroupLimits& limits) {
  std::vector<std::size_t> sizes;
  for (const std::size_t size :
       {limits.items, std::size_t{1024}, std::size_t{256}, std::size_t{64}})
    if (size <= limits.items && std::ranges::find(sizes, size) == sizes.end())
      sizes.push_back(size);
  return sizes;
}

}  // namespace

std::string text(const Shape& shape) {
  std::string written = std::to_string(shape.size[0]);
  for (unsigned d = 1; d < shape.dims; ++d) written += " x " + std::to_string(shape.size[d]);
  return written;
}

bool GroupLimits::allow(const Shape& group) const {
  if (group.items() == 0 || group.items() > items) return false;
  for (unsigned d = 0; d < 3; ++d)
    if (group.size[d] > dimension[d]) return false;
  return true;
}

std::size_t largest_dividing_group(const Shape& range, const GroupLimits& limits) {
  std::size_t largest = 1;
  for (const Shape& group : all_dividing(range, limits)) largest = std::max(largest, group.items());
  return largest;
}

std::vector<Shape> dividing_groups(const Shape& range, const GroupLimits& limits) {
  const std::vector<Shape> all = all_dividing(range, limits);
  const auto best = [&](std::size_t target, auto is_better) {
    Shape found{range.dims, {1, 1, 1}};
    for (const Shape& group : all)
      if (group.items() <= target && is_better(group, found)) found = group;
    return found;
  };
  // The fullest group, neighbours along the first dimension before others.
  const auto fuller = [](const Shape& a, const Shape& b) {
    return a.items() != b.items() ? a.items() > b.items() : a.size > b.size;
  };
  // The longest row, then as full as may be.
  const auto longer = [](const Shape& a, const Shape& b) {
    return a.size[0] != b.size[0] ? a.size[0] > b.size[0] : a.items() > b.items();
  };
  std::vector<Shape> groups;
  for (const std::size_t target : targets(limits))
    add_unless_there(groups, best(target, fuller), kMostDividing);
  for (const std::size_t target : targets(limits))
    add_unless_there(groups, best(target, longer), kMostDividing);
  std::erase_if(groups, [](const Shape& group) { return group.items() < 2; });
  std::ranges::sort(groups, fuller);
  return groups;
}

std::vector<Shape> main_groups(const Shape& range, const GroupLimits& limits) {
  std::vector<Shape> groups;
  const auto add = [&](const Shape& group) {
    bool leaves = false, fits = limits.allow(group);
    for (unsigned d = 0; d < 3; ++d) {
      fits = fits && group.size[d] <= range.size[d];
      leaves = leaves || range.size[d] % group.size[d] != 0;
    }
    if (fits && leaves) add_unless_there(groups, group, kMostMain);
  };
  // Rows leave two parts of a range of two dimensions, tiles four.
  add({range.dims, {256, 1, 1}});
  if (range.dims > 1) add({range.dims, {32, 8, 1}});
  add({range.dims, {1024, 1, 1}});
  for (std::size_t length = 4096; length > 1024; length /= 2) add({range.dims, {length, 1, 1}});
  if (range.dims > 1) add({range.dims, {8, 8, 1}});
  for (const std::size_t length : {64, 32, 16}) add({range.dims, {length, 1, 1}});
  return groups;
}

std::vector<Part> split(const Shape& range, const Shape& group) {
  std::vector<Part> parts{{{0, 0, 0}, range, group}};
  for (unsigned d = 0; d < 3; ++d) {
    const std::size_t rest = range.size[d] % group.size[d], whole = range.size[d] - rest;
    if (rest == 0) continue;
    std::vector<Part> cut;
    for (Part part : parts) {
      if (whole > 0) {
        part.range.size[d] = whole;
        cut.push_back(part);
      }
      part.offset[d] = whole;
      part.range.size[d] = part.group.size[d] = rest;
      cut.push_back(part);
    }
    parts = std::move(cut);
  }
  return parts;
}

}  // namespace clgauss::layer
