#include "tuner/report/markdown.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <set>

#include "tuner/report/overview.hpp"
#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

namespace {

/// As a cell of a table: nothing in it ends the cell or becomes markup.
std::string table_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '`' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& one : cells) line += ' ' + table_cell(one) + " |";
  return line + '\n';
}

std::string table_text(const Table& table) {
  if (table.rows.empty()) return {};
  std::string text = fmt::format("\n**{}**\n\n", table_cell(table.caption));
  text += line_of(table.columns) + '|';
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += c > 0 && table.numbers ? "---:|" : "---|";
  text += '\n';
  for (const auto& row : table.rows) text += line_of(row);
  return text;
}

std::string section_text(const Section& section) {
  std::string text = fmt::format("\n### {}\n", table_cell(section.title));
  for (const std::string& sentence : section.verdict) text += '\n' + sentence + '\n';
  for (const std::string& remark : section.remarks) text += '\n' + remark + '\n';
  for (const Table& table : section.tables) text += table_text(table);
  return text;
}

}  // namespace

std::string markdown(const std::vector<Results>& results, const std::string& title) {
  const auto devices = by_device(results);
  if (devices.empty())
    throw FileError(results.empty() ? "report" : results.front().folder.string(),
                    "no rows here yet");
  Illustrator none(false);
  std::string text = fmt::format("# {}\n", table_cell(title));
  const std::vector<Overview> all = overviews(devices);
  if (all.size() > 1) text += table_text(devices_table(all));
  for (const std::vector<Results>& device : devices) {
    const DeviceProfile& profile = profile_of(device);
    text += fmt::format("\n## {}\n\n{}, driver {}\n", table_cell(profile.name),
                        table_cell(profile.platform_name), table_cell(profile.driver_version));
    for (const std::string& caution : cautions(device)) text += fmt::format("\n> {}\n", caution);
    for (const SectionKind& kind : section_kinds())
      for (const Section& section : kind.build(device, none)) text += section_text(section);
    std::set<std::string> commands;
    for (const Results& folder : device) commands.insert(folder.info.command);
    text += "\nThe commands behind it:\n\n";
    for (const std::string& command : commands) text += fmt::format("    {}\n", command);
  }
  return text;
}

std::string comparison_markdown(const Run& earlier, const Run& later, const std::string& title) {
  Illustrator none(false);
  std::string text = fmt::format("# {}\n\nEarlier: {}; later: {}\n", table_cell(title),
                                 table_cell(earlier.name), table_cell(later.name));
  for (const Section& section : comparison_sections(earlier, later, none))
    text += section_text(section);
  return text;
}

}  // namespace clgauss::tune::report
