#pragma once
/// What tables and figures ask of rows: the times of a configuration.

#include <optional>
#include <string_view>
#include <vector>

#include "tuner/measure/estimate.hpp"
#include "tuner/rows/row.hpp"

namespace clgauss::tune {

class Measured {
 public:
  explicit Measured(const std::vector<Row>& rows) : points_(group_rows(rows)) {}

  /// What is looked for; fields that are not set match anything.
  struct Wanted {
    std::string_view kernel;
    std::optional<std::size_t> n = {};
    std::optional<std::string_view> parameters = {}, part = {};
  };
  /// The first configuration that matches; null if there is none.
  [[nodiscard]] const Point* find(const Wanted& wanted) const;
  /// Its median time; empty if it is not there or not ok.
  [[nodiscard]] std::optional<double> ns(const Wanted& wanted) const;
  /// The same with its interval.
  [[nodiscard]] std::optional<Estimate> time(const Wanted& wanted) const;
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  /// The sizes n of all rows of `kernel`, ascending.
  [[nodiscard]] std::vector<std::size_t> sizes_of(std::string_view kernel) const;

 private:
  std::vector<Point> points_;
};

}  // namespace clgauss::tune
