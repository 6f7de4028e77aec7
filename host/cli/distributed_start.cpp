#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.hpp"
#include "operating_system.hpp"

namespace clgauss::cli {

/// StarPU and MPI are another program's, beside this one, so that this one starts without loading
/// them.
ExitCode run_distributed(const Given& given) {
  const auto folder = operating_system::program_file().parent_path();
  const std::string program = (folder / "clgauss-distributed").string();
  std::vector<std::string> arguments{"clgauss", "solve"};
  arguments.insert(arguments.end(), given.arguments.begin(), given.arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw UsageError(
      errno == ENOENT
          ? "the program clgauss-distributed, which solves beyond one device, is not there: "
            "install the package of that name, or build it where libstarpu-dev is installed "
            "(cmake --build build --target clgauss_distributed_program)"
          : program + ": " + std::strerror(errno));
}

}  // namespace clgauss::cli
