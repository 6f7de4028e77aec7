#include "tuner/reproduce/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tuner/reproduce/case.hpp"

namespace clgauss::tune {

namespace {

/// Columns as wide as their widest cell; the first flush left, the others too unless they hold numbers.
std::string text(const report::Table& table) {
  if (table.rows.empty()) return {};
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<std::string>& line) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  };
  measure(table.columns);
  for (const auto& row : table.rows) measure(row);
  std::string result = table.caption.empty() ? "" : "\n" + table.caption + "\n";
  const auto add = [&](const std::vector<std::string>& line) {
    std::string written;
    for (std::size_t i = 0; i < line.size(); ++i)
      written += table.numbers && i > 0 ? fmt::format("  {:>{}}", line[i], widths[i])
                                        : fmt::format("{:{}}  ", line[i], widths[i]);
    written.resize(written.find_last_not_of(' ') + 1);
    result += written + '\n';
  };
  add(table.columns);
  for (const auto& row : table.rows) add(row);
  return result;
}

}  // namespace

std::string text(const Findings& findings) {
  std::string result;
  for (const std::string& remark : findings.remarks) result += remark + '\n';
  for (const report::Table& table : findings.tables) result += text(table);
  return result;
}

report::Table untimed_table(const Measured& measured) {
  std::map<std::pair<Status, std::string>, std::vector<const Row*>> failed;
  for (const Point& point : measured.points())
    if (point.row.status != Status::ok)
      failed[{point.row.status, point.row.detail}].push_back(&point.row);
  constexpr std::size_t kMost = 20;
  report::Table table{"Tried, without a time", {"outcome", "what", "why"}, {}, false};
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
  return value ? fmt::format("{:.4g}", *value) : "-";
}

std::optional<double> ratio(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *b != 0 ? std::optional<double>(*a / *b) : std::nullopt;
}

std::string remark_cell(const Row& row) {
  if (row.status != Status::ok) return std::string(status_name(row.status));
  return row.estimated ? fmt::format("estimated from {} of {}", row.steps, row.all_steps) : "";
}

}  // namespace clgauss::tune
