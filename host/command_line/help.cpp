#include "command_line/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace clgauss::cli {

namespace {

constexpr std::size_t kColumn = 26;  // where the help text of an option begins

/// The lines of `text`, without line ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The indentation of continuation lines. For a line "  word  text" it is the column where the text
/// begins.
std::size_t hanging_indent(std::string_view line) {
  const std::size_t word = line.find_first_not_of(' '), gap = line.find("  ", word);
  return gap == std::string_view::npos ? word : line.find_first_not_of(' ', gap);
}

void append_wrapped(std::string& text, std::string_view line, std::size_t indent,
                    std::size_t width) {
  if (line.starts_with(' ')) {
    const std::size_t hang = std::min(hanging_indent(line), line.size());
    text += line.substr(0, hang);
    line.remove_prefix(hang);
    indent += hang;
  }
  std::size_t column = indent;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, std::min(line.find(' '), line.size()));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    const bool first = column == indent;
    if (!first && column + 1 + word.size() > width) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
}

/// "  -o, --output FILE       write x here", followed by the default value.
std::string option_line(const OptionView& option) {
  const std::string usage =
      (option.short_name.empty() && option.positional == 0 ? "      " : "  ") + option.usage();
  std::string line = usage;
  if (usage.size() + 2 > kColumn)
    line += '\n' + std::string(kColumn, ' ');
  else
    line += std::string(kColumn - usage.size(), ' ');
  return line +
         wrapped(option.about + (option.initial.empty() ? "" : " [" + option.initial + "]"),
                 kColumn) +
         "\n";
}

CommandTable help_table(const Program& program) {
  std::vector<std::string> topics;
  for (const Command& command : program.commands) topics.emplace_back(command.name);
  topics.insert(topics.end(), {"completion", "environment", "exit-codes"});
  std::string pages;
  for (const HelpTopic& page : program.topics) {
    topics.insert(topics.end(), page.names.begin(), page.names.end());
    pages += fmt::format(", {}", fmt::join(page.names, ", "));
  }
  CommandTable table{"[TOPIC]",
                     "Shows the whole help of a command, or of another topic.",
                     "help environment",
                     {},
                     "topic"};
  table.group("Topic")("topic", words("TOPIC", topics),
                       ("a command, environment, exit-codes" + pages).c_str());
  return table;
}

CommandTable completion_table(const Program& /*program*/) {
  CommandTable table{
      "SHELL",
      "Prints the script that lets a shell complete commands, options and their words.",
      "completion bash > ~/.local/share/bash-completion/completions/NAME\n"
      "completion zsh > ~/.zfunc/_NAME         # a folder of $fpath\n"
      "completion fish > ~/.config/fish/completions/NAME.fish",
      {},
      "shell"};
  table.group("Shell")("shell", words("SHELL", shells())->required(), "bash, zsh or fish");
  return table;
}

/// The examples, each preceded by the program's name.
std::string examples_text(const Program& program, const CommandView& command,
                          std::string_view before) {
  std::string text;
  for (const std::string_view line : lines_of(command.table.examples)) {
    const bool whole = line.find(program.name) != std::string_view::npos;
    std::string example = whole ? std::string(line) : fmt::format("{} {}", program.name, line);
    for (std::size_t at = 0; (at = example.find("NAME", at)) != std::string::npos;)
      example.replace(at, 4, program.name);
    text += fmt::format("{}{}\n", before, example);
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  for (const std::string_view line : lines_of(text)) {
    if (!result.empty()) result += '\n' + std::string(indent, ' ');
    append_wrapped(result, line, indent, width);
  }
  return result;
}

std::vector<CommandView> commands_of(const Program& program) {
  std::vector<CommandView> views;
  for (const Command& command : program.commands)
    views.push_back({command.name, command.summary, command.table()});
  if (program.has_commands())
    views.push_back({"help", "show the whole help of a command, the environment or exit codes",
                     help_table(program)});
  views.push_back({"completion", "print the script that completes what is typed in a shell",
                   completion_table(program)});
  for (CommandView& view : views) {
    auto help = view.table.group("Help");
    help("help,h", po::bool_switch(), "show this help");
    if (view.name.empty()) help("version,V", po::bool_switch(), "show the version");
  }
  return views;
}

std::string full_name(const Program& program, const CommandView& command) {
  return command.name.empty() ? std::string(program.name)
                              : fmt::format("{} {}", program.name, command.name);
}

/// Kept as short as possible, because a screen has 24 lines.
std::string overview_text(const Program& program) {
  std::string text = fmt::format("{0}\nUsage: {1} COMMAND [options]. Commands:\n",
                                 wrapped(program.about, 0), program.name);
  const std::vector<CommandView> commands = commands_of(program);
  for (const CommandView& command : commands)
    text += fmt::format("  {:<10} {}\n", command.name, wrapped(command.summary, 13));
  for (const CommandView& command : commands) {
    if (command.name != program.main_command) continue;
    text += fmt::format("Options of {} (all of it: {} help {}):\n", command.name, program.name,
                        command.name);
    for (const OptionGroup& group : command.table.groups) {
      if (&group == &command.table.groups.back()) break;  // -h, listed already
      std::string names;
      for (const OptionView& option : group.view(command.table)) {
        const std::string name = option.positional           ? option.usage()
                                 : option.short_name.empty() ? "--" + option.name
                                                             : "-" + option.short_name;
        names += (names.empty() ? "" : " ") + name;
      }
      const std::string beside = fmt::format("   {} {}\n", group.caption, names);
      const std::size_t line = text.size() - 2 - text.rfind('\n', text.size() - 2);
      if (line + beside.size() - 1 <= kColumns)
        text.replace(text.size() - 1, 1, beside);
      else
        text += fmt::format("  {:<10} {}\n", group.caption, wrapped(names, 13));
    }
  }
  text += fmt::format("More: {} help environment, help exit-codes", program.name);
  for (const HelpTopic& page : program.topics) text += fmt::format(", help {}", page.names.front());
  return text + fmt::format("; man {}\n", program.name);
}

std::string help_text(const Program& program, const CommandView& command) {
  const CommandTable& table = command.table;
  std::string text =
      wrapped(fmt::format("Usage: {} {}", full_name(program, command), table.usage), 7) +
      fmt::format("\n\n{}\n", wrapped(table.about, 0));
  for (const OptionGroup& group : table.groups) {
    text += fmt::format("\n{}:\n", group.caption);
    for (const OptionView& option : group.view(table)) text += option_line(option);
  }
  return text + "\nExamples:\n" + examples_text(program, command, "  ");
}

std::string environment_text(const Program& program) {
  std::string text = "Environment:\n";
  for (const EnvironmentVariable& variable : program.environment)
    text += fmt::format("  {}\n      {}\n", variable.name, wrapped(variable.about, 6));
  return text;
}

std::string exit_codes_text(const Program& program) {
  std::string text = "Exit codes:\n";
  for (const ExitCode code : program.exit_codes)
    text += fmt::format("  {:>3}  {}\n", static_cast<int>(code), wrapped(meaning_of(code), 7));
  return text;
}

}  // namespace clgauss::cli
