#pragma once
/// The sub-commands of clgauss-tune.

#include "command_line/command.hpp"

namespace clgauss::tune {

using cli::Arguments;

[[nodiscard]] ExitCode run_replay(const Arguments& arguments);
[[nodiscard]] ExitCode run_search(const Arguments& arguments);

}  // namespace clgauss::tune
