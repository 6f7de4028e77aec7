#pragma once
/// Published figures beside measured ones: tables and remarks that the terminal and the report show
/// alike.

#include <optional>
#include <string>
#include <vector>

#include "tuner/rows/measured.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::tune {

struct Findings {
  std::vector<std::string> remarks;  // plain sentences, before the tables
  std::vector<Table> tables;
};

/// For a terminal: remarks, and tables with columns in line.
[[nodiscard]] std::string text(const Findings& findings);

/// How far apart the times of what was timed twice lie.
[[nodiscard]] std::vector<std::string> control_remarks(const Measured& measured);

/// What was not timed and why, equal reasons in one line; no rows if everything was.
[[nodiscard]] Table untimed_table(const Measured& measured);

/// The number with four digits, or "-" where there is none.
[[nodiscard]] std::string cell(const std::optional<double>& value);
/// "12.3 [11.9, 12.8]" in `unit`, or "-".
[[nodiscard]] std::string cell(const std::optional<Estimate>& value, double unit = 1);
/// a / b where both are there.
[[nodiscard]] std::optional<Estimate> ratio(const std::optional<Estimate>& a,
                                            const std::optional<Estimate>& b);
/// a / b where both are there and b is not 0.
[[nodiscard]] std::optional<double> ratio(const std::optional<double>& a,
                                          const std::optional<double>& b);
/// GFLOP/s of a product of n-by-n matrices.
[[nodiscard]] std::optional<Estimate> product_gflops(std::size_t n,
                                                     const std::optional<Estimate>& ns);
[[nodiscard]] std::optional<double> product_gflops(std::size_t n, const std::optional<double>& ns);
/// "estimated from 32 of 2048 rows", the status where it is not ok, or nothing: the last cell of a
/// configuration's line.
[[nodiscard]] std::string remark_cell(const Row& row);

}  // namespace clgauss::tune
