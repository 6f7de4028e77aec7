#pragma once
/// Programs with sub-commands, and the option parsing that the sub-commands share.

#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/exit_code.hpp"
#include "command_line/option_table.hpp"
#include "command_line/streams.hpp"
#include "suggestion.hpp"

namespace clgauss::cli {

using Arguments = std::vector<std::string>;

/// The arguments that a command was given.
struct Given {
  Arguments arguments;  // as typed, after the command's name
  po::variables_map values;
  Arguments program = {};  // the program to run, for commands that run one
};

/// One sub-command.
struct Command {
  std::string_view name;  // empty: the program has only this command
  std::string_view summary;
  CommandTable (*table)();
  ExitCode (*run)(const Given& given);
};

/// An environment variable, "NAME=value", and its effect.
struct EnvironmentVariable {
  std::string_view name, about;
};

/// A page of `help` that does not belong to a command, and its names.
struct HelpTopic {
  std::vector<std::string_view> names;
  std::string_view text;              // paragraphs, each on one line, and lines "  word  meaning"
  std::string_view former_name = {};  // leads there too, but is not listed
};

/// A program made of sub-commands.
struct Program {
  std::string_view name;
  std::string_view summary;  // what it does, for the first line of its man page
  std::string_view about;    // one sentence
  std::vector<Command> commands;
  std::string_view main_command;  // its options are in the overview; may be empty
  std::vector<EnvironmentVariable> environment;
  std::vector<ExitCode> exit_codes;  // all that it can return
  std::string_view parts = {};       // build features, for --version; may be empty
  std::vector<HelpTopic> topics = {};

  /// Whether the program's arguments begin with a command name.
  [[nodiscard]] bool has_commands() const { return !commands.front().name.empty(); }
};

/// Runs the sub-command that the arguments name, or help, man or completion, within run_caught().
int run_program(const Program& program, int argc, char** argv);

/// Replaces this process by the program `file`, as if it had been started with `arguments`, the
/// first of which is its name. `file` is searched in PATH if it has no slash. Returns only on
/// failure, with errno set.
void become_program(const std::string& file, Arguments arguments);

/// The one place where exceptions end. Returns the exit code of `body`; if `body` throws, prints a
/// line on stderr and returns the exit code for that exception.
int run_caught(std::string_view program, const std::function<ExitCode()>& body);

/// Parses `arguments` by `table`. Required options are not checked yet, so that --help can be
/// handled first. Throws UsageError for options that the table does not have (with a suggestion),
/// for values that are not numbers, and for negative values of unsigned options.
[[nodiscard]] po::variables_map store_options(const Arguments& arguments,
                                              const CommandTable& table);

/// Throws UsageError for the first required option of `table` that is missing, by the name that the
/// user sees.
void require_options(const po::variables_map& values, const CommandTable& table);

/// Throws UsageError for the first given option that has no effect in `mode`. The message names the
/// option and what it belongs to.
void refuse_meaningless(const po::variables_map& values, const CommandTable& table,
                        const Mode& mode);

/// Throws UsageError if two options in `values` name the same file and at least one of them writes
/// it.
void refuse_overwriting(const po::variables_map& values, const CommandTable& table);

/// The value of option `name` if it was given.
template <typename T>
std::optional<T> option(const po::variables_map& values, const char* name) {
  return values.count(name) > 0 ? std::optional<T>(values[name].as<T>()) : std::nullopt;
}

/// Throws UsageError: `text` is not among the words of `option`. The message suggests the nearest
/// word.
[[noreturn]] void refuse_word(std::string_view option, std::string_view text,
                              const std::vector<std::string>& known);

/// The value of the word `text`. Throws UsageError that lists the words if `text` is none of them.
template <typename T>
T parse_word(std::string_view option, std::string_view text, const WordTable<T>& words) {
  for (const auto& [word, value] : words)
    if (word == text) return value;
  refuse_word("--" + std::string(option), text, words_in(words));
}

/// The number types, and the word that leaves the choice to the program.
[[nodiscard]] const WordTable<std::optional<RealType>>& type_words();

/// Starts the group of device options with --device.
OptionRows add_device_option(CommandTable& table);
/// Adds --kernels; `more` goes before its help text. take_kernels_option() reads it.
OptionRows add_kernels_option(OptionRows group, const char* more = "");
void take_kernels_option(const po::variables_map& values, ContextOptions& options);
/// Adds --device, --kernels and --kernel-dir.
void add_kernel_options(CommandTable& table, const char* about_kernels = "");
/// Adds --cores-per-cu, for commands that use the LCM rule.
void add_cores_option(OptionRows group);
/// Adds all four options; context_options() reads them and throws UsageError for zero cores.
void add_context_options(CommandTable& table, const char* about_kernels = "");
[[nodiscard]] ContextOptions context_options(const po::variables_map& values);

/// Opens the device that `spec` names. If `spec` is empty, CLGAUSS_DEVICE is used, and without it
/// "auto".
[[nodiscard]] Device open_named_device(const std::string& spec);

/// Adds --json [FILE] to a group; `about` is its help text.
void add_json_option(
    OptionRows group,
    const char* about = "write this as JSON to FILE; without FILE, or to -, in place of the text");
/// The output of --json [FILE], if it was given. The file is opened before the work starts, so that
/// an unwritable path fails early.
class JsonOutput {
 public:
  explicit JsonOutput(const po::variables_map& values);

  /// Whether standard output is reserved for JSON.
  [[nodiscard]] bool has_stdout() const { return file_ && file_->path() == "-"; }
  void write(const nlohmann::ordered_json& json);
  /// Writes the JSON if --json was given. Prints `text` on standard output unless the JSON goes
  /// there.
  void print(std::string_view text, const nlohmann::ordered_json& json);

 private:
  std::optional<OutputFile> file_;
};

/// Throws UsageError if --json, or `text` on standard output, would go to the same stream as x.
void keep_report_apart(const std::optional<std::string>& json_path, const std::string& output_path,
                       bool text = false);

/// --digits N, for numbers written as text.
inline constexpr const char* kDigitsHelp =
    "significant digits of numbers in text, 1 to 17; else as few as read back the same";
[[nodiscard]] po::value_semantic* digits_value();
/// The write options that --digits gives for files in `format`. Throws UsageError for .npy, and for
/// values outside 1 to 17.
[[nodiscard]] WriteOptions write_options(const po::variables_map& values, FileFormat format);

/// The names of file formats, as option values.
[[nodiscard]] TextValue* format_words();
/// The help text of a format option. For `what` = "format of A": "format of A: text, mtx, ..; else
/// by content".
[[nodiscard]] std::string format_help(std::string_view what, std::string_view else_by = "content");
/// The format that option `name` gives; otherwise the format of the extension of `path`. Throws
/// UsageError for an unknown format.
[[nodiscard]] FileFormat output_format(const po::variables_map& values, const char* name,
                                       const std::string& path);

}  // namespace clgauss::cli
