#pragma once
/// Programs with sub-commands, and what these share in reading their options.

#include <boost/program_options.hpp>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/exit_code.hpp"
#include "command_line/streams.hpp"

namespace clgauss::cli {

namespace po = boost::program_options;

using Arguments = std::vector<std::string>;

/// One sub-command. `run` gets the arguments after the command's name.
struct Command {
  std::string_view name;
  std::string_view summary;
  ExitCode (*run)(const Arguments& arguments);
};

/// A program made of sub-commands.
struct Program {
  std::string_view name;
  std::string_view about;  // one sentence
  std::vector<Command> commands;
  std::string_view more;  // of the overview: examples, environment, exit codes
};

/// Runs the sub-command that the arguments name, by run_caught().
int run_program(const Program& program, int argc, char** argv);

/// The one place where errors end: the exit code of `body`, or a line on stderr and the exit code of what it threw.
int run_caught(std::string_view program, const std::function<ExitCode()>& body);

/// The help of one sub-command beside its options.
struct CommandHelp {
  std::string_view usage;     // the first line
  std::string_view about;     // what it does
  std::string_view examples;  // one command a line
};

/// The values of `arguments` by `options`, of which `positional` may be given without its name; nothing is asked of them yet, so that
/// --help may come first. Throws po::error for what it does not understand, UsageError for -1 where the option's type is unsigned.
[[nodiscard]] po::variables_map store_options(const Arguments& arguments,
                                              const po::options_description& options,
                                              const char* positional);

/// Reads `arguments` by `options`, of which `positional` may be given without its name. Adds
/// --help; when it is asked for, prints the help to stdout and returns nothing. Throws po::error
/// for what it does not understand.
[[nodiscard]] std::optional<po::variables_map> parse_options(const Arguments& arguments,
                                                             po::options_description options,
                                                             const CommandHelp& help,
                                                             const char* positional = nullptr);

/// The value of option `name` if it was given.
template <typename T>
std::optional<T> option(const po::variables_map& values, const char* name) {
  return values.count(name) > 0 ? std::optional<T>(values[name].as<T>()) : std::nullopt;
}

/// One of the words that an option takes. Throws UsageError naming the words.
template <typename T>
T parse_word(std::string_view option, std::string_view text,
             const std::vector<std::pair<std::string_view, T>>& words) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw UsageError("--" + std::string(option) + " '" + std::string(text) +
                   "' is not one of: " + known);
}

/// --cores-per-cu and --kernel-dir as context options. Throws UsageError for zero cores.
void add_context_options(po::options_description& options);
[[nodiscard]] ContextOptions context_options(const po::variables_map& values);

/// The device that `spec` means; an empty one means the environment's CLGAUSS_DEVICE, else "auto".
[[nodiscard]] Device open_named_device(const std::string& spec);

/// The format that option `name` gives, else that of the extension of `path`. Throws UsageError for
/// an unknown format.
[[nodiscard]] FileFormat output_format(const po::variables_map& values, const char* name,
                                       const std::string& path);

}  // namespace clgauss::cli
