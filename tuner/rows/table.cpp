#include "tuner/rows/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clgauss::tune {

std::string text(const Table& table) {
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

}  // namespace clgauss::tune
