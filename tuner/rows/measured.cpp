#include "tuner/rows/measured.hpp"

#include <algorithm>
#include <set>

#include "statistics.hpp"

namespace clgauss::tune {

const Point* Measured::find(const Wanted& wanted) const {
  const auto found = std::ranges::find_if(points_, [&](const Point& point) {
    const Row& row = point.row;
    return row.kernel == wanted.kernel && row.n == wanted.n.value_or(row.n) &&
           row.parameters == wanted.parameters.value_or(row.parameters) &&
           row.part == wanted.part.value_or(row.part);
  });
  return found == points_.end() ? nullptr : &*found;
}

std::optional<double> Measured::ns(const Wanted& wanted) const {
  const Point* point = find(wanted);
  if (point == nullptr || point->times_ns.empty()) return std::nullopt;
  return median(point->times_ns);
}

std::optional<Estimate> Measured::time(const Wanted& wanted) const {
  const Point* point = find(wanted);
  if (point == nullptr || point->times_ns.empty()) return std::nullopt;
  return estimate(point->times_ns);
}

std::vector<std::size_t> Measured::sizes_of(std::string_view kernel) const {
  std::set<std::size_t> sizes;
  for (const Point& point : points_)
    if (point.row.kernel == kernel) sizes.insert(point.row.n);
  return {sizes.begin(), sizes.end()};
}

}  // namespace clgauss::tune
