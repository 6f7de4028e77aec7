#include "tuner/reproduce/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tuner/measure/flops.hpp"

namespace clgauss::tune {

std::string text(const Findings& findings) {
  std::string result;
  for (const std::string& remark : findings.remarks) result += remark + '\n';
  for (const Table& table : findings.tables) result += text(table);
  return result;
}

std::vector<std::string> control_remarks(const Measured& measured) {
  std::vector<std::string> remarks;
  for (const auto& [row, floor] : measured.controls())
    remarks.push_back(
        fmt::format("Control (A/A): {}, timed twice among the others, is {:.1f} % apart. Smaller "
                    "differences are treated as noise.",
                    description_of(row), 100 * floor));
  return remarks;
}

Table untimed_table(const Measured& measured) {
  std::map<std::pair<Status, std::string>, std::vector<const Row*>> failed;
  for (const Point& point : measured.points())
    if (point.row.status != Status::ok)
      failed[{point.row.status, point.row.detail}].push_back(&point.row);
  constexpr std::size_t kMost = 20;
  Table table{"Tried, without a time", {"outcome", "what", "why"}, {}, false};
  for (const auto& [reason, rows] : failed) {
    if (table.rows.size() == kMost) {
      table.rows.push_back({"..", fmt::format("{} reasons more", failed.size() - kMost), ""});
      break;
    }
    const std::string others =
        rows.size() > 1 ? fmt::format(" and {} more", rows.size() - 1) : std::string();
    table.rows.push_back({std::string(status_name(reason.first)),
                          description_of(*rows.front()) + others, reason.second});
  }
  return table;
}

std::string cell(const std::optional<double>& value) {
  return value ? significant(*value, 4) : "-";
}

std::string cell(const std::optional<Estimate>& value, double unit) {
  return value ? text_of(*value, unit, 3) : "-";
}

std::optional<Estimate> ratio(const std::optional<Estimate>& a, const std::optional<Estimate>& b) {
  return a && b ? std::optional<Estimate>(*a / *b) : std::nullopt;
}

std::optional<Estimate> product_gflops(std::size_t n, const std::optional<Estimate>& ns) {
  const double flops = product_flops(n);
  return ns ? std::optional<Estimate>(Estimate{flops, flops, flops, ns->count} / *ns)
            : std::nullopt;
}

std::optional<double> ratio(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *b != 0 ? std::optional<double>(*a / *b) : std::nullopt;
}

std::optional<double> product_gflops(std::size_t n, const std::optional<double>& ns) {
  return ratio(product_flops(n), ns);
}

std::string remark_cell(const Row& row) {
  if (row.status != Status::ok) return std::string(status_name(row.status));
  return row.estimated ? fmt::format("estimated from {} of {}", row.steps, row.all_steps) : "";
}

}  // namespace clgauss::tune
