#pragma once
/// Fields of CSV files.

#include <string>
#include <string_view>

namespace clgauss::tune {

/// `text` as a field of a line: quoted if it holds a comma or a quote; line breaks become spaces.
[[nodiscard]] inline std::string csv_field(std::string_view text) {
  const bool quoted = text.find_first_of(",\"") != std::string_view::npos;
  std::string field;
  if (quoted) field += '"';
  for (const char c : text) {
    if (quoted && c == '"') field += '"';
    field += c == '\n' || c == '\r' ? ' ' : c;
  }
  if (quoted) field += '"';
  return field;
}

}  // namespace clgauss::tune
