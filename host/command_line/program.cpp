#include <fmt/format.h>

#include <CL/opencl.hpp>
#include <algorithm>
#include <clgauss/device.hpp>
#include <clgauss/version.hpp>
#include <exception>
#include <new>

#include "command_line/command.hpp"
#include "command_line/interrupt.hpp"
#include "io/memory.hpp"

namespace clgauss::cli {

namespace {

std::string overview(const Program& program) {
  std::string text =
      fmt::format("{0}\n\nUsage: {1} COMMAND [options]      {1} COMMAND --help\n\nCommands:\n",
                  program.about, program.name);
  for (const Command& command : program.commands)
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  return text + "\n" + std::string(program.more);
}

ExitCode run(const Program& program, const Arguments& arguments) {
  if (arguments.empty()) {
    tell(overview(program));
    return ExitCode::usage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    if (arguments.size() > 1 && name == "help") return run(program, {arguments[1], "--help"});
    print(overview(program));
    return ExitCode::ok;
  }
  if (name == "--version") {
    print(fmt::format("{} {}\n", program.name, version()));
    return ExitCode::ok;
  }
  const auto command = std::ranges::find(program.commands, name, &Command::name);
  if (command == program.commands.end())
    throw UsageError(fmt::format("'{}' is no command; `{} --help` lists them", name, program.name));
  return command->run({arguments.begin() + 1, arguments.end()});
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  return run_caught(program.name, [&] {
    set_driver_environment();
    return run(program, {argv + 1, argv + argc});
  });
}

int run_caught(std::string_view program, const std::function<ExitCode()>& body) {
  const auto fail = [&](ExitCode code, std::string_view message) {
    tell(fmt::format("{}: {}\n", program, message));
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
