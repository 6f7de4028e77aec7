#pragma once
/// The sub-commands of clgauss-tune.

#include "command_line/command.hpp"

namespace clgauss::tune {

using cli::Arguments;

ExitCode run_auto(const Arguments& arguments);
ExitCode run_export(const Arguments& arguments);
ExitCode run_import(const Arguments& arguments);
ExitCode run_outliers(const Arguments& arguments);
ExitCode run_report(const Arguments& arguments);
ExitCode run_reproduce(const Arguments& arguments);
ExitCode run_replay(const Arguments& arguments);
ExitCode run_rules(const Arguments& arguments);
ExitCode run_search(const Arguments& arguments);
ExitCode run_show(const Arguments& arguments);
ExitCode run_sweep(const Arguments& arguments);

}  // namespace clgauss::tune
