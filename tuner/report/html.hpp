#pragma once
/// The little HTML that the report is made of. Everything here takes plain text and escapes it.

#include <string>
#include <string_view>

#include "tuner/rows/table.hpp"

namespace clgauss::tune::report {

/// `text` as it may stand in an element or in a quoted attribute.
[[nodiscard]] std::string escape(std::string_view text);

/// A paragraph; what stands between `back quotes` becomes code.
[[nodiscard]] std::string paragraph(std::string_view text);

/// The table in a box that scrolls where the screen is narrower. Empty if there are no rows.
[[nodiscard]] std::string html(const Table& table);

}  // namespace clgauss::tune::report
