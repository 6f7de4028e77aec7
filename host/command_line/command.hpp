#pragma once
/// Programs with sub-commands, and what these share in reading their options.

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

/// What was given to a command.
struct Given {
  Arguments arguments;  // as typed, after the command's name
  po::variables_map values;
  Arguments program = {};  // that is to be run, where the command takes one
};

/// One sub-command.
struct Command {
  std::string_view name;  // empty: the program has this one alone
  std::string_view summary;
  CommandTable (*table)();
  ExitCode (*run)(const Given& given);
};

/// A variable of the environment, "NAME=value", and what it does.
struct EnvironmentVariable {
  std::string_view name, about;
};

/// A page of `help` beside those of the commands, and its names.
struct HelpTopic {
  std::vector<std::string_view> names;
  std::string_view text;  // paragraphs, each on one line, and lines "  word  meaning"
};

/// A program made of sub-commands.
struct Program {
  std::string_view name;
  std::string_view summary;  // what it does, for the first line of its man page
  std::string_view about;    // one sentence
  std::vector<Command> commands;
  std::string_view main_command;  // its options are in the overview; may be empty
  std::vector<EnvironmentVariable> environment;
  std::vector<ExitCode> exit_codes;  // that it ends with
  std::string_view parts = {};       // what it was built with, for --version; may be empty
  std::vector<HelpTopic> topics = {};

  /// Whether its arguments begin with the name of a command.
  [[nodiscard]] bool has_commands() const { return !commands.front().name.empty(); }
};

/// Runs the sub-command that the arguments name, or help, man, completion, by run_caught().
int run_program(const Program& program, int argc, char** argv);

/// This process becomes the program `file`, looked for in PATH where it has no slash, as if it had
/// been started with `arguments`, its name among them. Returns where that fails, with errno.
void become_program(const std::string& file, Arguments arguments);

/// The one place where errors end: the exit code of `body`, or a line on stderr and the exit code
/// of what it threw.
int run_caught(std::string_view program, const std::function<ExitCode()>& body);

/// The values of `arguments` by `table`; nothing is asked of them yet, so that --help may come
/// first. Throws UsageError for what the table does not have (with what may have been meant), and
/// for values that are no numbers, or -1 where the option's type is unsigned.
[[nodiscard]] po::variables_map store_options(const Arguments& arguments,
                                              const CommandTable& table);

/// Throws UsageError for the first option of `table` that must be given and is not, by the name
/// that its user knows.
void require_options(const po::variables_map& values, const CommandTable& table);

/// Throws UsageError for the first option that was given and means nothing in `mode`, by its name
/// and with what it belongs to.
void refuse_meaningless(const po::variables_map& values, const CommandTable& table,
                        const Mode& mode);

/// Throws UsageError where the files that `values` name are one file that is written twice, or read
/// and written.
void refuse_overwriting(const po::variables_map& values, const CommandTable& table);

/// The value of option `name` if it was given.
template <typename T>
std::optional<T> option(const po::variables_map& values, const char* name) {
  return values.count(name) > 0 ? std::optional<T>(values[name].as<T>()) : std::nullopt;
}

/// Throws UsageError: `text` is none of the words of `option`, and which one may have been meant.
[[noreturn]] void refuse_word(std::string_view option, std::string_view text,
                              const std::vector<std::string>& known);

/// One of the words that an option takes. Throws UsageError naming the words.
template <typename T>
T parse_word(std::string_view option, std::string_view text, const WordTable<T>& words) {
  for (const auto& [word, value] : words)
    if (word == text) return value;
  refuse_word("--" + std::string(option), text, words_in(words));
}

/// The types of numbers, and the word for leaving the choice to the program.
[[nodiscard]] const WordTable<std::optional<RealType>>& type_words();

/// Begins the group of options about the device with --device.
OptionRows add_device_option(CommandTable& table);
/// --kernels, and what it says; `more` comes before what the help says of it.
OptionRows add_kernels_option(OptionRows group, const char* more = "");
void take_kernels_option(const po::variables_map& values, ContextOptions& options);
/// The two and --kernel-dir.
void add_kernel_options(CommandTable& table, const char* about_kernels = "");
/// --cores-per-cu, of what takes the LCM rule.
void add_cores_option(OptionRows group);
/// All four, and what they say. Throws UsageError for zero cores.
void add_context_options(CommandTable& table, const char* about_kernels = "");
[[nodiscard]] ContextOptions context_options(const po::variables_map& values);

/// The device that `spec` means; an empty one means the environment's CLGAUSS_DEVICE, else "auto".
[[nodiscard]] Device open_named_device(const std::string& spec);

/// Adds --json [FILE] to a group; `about` says what is written.
void add_json_option(
    OptionRows group,
    const char* about = "write this as JSON to FILE; without FILE, or to -, in place of the text");
/// Where --json [FILE] wants what a command found, if it was given: opened before the work starts,
/// so that a place that cannot be written is found at once.
class JsonOutput {
 public:
  explicit JsonOutput(const po::variables_map& values);

  /// Whether standard output is for JSON alone.
  [[nodiscard]] bool has_stdout() const { return file_ && file_->path() == "-"; }
  void write(const nlohmann::ordered_json& json);
  /// `text` on standard output unless the JSON is there, which is written in any case.
  void print(std::string_view text, const nlohmann::ordered_json& json);

 private:
  std::optional<OutputFile> file_;
};

/// Throws UsageError where --json, or `text` on standard output, would share it with x.
void keep_report_apart(const std::optional<std::string>& json_path, const std::string& output_path,
                       bool text = false);

/// --digits N, for numbers in text.
inline constexpr const char* kDigitsHelp =
    "significant digits of numbers in text, 1 to 17; else as few as read back the same";
[[nodiscard]] po::value_semantic* digits_value();
/// What --digits says of files in `format`. Throws UsageError for .npy, and for what is not 1 to
/// 17.
[[nodiscard]] WriteOptions write_options(const po::variables_map& values, FileFormat format);

/// The words for formats of files.
[[nodiscard]] TextValue* format_words();
/// "format of A: text, mtx, ..; else by content" for the `what` "format of A".
[[nodiscard]] std::string format_help(std::string_view what, std::string_view else_by = "content");
/// The format that option `name` gives, else that of the extension of `path`. Throws UsageError for
/// an unknown format.
[[nodiscard]] FileFormat output_format(const po::variables_map& values, const char* name,
                                       const std::string& path);

}  // namespace clgauss::cli
