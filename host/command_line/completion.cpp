// Completion scripts. Each script is self-contained and never runs the program.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "command_line/help.hpp"

namespace clgauss::cli {

namespace {

using Kind = ValueHint::Kind;

/// "_clgauss_tune"
std::string function_name(const Program& program) {
  std::string name = "_" + std::string(program.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// The beginning of an option's help text, up to where its details begin.
std::string in_short(const std::string& about) {
  return about.substr(0, std::min({about.find("; "), about.find(" ("), about.find(": "),
                                   about.find('\n'), about.size()}));
}

std::vector<std::string> words_of_program(const std::vector<CommandView>& commands) {
  std::vector<std::string> words;
  for (const CommandView& command : commands)
    if (!command.name.empty()) words.emplace_back(command.name);
  return words;
}

/// The command's positional option, if it has one.
std::optional<OptionView> positional_of(const CommandView& command) {
  for (const OptionView& option : command.table.options())
    if (option.positional > 0) return option;
  return std::nullopt;
}

// bash

/// A pattern for what precedes the option's value: "-o|--output".
std::string pattern_of(const OptionView& option) {
  return (option.short_name.empty() ? "" : "-" + option.short_name + "|") + "--" + option.name;
}

std::string bash_values(const ValueHint& hint) {
  switch (hint.kind) {
    case Kind::words:
      return fmt::format("words=$'{}'", fmt::join(hint.words, "\\n"));
    case Kind::words_or_file:
      return fmt::format("words=$'{}' files=-f", fmt::join(hint.words, "\\n"));
    case Kind::file:
      return "files=-f";
    case Kind::folder:
      return "files=-d";
    case Kind::anything:
      break;
  }
  return ":";
}

std::string bash_command(const CommandView& command) {
  std::string names, values;
  for (const OptionView& option : command.table.options()) {
    if (option.positional > 0) continue;
    names += (names.empty() ? "" : "\\n") + ("--" + option.name);
    if (option.value.empty()) continue;
    const std::string guard = option.optional_value ? "[[ $cur == -* ]] || " : "";
    values += fmt::format("        {}) {}{{ {}; value=yes; }} ;;\n", pattern_of(option), guard,
                          bash_values(option.hint));
  }
  const auto positional = positional_of(command);
  return fmt::format(
      "      options=$'{}'\n      case $prev in\n{}      esac\n"
      "      [[ $value ]] || {{ {}; }}\n",
      names, values, positional ? bash_values(positional->hint) : ":");
}

std::string bash_script(const Program& program) {
  const std::vector<CommandView> commands = commands_of(program);
  std::string cases, first;
  for (const CommandView& command : commands) {
    if (!program.has_commands() && !command.name.empty()) continue;
    cases += fmt::format("    {})\n{}      ;;\n", command.name.empty() ? "*" : command.name,
                         bash_command(command));
  }
  if (program.has_commands())
    first = fmt::format(
        "  if ((COMP_CWORD == 1)); then\n"
        "    mapfile -t COMPREPLY < <(compgen -W $'{}\\n--help\\n--version' -- \"$cur\")\n"
        "    return\n  fi\n",
        fmt::join(words_of_program(commands), "\\n"));
  return replaced(replaced(R"(# bash completion of PROGRAM, made by `PROGRAM completion bash`
FUNCTION() {
  local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local options='' words='' files='' value=''
  COMPREPLY=()
  if [[ $cur == '=' ]]; then cur=''; fi
  if [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
)" + first +
                               R"(  case ${COMP_WORDS[1]} in
)" + cases + R"(  esac
  if [[ ! $value && $cur == -* ]]; then
    words=$options files=''
  fi
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$words" "$files" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  fi
}
complete -F FUNCTION PROGRAM
)",
                           "FUNCTION", function_name(program)),
                  "PROGRAM", program.name);
}

// zsh

/// Escapes `text` for single quotes and for the parts of an _arguments specification.
std::string zsh_quoted(std::string text) {
  for (const std::string_view special : {"\\", "[", "]", ":"})
    text = replaced(text, special, "\\" + std::string(special));
  return replaced(text, "'", "'\\''");
}

std::string zsh_values(const ValueHint& hint) {
  switch (hint.kind) {
    case Kind::words:
      return fmt::format("({})", fmt::join(hint.words, " "));
    case Kind::words_or_file:
      return fmt::format("{{_alternative \"words\\:word\\:({})\" \"files\\:file\\:_files\"}}",
                         fmt::join(hint.words, " "));
    case Kind::file:
      return "_files";
    case Kind::folder:
      return "_files -/";
    case Kind::anything:
      break;
  }
  return " ";
}

std::string zsh_option(const OptionView& option) {
  const std::string about = zsh_quoted(in_short(option.about));
  const std::string value = option.value.empty()
                                ? ""
                                : fmt::format("{}{}:{}", option.optional_value ? "::" : ":",
                                              option.value, zsh_values(option.hint));
  if (option.positional > 0)
    return fmt::format("'{}:{}:{}'", option.positional, option.value, zsh_values(option.hint));
  const std::string sign = option.value.empty() ? "" : "=";
  if (option.short_name.empty())
    return fmt::format("'--{}{}[{}]{}'", option.name, sign, about, value);
  return fmt::format("'(-{0} --{1})'{{-{0}{2},--{1}{3}}}'[{4}]{5}'", option.short_name, option.name,
                     sign.empty() ? "" : "+", sign, about, value);
}

std::string zsh_arguments(const CommandView& command, std::string_view indent) {
  std::string text = fmt::format("{}_arguments -s -S", indent);
  for (const OptionView& option : command.table.options())
    text += fmt::format(" \\\n{}  {}", indent, zsh_option(option));
  return text + "\n";
}

std::string zsh_script(const Program& program) {
  const std::vector<CommandView> commands = commands_of(program);
  std::string body;
  if (program.has_commands()) {
    std::string list, cases;
    for (const CommandView& command : commands) {
      list += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(std::string(command.summary)));
      cases += fmt::format("    {})\n{}      ;;\n", command.name, zsh_arguments(command, "      "));
    }
    body =
        "  local context state state_descr line\n  typeset -A opt_args\n  local -a commands=(\n" +
        list +
        "  )\n"
        "  _arguments -C '(- *)'{-h,--help}'[show the commands]' "
        "'(- *)'{-V,--version}'[show the version]' \\\n"
        "    '1:command:->command' '*::argument:->argument' && return\n"
        "  [[ $state == command ]] && { _describe command commands; return }\n"
        "  case $words[1] in\n" +
        cases + "  esac\n";
  } else {
    body = zsh_arguments(commands.front(), "  ");
  }
  const std::string name = "_" + std::string(program.name);  // the name of zsh's file
  return fmt::format(
      "#compdef {0}\n# zsh completion of {0}, made by `{0} completion zsh`\n{1}() {{\n{2}}}\n"
      "if [ \"$funcstack[1]\" = {1} ]; then {1} \"$@\"; else compdef {1} {0}; fi\n",
      program.name, name, body);
}

// fish

std::string fish_quoted(std::string text) {
  return "'" + replaced(replaced(std::move(text), "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_values(const OptionView& option) {
  if (option.value.empty()) return "";
  switch (option.hint.kind) {
    case Kind::words:
      return fmt::format(" -x -a '{}'", fmt::join(option.hint.words, " "));
    case Kind::words_or_file:
      return fmt::format(" -r -F -a '{}'", fmt::join(option.hint.words, " "));
    case Kind::file:
      return option.optional_value ? " -F" : " -r -F";
    case Kind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Kind::anything:
      break;
  }
  return " -x";
}

std::string fish_option(std::string_view program, const std::string& condition,
                        const OptionView& option) {
  const std::string about = fish_quoted(in_short(option.about));
  std::string line = fmt::format("complete -c {}{}", program, condition);
  if (option.positional > 0) {
    const std::string values = fish_values(option);
    return values == " -x" ? "" : line + replaced(replaced(values, " -r", ""), " -x", "") + "\n";
  }
  if (!option.short_name.empty()) line += " -s " + option.short_name;
  return fmt::format("{} -l {}{} -d {}\n", line, option.name, fish_values(option), about);
}

std::string fish_script(const Program& program) {
  const std::vector<CommandView> commands = commands_of(program);
  std::string text =
      fmt::format("# fish completion of {0}, made by `{0} completion fish`\ncomplete -c {0} -f\n",
                  program.name);
  for (const CommandView& command : commands) {
    std::string condition;
    if (program.has_commands()) {
      text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", program.name,
                          command.name, fish_quoted(std::string(command.summary)));
      condition = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    } else if (!command.name.empty()) {
      continue;
    }
    for (const OptionView& option : command.table.options())
      text += fish_option(program.name, condition, option);
  }
  return text;
}

struct Shell {
  const char* name;
  std::string (*script)(const Program&);
};

constexpr std::array kShells{Shell{"bash", bash_script}, Shell{"zsh", zsh_script},
                             Shell{"fish", fish_script}};

}  // namespace

const std::vector<std::string>& shells() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Shell& shell : kShells) all.emplace_back(shell.name);
    return all;
  }();
  return names;
}

std::string completion_script(const Program& program, const std::string& shell) {
  for (const Shell& known : kShells)
    if (shell == known.name) return known.script(program);
  refuse_word("SHELL", shell, shells());
}

}  // namespace clgauss::cli
