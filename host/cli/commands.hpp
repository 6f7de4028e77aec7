#pragma once
/// The sub-commands of clgauss.

#include "command_line/command.hpp"

namespace clgauss::cli {

ExitCode run_devices(const Arguments& arguments);
ExitCode run_generate(const Arguments& arguments);
ExitCode run_rule(const Arguments& arguments);
ExitCode run_solve(const Arguments& arguments);

}  // namespace clgauss::cli
