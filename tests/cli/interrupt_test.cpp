#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clgauss/error.hpp>
#include <csignal>

#include "command_line/command.hpp"

using namespace clgauss;

TEST_CASE("what fails after a signal is told as the signal") {
  const auto exit_code = [](bool signal) {
    const pid_t child = ::fork();
    if (child == 0)
      ::_exit(cli::run_caught("clgauss", [&]() -> cli::ExitCode {
        if (signal) ::raise(SIGINT);
        throw Error(ErrorCode::opencl, "a driver's compiler lost its files");
      }));
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  CHECK(exit_code(false) == 5);
  CHECK(exit_code(true) == 130);
}
