// The man page, in man(7) macros, with no line longer than 80 columns.

#include <fmt/format.h>

#include <clgauss/version.hpp>

#include "command_line/help.hpp"

namespace clgauss::cli {

namespace {

/// Escapes the characters that are special to troff.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else
      result += c;
  }
  return result;
}

/// Protects a leading point, which would start a macro.
std::string safe_start(const std::string& line) {
  return line.starts_with('.') ? "\\&" + line : line;
}

constexpr std::size_t kWidth = 66;  // escapes make lines longer

/// Filled paragraphs; lines that begin with a blank are kept unchanged.
std::string paragraphs(std::string_view text) {
  std::string result;
  bool as_it_is = false;
  const std::string lines = wrapped(text, 0, kWidth);
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with(' ') != as_it_is) {
      as_it_is = !as_it_is;
      result += as_it_is ? ".nf\n" : ".fi\n";
    }
    result += safe_start(escaped(line)) + "\n";
  }
  return result + (as_it_is ? ".fi\n" : "");
}

std::string tagged(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}", escaped(tag), paragraphs(text));
}

std::string option_text(const OptionView& option) {
  return tagged(option.usage(),
                option.about + (option.initial.empty() ? "" : " [" + option.initial + "]"));
}

std::string examples(const Program& program, const CommandView& command) {
  const std::string help = help_text(program, command);
  const std::size_t begin = help.find("\nExamples:\n") + 11;
  return ".PP\nExamples:\n.PP\n.nf\n.RS 2\n" + [&] {
    std::string text;
    for (std::size_t at = begin; at < help.size();) {
      const std::size_t end = std::min(help.find('\n', at), help.size());
      // Each line begins with two blanks.
      text += safe_start(escaped(help.substr(at + 2, end - at - 2))) + "\n";
      at = end + 1;
    }
    return text;
  }() + ".RE\n.fi\n";
}

std::string command_text(const Program& program, const CommandView& command) {
  const CommandTable& table = command.table;
  std::string text = fmt::format(".SS \"{}\"\n", escaped(full_name(program, command)));
  text += fmt::format("\\fB{}\\fR {}\n.PP\n{}", escaped(full_name(program, command)),
                      escaped(table.usage), paragraphs(table.about));
  for (const OptionGroup& group : table.groups) {
    text += fmt::format(".PP\n\\fI{}\\fR\n", escaped(group.caption));
    for (const OptionView& option : group.view(table)) text += option_text(option);
  }
  return text + examples(program, command);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

}  // namespace

std::string man_page(const Program& program) {
  const std::vector<CommandView> commands = commands_of(program);
  std::string text = fmt::format(
      ".TH {} 1 \"{}\" \"clgauss {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", upper(program.name),
      CLGAUSS_DATE, version(), escaped(program.name), escaped(program.summary));
  for (const CommandView& command : commands)
    text += fmt::format("{}\\fB{}\\fR {}\n", &command == &commands.front() ? "" : ".br\n",
                        escaped(full_name(program, command)), escaped(command.table.usage));
  text += ".SH DESCRIPTION\n" + paragraphs(program.about);
  text += ".SH COMMANDS\n";
  for (const CommandView& command : commands) text += command_text(program, command);
  text += ".SH ENVIRONMENT\n";
  for (const EnvironmentVariable& variable : program.environment)
    text += tagged(variable.name, variable.about);
  text += ".SH EXIT STATUS\n";
  for (const ExitCode code : program.exit_codes)
    text += tagged(fmt::format("{}", static_cast<int>(code)), meaning_of(code));
  return text;
}

}  // namespace clgauss::cli
