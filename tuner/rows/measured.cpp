#include "tuner/rows/measured.hpp"

#include <algorithm>
#include <set>

#include "statistics.hpp"

namespace clgauss::tune {

Measured::Measured(const std::vector<Row>& rows) {
  std::vector<Point> twins;
  for (Point& point : group_rows(rows))
    (point.row.rule == kControlRule ? twins : points_).push_back(std::move(point));
  for (const Point& twin : twins)
    for (const Point& point : points_) {
      Row as_control = point.row;
      as_control.rule = kControlRule;
      if (as_control.key() == twin.row.key() && !point.times_ns.empty() && !twin.times_ns.empty())
        controls_.push_back({point.row, noise_floor(point.times_ns, twin.times_ns)});
    }
}

double Measured::floor(std::size_t n) const {
  double floor = 0;
  for (const Control& control : controls_)
    if (control.row.n == n) floor = std::max(floor, control.floor);
  return floor;
}

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

std::optional<std::size_t> Measured::largest_of(std::string_view kernel) const {
  std::optional<std::pair<bool, std::size_t>> largest;
  for (const Point& point : points_)
    if (point.row.kernel == kernel)
      largest = std::max(largest, std::optional(std::pair(!point.times_ns.empty(), point.row.n)));
  return largest ? std::optional(largest->second) : std::nullopt;
}

}  // namespace clgauss::tune
