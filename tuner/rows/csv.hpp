#pragma once
/// Fields of CSV files.

#include <string>
#include <string_view>
#include <vector>

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

/// The fields of one line; quotes are taken off.
[[nodiscard]] inline std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace clgauss::tune
