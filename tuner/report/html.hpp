#pragma once
/// The little HTML that the report is made of. Everything here takes plain text and escapes it.

#include <string>
#include <string_view>
#include <vector>

namespace clgauss::tune::report {

/// `text` as it may stand in an element or in a quoted attribute.
[[nodiscard]] std::string escape(std::string_view text);

/// <p>text</p>
[[nodiscard]] std::string paragraph(std::string_view text);

/// `path` as a relative URL: everything but letters, digits and / . - _ in percent signs.
[[nodiscard]] std::string url(std::string_view path);

struct Table {
  std::string caption;               // none if empty
  std::vector<std::string> columns;  // their heads; the first column heads its row
  std::vector<std::vector<std::string>> rows;
  bool numbers = true;  // columns after the first are set flush right
};

/// The table in a box that scrolls where the screen is narrower. Empty if there are no rows.
[[nodiscard]] std::string html(const Table& table);

}  // namespace clgauss::tune::report
