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
  explicit Measured(const std::vector<Row>& rows);

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
  /// Without the controls.
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  /// A configuration that was timed twice, and by what share of the time the two differ.
  struct Control {
    Row row;
    double floor = 0;
  };
  [[nodiscard]] const std::vector<Control>& controls() const { return controls_; }
  /// Of the controls at n; 0 if there is none.
  [[nodiscard]] double floor(std::size_t n) const;

  /// The sizes n of all rows of `kernel`, ascending.
  [[nodiscard]] std::vector<std::size_t> sizes_of(std::string_view kernel) const;
  /// The largest n at which `kernel` has a time, else the largest of its rows; empty if it has
  /// none.
  [[nodiscard]] std::optional<std::size_t> largest_of(std::string_view kernel) const;

 private:
  std::vector<Point> points_;
  std::vector<Control> controls_;
};

}  // namespace clgauss::tune
