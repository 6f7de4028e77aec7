#pragma once
/// The sub-commands of clgauss-tune.

#include <filesystem>
#include <string>

#include "command_line/command.hpp"

namespace clgauss::tune {

using cli::Arguments;

inline constexpr const char* kReportTitle = "What the work-group size is worth";

/// The page on the results in `folder`, and the figures' files beside it; says on stderr what is missing and where it is. Throws as
/// report::page(), and Interrupted before the page is there.
void write_report(const std::filesystem::path& folder, const std::filesystem::path& output,
                  const std::string& title);

cli::ExitCode run_auto(const Arguments& arguments);
cli::ExitCode run_export(const Arguments& arguments);
cli::ExitCode run_import(const Arguments& arguments);
cli::ExitCode run_outliers(const Arguments& arguments);
cli::ExitCode run_report(const Arguments& arguments);
cli::ExitCode run_reproduce(const Arguments& arguments);
cli::ExitCode run_replay(const Arguments& arguments);
cli::ExitCode run_rules(const Arguments& arguments);
cli::ExitCode run_search(const Arguments& arguments);
cli::ExitCode run_show(const Arguments& arguments);
cli::ExitCode run_sweep(const Arguments& arguments);

}  // namespace clgauss::tune
