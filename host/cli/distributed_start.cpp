#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/commands.hpp"
#include "operating_system.hpp"

namespace clgauss::cli {

/// Only the separate program clgauss-distributed uses StarPU and MPI, so that clgauss starts
/// without loading them.
ExitCode run_distributed(const Given& given) {
  const auto folder = operating_system::program_file().parent_path();
  const std::string program = (folder / "clgauss-distributed").string();
  Arguments arguments{"clgauss", "solve"};
  arguments.insert(arguments.end(), given.arguments.begin(), given.arguments.end());
  become_program(program, std::move(arguments));
  throw UsageError(
      errno == ENOENT
          ? "the program clgauss-distributed, which solves on several devices, is not installed: "
            "install the package clgauss-distributed, or build it where libstarpu-dev is installed "
            "(cmake --build build --target clgauss_distributed_program)"
          : program + ": " + std::strerror(errno));
}

}  // namespace clgauss::cli
