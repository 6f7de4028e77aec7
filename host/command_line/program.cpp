#include <fmt/format.h>

#include <CL/opencl.hpp>
#include <algorithm>
#include <clgauss/device.hpp>
#include <clgauss/version.hpp>
#include <exception>
#include <new>

#include "command_line/colour.hpp"
#include "command_line/help.hpp"
#include "command_line/interrupt.hpp"
#include "io/memory.hpp"

namespace clgauss::cli {

namespace {

std::string version_line(const Program& program) {
  return fmt::format("{} {}{}{}\n", program.name, version(), program.parts.empty() ? "" : ", ",
                     program.parts);
}

const CommandView& view_of(const std::vector<CommandView>& commands, std::string_view name) {
  return *std::ranges::find(commands, name, &CommandView::name);
}

/// Refuses `name`, which is not a command, and suggests the nearest one.
[[noreturn]] void refuse_command(const Program& program, const std::string& name,
                                 const std::vector<CommandView>& commands) {
  std::vector<std::string> known{"--help", "--version"};
  for (const CommandView& command : commands) known.emplace_back(command.name);
  const std::string suggestion = did_you_mean(name, known);
  throw UsageError(fmt::format("'{}' is not a command{} `{} --help` lists them", name,
                               suggestion.empty() ? ";" : suggestion, program.name));
}

ExitCode run_help(const Program& program, const po::variables_map& values) {
  const std::vector<CommandView> commands = commands_of(program);
  const std::string topic = option<std::string>(values, "topic").value_or("");
  if (topic.empty()) {
    print(overview_text(program));
  } else if (topic == "environment") {
    print(environment_text(program));
  } else if (topic == "exit-codes") {
    print(exit_codes_text(program));
  } else {
    for (const HelpTopic& page : program.topics)
      if (topic == page.former_name || std::ranges::find(page.names, topic) != page.names.end()) {
        print(wrapped(page.text, 0) + "\n");
        return ExitCode::ok;
      }
    if (std::ranges::find(commands, topic, &CommandView::name) == commands.end())
      refuse_command(program, topic, commands);
    print(help_text(program, view_of(commands, topic)));
  }
  return ExitCode::ok;
}

ExitCode run_command(const Program& program, const CommandView& view, const Arguments& arguments) {
  const auto dashes =
      view.table.is_before_program ? std::ranges::find(arguments, "--") : arguments.end();
  Given given{{arguments.begin(), dashes}, {}};
  given.values = store_options(given.arguments, view.table);
  if (dashes != arguments.end()) given.program.assign(dashes + 1, arguments.end());
  if (!view.table.is_before_program) set_driver_environment();
  const po::variables_map& values = given.values;
  if (values["help"].as<bool>()) {
    print(help_text(program, view));
    return ExitCode::ok;
  }
  if (view.name.empty() && values["version"].as<bool>()) {
    print(version_line(program));
    return ExitCode::ok;
  }
  require_options(values, view.table);
  if (view.table.mode != nullptr) refuse_meaningless(values, view.table, view.table.mode(values));
  refuse_overwriting(values, view.table);
  if (view.name == "help") return run_help(program, values);
  if (view.name == "completion") {
    print(completion_script(program, values["shell"].as<std::string>()));
    return ExitCode::ok;
  }
  return std::ranges::find(program.commands, view.name, &Command::name)->run(given);
}

ExitCode run(const Program& program, const Arguments& arguments) {
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first == "man") {  // used by the build to install the man page
    print(man_page(program));
    return ExitCode::ok;
  }
  const std::vector<CommandView> commands = commands_of(program);
  const auto found = std::ranges::find(commands, first, &CommandView::name);
  const Arguments rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (!first.empty() && found != commands.end()) return run_command(program, *found, rest);
  if (!program.has_commands()) return run_command(program, commands.front(), arguments);
  if (arguments.empty()) {
    tell(overview_text(program));
    return ExitCode::usage;
  }
  if (first == "--help" || first == "-h")
    return run_command(program, view_of(commands, "help"), rest);
  if (first != "--version" && first != "-V") refuse_command(program, first, commands);
  print(version_line(program));
  return ExitCode::ok;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  return run_caught(program.name, [&] { return run(program, {argv + 1, argv + argc}); });
}

int run_caught(std::string_view program, const std::function<ExitCode()>& body) {
  const auto fail = [&](ExitCode code, std::string message) {
    // The signal may be the cause of another error: clang, inside drivers, deletes its temporary
    // files on a signal.
    if (is_interrupted()) {
      code = ExitCode::interrupted;
      message = Interrupted().what();
    }
    tell(fmt::format("{} {}\n", painted(fmt::format("{}:", program), Colour::red), message));
    if (code == ExitCode::interrupted) interrupt_is_told();
    return static_cast<int>(code);
  };
  prepare_streams();
  handle_interrupts(program);
  try {
    return static_cast<int>(body());
  } catch (const Error& error) {
    return fail(exit_code_of(error), error.what());
  } catch (const po::error& error) {
    return fail(ExitCode::usage, error.what());
  } catch (const cl::Error& error) {
    const OpenClError named(error.what(), error.err());
    return fail(exit_code_of(named), named.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::out_of_memory,
                fmt::format("the host is out of memory: {}", io::memory_in_use()));
  } catch (const std::exception& error) {
    return fail(ExitCode::internal, error.what());
  }
}

}  // namespace clgauss::cli
