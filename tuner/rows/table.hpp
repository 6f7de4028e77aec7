#pragma once
/// A table, as the terminal and the report show it alike.

#include <string>
#include <vector>

namespace clgauss::tune {

struct Table {
  std::string caption;
  std::vector<std::string> columns;  // their heads; the first column heads its row
  std::vector<std::vector<std::string>> rows;
  bool numbers = true;  // columns after the first are set flush right
};

/// For a terminal: columns in line, the first flush left, the others too unless they hold numbers.
/// Empty if there are no rows.
[[nodiscard]] std::string text(const Table& table);

}  // namespace clgauss::tune
