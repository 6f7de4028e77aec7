#pragma once
/// Runs the program as a user does, and looks at what it leaves.

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

#include "support/paths.hpp"
#include "support/thorough.hpp"

namespace clgauss::test {

struct ProcessResult {
  int exit_code = -1;
  std::string out, err;
};

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// Whether these files are all that is in `folder`.
inline bool only_holds(const TemporaryFolder& folder, std::initializer_list<const char*> names) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (std::ranges::find(names, entry.path().filename().string()) == names.end()) return false;
    ++count;
  }
  return count == names.size();
}

/// What a program's environment begins with: rusticl, which takes a third of a second to start,
/// only where it is meant or all is asked for.
inline std::string without_rusticl(const std::string& command) {
  return thorough() || command.find("rusticl") != std::string::npos ? "" : "RUSTICL_ENABLE= ";
}

/// Runs `program arguments` by the shell in `folder`, with `environment` ("NAME=value ...") before
/// it.
inline ProcessResult run(const std::filesystem::path& program, const TemporaryFolder& folder,
                         const std::string& arguments, const std::string& environment = {}) {
  const TemporaryFolder outputs;
  const std::string command =
      "cd '" + folder.path().string() + "' && " + without_rusticl(environment + arguments) +
      environment + " '" + program.string() + "' " + arguments + " >'" +
      (outputs / "out").string() + "' 2>'" + (outputs / "err").string() + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(outputs / "out"),
          content_of(outputs / "err")};
}

/// Runs a shell script in `folder`, where $CLGAUSS, $CLGAUSS_TUNE and $CLGAUSS_BENCH are the
/// programs: for descriptors, pipes and signals.
inline ProcessResult run_script(const TemporaryFolder& folder, const std::string& script) {
  const TemporaryFolder scripts;
  write_file(scripts / "script", "CLGAUSS='" + program().string() + "'\nCLGAUSS_TUNE='" +
                                     tune_program().string() + "'\nCLGAUSS_BENCH='" +
                                     bench_program().string() + "'\n" + script + "\n");
  return run("/bin/sh", folder, "'" + (scripts / "script").string() + "'");
}

inline ProcessResult run_program(const TemporaryFolder& folder, const std::string& arguments,
                                 const std::string& environment = {}) {
  return run(program(), folder, arguments, environment);
}

inline ProcessResult run_tune(const TemporaryFolder& folder, const std::string& arguments,
                              const std::string& environment = {}) {
  return run(tune_program(), folder, arguments, environment);
}

}  // namespace clgauss::test
