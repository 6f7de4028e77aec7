#pragma once
/// gnuplot as a child process.

#include <chrono>
#include <filesystem>
#include <string>

namespace clgauss::tune::report {

struct GnuplotResult {
  bool found = true;    // the program is there
  std::string failure;  // why nothing was drawn, with gnuplot's own words; empty if all went well
};

/// Runs `program` on the command file `script` with `folder` as its working directory, without a shell and without the user's own
/// settings. A run that takes longer than `timeout` is ended.
[[nodiscard]] GnuplotResult run_gnuplot(const std::string& program,
                                        const std::filesystem::path& folder,
                                        const std::string& script,
                                        std::chrono::milliseconds timeout);

}  // namespace clgauss::tune::report
