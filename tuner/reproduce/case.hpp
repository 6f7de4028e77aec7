#pragma once
/// What a reproduction is made of: configurations that leave rows.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/experiments/contest.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune {

/// One configuration: the rows it leaves, one a part that is timed, and how their outcomes come about.
struct Case {
  std::vector<Row> rows;
  std::function<std::vector<Outcome>()> measure;  // one outcome a row, in their order
};

/// A case of one row.
[[nodiscard]] Case single_case(Row row, std::function<Outcome()> measure);

/// Measures the cases that the folder does not hold, in their order, and writes the rows of each when it is over. What a case fails
/// by becomes the status of its rows.
ExperimentSummary run_cases(ResultFolder& folder, std::vector<Case> cases,
                            const ExperimentLimits& limits, const ExperimentProgress& progress);

/// What a table or a figure asks of rows: the times of a configuration.
class Measured {
 public:
  explicit Measured(const std::vector<Row>& rows) : points_(group_rows(rows)) {}

  /// What is looked for; fields that are not set match anything.
  struct Wanted {
    std::string_view kernel;
    std::optional<std::size_t> n = {}, local = {};
    std::optional<std::string_view> parameters = {}, variant = {}, part = {};
  };
  /// The first configuration that matches; null if there is none.
  [[nodiscard]] const Point* find(const Wanted& wanted) const;
  /// Its median time; empty if it is not there or not ok.
  [[nodiscard]] std::optional<double> ns(const Wanted& wanted) const;
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  /// The sizes n of all rows of `kernel`, ascending.
  [[nodiscard]] std::vector<std::size_t> sizes_of(std::string_view kernel) const;

 private:
  std::vector<Point> points_;
};

/// "3.14" with four digits, or "-" where there is no number.
[[nodiscard]] std::string cell(const std::optional<double>& value);
/// a / b where both are there and b is not 0.
[[nodiscard]] std::optional<double> ratio(const std::optional<double>& a,
                                          const std::optional<double>& b);
/// What was not timed and why, equal reasons together: lines for the end of a table. Empty if all are ok.
[[nodiscard]] std::string failures_text(const Measured& measured);

}  // namespace clgauss::tune
