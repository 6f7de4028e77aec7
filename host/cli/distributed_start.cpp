#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands.hpp"

namespace clgauss::cli {

/// StarPU and MPI are another program's, beside this one, so that this one starts without loading them.
ExitCode run_distributed(const Given& given) {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string program = (self.parent_path() / "clgauss-distributed").string();
  std::vector<std::string> arguments{"clgauss", "solve"};
  arguments.insert(arguments.end(), given.arguments.begin(), given.arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw UsageError(
      errno == ENOENT
          ? "this clgauss was built without solves beyond one device: build it where libstarpu-dev "
            "is installed"
          : program + ": " + std::strerror(errno));
}

}  // namespace clgauss::cli
