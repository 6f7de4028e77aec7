#include "tuner/layer/shape.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace clgauss::layer;

namespace {

constexpr GroupLimits kLimits{256, {256, 256, 64}};

/// How often each work-item of the range is covered by the parts: by exactly one of them.
bool covers_once(const Shape& range, const std::vector<Part>& parts) {
  std::vector<int> times(range.items());
  for (const Part& part : parts)
    for (std::size_t z = 0; z < part.range.size[2]; ++z)
      for (std::size_t y = 0; y < part.range.size[1]; ++y)
        for (std::size_t x = 0; x < part.range.size[0]; ++x)
          ++times[((z + part.offset[2]) * range.size[1] + y + part.offset[1]) * range.size[0] + x +
                  part.offset[0]];
  return std::ranges::all_of(times, [](int count) { return count == 1; });
}

bool divides(const Shape& group, const Shape& range) {
  for (unsigned d = 0; d < 3; ++d)
    if (range.size[d] % group.size[d] != 0) return false;
  return true;
}

}  // namespace

TEST_CASE("shape: groups worth trying divide the range, are allowed, and differ") {
  for (const Shape& range : {Shape{1, {1000, 1, 1}}, Shape{1, {1, 1, 1}}, Shape{1, {1000003, 1, 1}},
                             Shape{2, {1919, 1079, 1}}, Shape{2, {1280, 720, 1}},
                             Shape{3, {60, 60, 60}}, Shape{3, {7, 11, 13}}}) {
    CAPTURE(text(range));
    const std::vector<Shape> groups = dividing_groups(range, kLimits);
    CHECK(groups.size() <= 4);
    for (const Shape& group : groups) {
      CAPTURE(text(group));
      CHECK(divides(group, range));
      CHECK(kLimits.allow(group));
      CHECK(group.items() > 1);
    }
    CHECK(std::set(groups.begin(), groups.end()).size() == groups.size());
  }
}

TEST_CASE("shape: the largest group that divides") {
  CHECK(largest_dividing_group({1, {1000003, 1, 1}}, kLimits) == 1);
  CHECK(largest_dividing_group({1, {1000, 1, 1}}, kLimits) == 250);
  CHECK(largest_dividing_group({2, {3821, 2161, 1}}, kLimits) == 1);
  CHECK(largest_dividing_group({2, {1919, 1079, 1}}, kLimits) == 19 * 13);
  CHECK(dividing_groups({1, {1000, 1, 1}}, kLimits).front() == Shape{1, {250, 1, 1}});
  CHECK(dividing_groups({1, {1000003, 1, 1}}, kLimits).empty());
}

TEST_CASE("shape: main groups leave a remainder and are allowed") {
  for (const Shape& range :
       {Shape{1, {1000003, 1, 1}}, Shape{2, {3821, 2161, 1}}, Shape{2, {67, 10007, 1}},
        Shape{3, {67, 13, 11}}, Shape{1, {17, 1, 1}}, Shape{1, {1024, 1, 1}}}) {
    CAPTURE(text(range));
    const std::vector<Shape> groups = main_groups(range, kLimits);
    CHECK(groups.size() <= 3);
    CHECK(groups.empty() == (range == Shape{1, {1024, 1, 1}}));
    for (const Shape& group : groups) {
      CAPTURE(text(group));
      CHECK(kLimits.allow(group));
      CHECK_FALSE(divides(group, range));
    }
  }
}

TEST_CASE("shape: the parts of a split cover each work-item once, in groups that divide") {
  for (const Shape& range : {Shape{1, {1009, 1, 1}}, Shape{2, {211, 101, 1}},
                             Shape{2, {256, 101, 1}}, Shape{3, {67, 13, 11}}, Shape{1, {5, 1, 1}}})
    for (const Shape& group : {Shape{1, {256, 1, 1}}, Shape{2, {32, 8, 1}}, Shape{3, {8, 4, 2}}}) {
      CAPTURE(text(range));
      CAPTURE(text(group));
      const std::vector<Part> parts = split(range, group);
      CHECK(covers_once(range, parts));
      for (const Part& part : parts) {
        CHECK(divides(part.group, part.range));
        CHECK(part.group.items() <= group.items());
      }
    }
  CHECK(split({2, {3821, 2161, 1}}, {2, {256, 1, 1}}).size() == 2);
  CHECK(split({2, {3821, 2161, 1}}, {2, {32, 8, 1}}).size() == 4);
  CHECK(split({1, {512, 1, 1}}, {1, {256, 1, 1}}).size() == 1);
}
