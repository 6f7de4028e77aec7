#include "tuner/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace clgauss::tune::report {

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

std::string paragraph(std::string_view text) { return fmt::format("<p>{}</p>\n", escape(text)); }

std::string url(std::string_view path) {
  std::string text;
  for (const char c : path)
    text += std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                    std::string_view("/.-_").find(c) != std::string_view::npos
                ? std::string(1, c)
                : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return text;
}

std::string html(const Table& table) {
  if (table.rows.empty()) return {};
  std::string text = fmt::format("<div class=\"scroll\" tabindex=\"0\">\n<table{}>\n",
                                 table.numbers ? "" : " class=\"words\"");
  if (!table.caption.empty()) text += fmt::format("<caption>{}</caption>\n", escape(table.caption));
  if (!table.columns.empty()) {
    text += "<thead><tr>";
    for (const std::string& column : table.columns)
      text += fmt::format("<th scope=\"col\">{}</th>", escape(column));
    text += "</tr></thead>\n";
  }
  text += "<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape(row[i]))
                     : fmt::format("<td>{}</td>", escape(row[i]));
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace clgauss::tune::report
