#include "tuner/report/html.hpp"

#include <fmt/format.h>

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

std::string paragraph(std::string_view text) {
  std::string content;
  bool code = false;
  for (const char c : text) {
    content += c != '`' ? escape(std::string_view(&c, 1)) : code ? "</code>" : "<code>";
    code = code != (c == '`');
  }
  return fmt::format("<p>{}{}</p>\n", content, code ? "</code>" : "");
}

std::string html(const Table& table) {
  if (table.rows.empty()) return {};
  // A region with a name and a place in the order of keys, so that it can be scrolled without a
  // mouse.
  std::string text = fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table{}>\n",
      escape(table.caption), table.numbers ? "" : " class=\"words\"");
  text += fmt::format("<caption>{}</caption>\n", escape(table.caption));
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
