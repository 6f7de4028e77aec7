#include <fmt/format.h>

#include <algorithm>
#include <clgauss/device.hpp>
#include <clgauss/error.hpp>
#include <clgauss/version.hpp>
#include <exception>
#include <new>

#include "cli/command.hpp"

namespace clgauss::cli {

namespace {

constexpr Command kCommands[] = {
    {"solve", "solve A x = b from a file and prove the answer with a residual", run_solve},
    {"devices", "list the OpenCL devices and what the LCM rule says for each", run_devices},
    {"rule", "compute the LCM rule for any numbers, without a device", run_rule},
    {"generate", "write a test system", run_generate},
};

std::string overview() {
  std::string text =
      "clgauss solves dense linear systems on every OpenCL device.\n\n"
      "Usage: clgauss COMMAND [options]      clgauss COMMAND --help\n\nCommands:\n";
  for (const Command& command : kCommands)
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  text +=
      "\nExamples:\n"
      "  clgauss devices\n"
      "  clgauss solve data/systems/random_1012.txt\n"
      "  clgauss solve A.mtx --rhs b.mtx -o x.mtx --json report.json\n"
      "\nEnvironment:\n"
      "  CLGAUSS_DEVICE      the device when --device is not given\n"
      "  CLGAUSS_KERNEL_DIR  read the .cl files from this folder\n"
      "  CLGAUSS_CACHE=off   do not keep built kernels on disk\n"
      "\nExit codes: 0 ok, 2 usage, 3 bad file, 4 no or ambiguous device, 5 OpenCL failure, 6 out "
      "of memory,\n"
      "            7 singular, 8 solved but not as accurately as asked, 130 interrupted\n";
  return text;
}

ExitCode run(const Arguments& arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", overview());
    return ExitCode::usage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    if (arguments.size() > 1 && name == "help") return run({arguments[1], "--help"});
    print(overview());
    return ExitCode::ok;
  }
  if (name == "--version") {
    print(fmt::format("clgauss {}\n", version()));
    return ExitCode::ok;
  }
  const auto* const command = std::ranges::find(kCommands, name, &Command::name);
  if (command == std::end(kCommands))
    throw UsageError(fmt::format("'{}' is no command; `clgauss --help` lists them", name));
  return command->run({arguments.begin() + 1, arguments.end()});
}

ExitCode fail(ExitCode code, const char* message) {
  fmt::print(stderr, "clgauss: {}\n", message);
  return code;
}

/// The one place where errors end: a line on stderr and the exit code.
ExitCode run_caught(const Arguments& arguments) {
  try {
    return run(arguments);
  } catch (const Error& error) {
    return fail(error.exit_code(), error.what());
  } catch (const po::error& error) {
    return fail(ExitCode::usage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::out_of_memory, "the host is out of memory");
  } catch (const std::exception& error) {
    return fail(ExitCode::internal, error.what());
  }
}

}  // namespace

}  // namespace clgauss::cli

int main(int argc, char** argv) {
  clgauss::set_driver_environment();
  return static_cast<int>(clgauss::cli::run_caught({argv + 1, argv + argc}));
}
