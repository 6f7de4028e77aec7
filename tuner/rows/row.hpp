#pragma once
/// The raw rows of every experiment: one row a repetition, in CSV. data/README.md describes the
/// columns for users.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

/// Version of the columns that are written, and of the design that they come from. Older files are
/// read as well. Version 1 lacks `group` (then it is `local`), `low_ns` and `high_ns`; 1 and 2 lack
/// `round`, what the driver chose and the machine's state, and their eliminations were timed with
/// ranges in two launches wherever a size did not divide them; 1 to 3 lack `bytes`.
inline constexpr int kRowSchema = 4;

/// One repetition of one configuration, or the one row of a configuration that was not timed.
/// Numbers that do not apply are 0 and written as empty fields.
struct Row {
  std::string time;     // start of the configuration, UTC, ISO 8601
  std::string version;  // of clgauss, with the commit it was built from
  std::string device, platform, driver;
  std::string experiment;  // sweep, outliers, rules, matmul-ladder ..
  std::string kernel;      // what was timed
  std::string type;        // f32 or f64
  std::string variant;     // of the kernel: its NDRange mode, its rung ..
  std::string
      part;  // of the work, where its parts are timed one by one: copy_in, multiply ..; kDevicePart
  /// where the local size comes from: driver, lcm, lcm_raw, .., fixed, tuned, control
  std::string rule;
  std::size_t n = 0;
  std::size_t local = 0;   // work-items a work-group; 0 = left to the driver
  std::size_t group = 0;   // work-items of a group as it was launched; 0 = left to the driver
  std::string parameters;  // NAME=VALUE, separated by spaces
  std::string chosen, suggested;  // "253x4": the driver's groups where it was left to it, as a
      // kernel saw them, and as the driver's query says; empty: not asked
  std::size_t main_launches = 0, remainder_launches = 0;
  std::string build_options;
  Status status = Status::ok;
  std::size_t repetition = 0, repetitions = 1;  // from 0; of how many
  std::size_t round = 0;  // of all that were timed in turns, from 1; 0 = unknown
  double time_ns = 0;     // 0 unless ok
  double low_ns = 0,
         high_ns = 0;      // 95 % interval of the median of all repetitions; 0 for a single run
  bool estimated = false;  // from `steps` of `all_steps` steps
  std::size_t steps = 0, all_steps = 0;
  Conditions conditions;
  double work = 0;     // floating-point operations, or bytes, of what time_ns is the time of
  double bytes = 0;    // beside the operations: what it moves
  std::string detail;  // why not ok, or a remark

  /// What tells configurations apart: everything that was chosen, nothing that was measured.
  [[nodiscard]] std::string key() const;
};

/// The configuration in words: kernel, n, local size, parameters.
[[nodiscard]] std::string description_of(const Row& row);

/// The header line, without its end.
[[nodiscard]] std::string row_header();
/// One line with its end; a field with a comma, quote or line break is quoted, line breaks become
/// spaces.
[[nodiscard]] std::string row_line(const Row& row);

/// Reads lines that row_line() wrote, header first, of this schema or of version 1. Throws
/// FormatError with `file` and line for anything else: numbers that no measurement gives (negative,
/// not finite, sizes above 2^40, times above a year) among it.
[[nodiscard]] std::vector<Row> parse_rows(std::string_view text, const std::string& file);

/// Rows of one configuration: a copy of `row` with each time of `outcome`, or one without a time if
/// it is not ok.
[[nodiscard]] std::vector<Row> rows_of(const Row& row, const Outcome& outcome);

/// The rows of one configuration together, and their times if they are ok.
struct Point {
  Row row;  // the first of them
  std::vector<double> times_ns;
  /// of each time: what was timed in the same round of the same contest, told by its start, has the
  /// same number among all points of one group_rows(), ascending; empty if one is unknown
  std::vector<std::size_t> rounds = {};
};
/// The rule of the rows of an A/A control: another row of its group is its twin.
inline constexpr std::string_view kControlRule = "control";
/// The part of rows whose time is the device's own, the sum of their launches' events.
inline constexpr std::string_view kDevicePart = "device";
/// The kernel of rows whose launches do nothing; with kOneItem they are of one work-item each.
inline constexpr std::string_view kEmptyKernel = "lab_empty", kOneItem = "RANGE=1";

/// In the order of their first rows.
[[nodiscard]] std::vector<Point> group_rows(const std::vector<Row>& rows);

}  // namespace clgauss::tune
