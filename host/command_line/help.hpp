#pragma once
/// The help, man page and completion of a program, generated from its commands and their options.

#include <string>
#include <string_view>
#include <vector>

#include "command_line/command.hpp"

namespace clgauss::cli {

/// A command and its options, including --help.
struct CommandView {
  std::string_view name, summary;
  CommandTable table;
};

/// The commands of `program`, and those that every program has.
[[nodiscard]] std::vector<CommandView> commands_of(const Program& program);

/// "clgauss solve", or the program's name where it has no commands.
[[nodiscard]] std::string full_name(const Program& program, const CommandView& command);

/// The commands, and the options of the main command by name: at most one screen.
[[nodiscard]] std::string overview_text(const Program& program);
[[nodiscard]] std::string help_text(const Program& program, const CommandView& command);
[[nodiscard]] std::string environment_text(const Program& program);
[[nodiscard]] std::string exit_codes_text(const Program& program);

/// The man page for section 1, in man(7) macros.
[[nodiscard]] std::string man_page(const Program& program);

/// The shells that completion_script() knows.
[[nodiscard]] const std::vector<std::string>& shells();
/// The script that completes commands, options, words and files. Throws UsageError for an unknown
/// shell.
[[nodiscard]] std::string completion_script(const Program& program, const std::string& shell);

/// The width of a screen.
inline constexpr std::size_t kColumns = 80;

/// `text` in lines of at most `width` columns; all but the first are indented by `indent` blanks.
/// Continuations of a line "  word  meaning" are indented to its meaning.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent,
                                  std::size_t width = kColumns);

}  // namespace clgauss::cli
