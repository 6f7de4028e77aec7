#pragma once
/// The sub-commands of clgauss-tune, and their options.

#include <filesystem>
#include <string>

#include "command_line/command.hpp"

namespace clgauss::tune {

using cli::Arguments;

inline constexpr const char* kReportTitle = "What the work-group size is worth";

/// The page on the results in `folder`; says on stderr where it is. Throws as report::page(), and
/// Interrupted before the page is there.
void write_report(const std::filesystem::path& folder, const std::filesystem::path& output,
                  const std::string& title);

/// Throws UsageError, with advice, where equal launches differ by more than tuning gains.
void require_quiet_machine(Context& context);
/// Why, without the advice, for a command that goes on; empty where the machine is quiet.
[[nodiscard]] std::string noise_of_machine(Context& context);
/// Says on stderr that `what` may be chance where there is `noise`.
void warn_of_noise(std::string_view command, std::string_view what, const std::string& noise);

[[nodiscard]] cli::CommandTable auto_table();
[[nodiscard]] cli::CommandTable explain_table();
[[nodiscard]] cli::CommandTable export_table();
[[nodiscard]] cli::CommandTable import_table();
[[nodiscard]] cli::CommandTable kernel_table();
[[nodiscard]] cli::CommandTable laboratory_table();
[[nodiscard]] cli::CommandTable outliers_table();
[[nodiscard]] cli::CommandTable report_table();
[[nodiscard]] cli::CommandTable report_device_table();
[[nodiscard]] cli::CommandTable reproduce_table();
[[nodiscard]] cli::CommandTable replay_table();
[[nodiscard]] cli::CommandTable rules_table();
[[nodiscard]] cli::CommandTable search_table();
[[nodiscard]] cli::CommandTable show_table();
[[nodiscard]] cli::CommandTable sweep_table();
[[nodiscard]] cli::CommandTable watch_table();

cli::ExitCode run_auto(const cli::Given& given);
cli::ExitCode run_explain(const cli::Given& given);
cli::ExitCode run_export(const cli::Given& given);
cli::ExitCode run_import(const cli::Given& given);
cli::ExitCode run_kernel(const cli::Given& given);
cli::ExitCode run_laboratory(const cli::Given& given);
cli::ExitCode run_outliers(const cli::Given& given);
cli::ExitCode run_report(const cli::Given& given);
cli::ExitCode run_report_device(const cli::Given& given);
cli::ExitCode run_reproduce(const cli::Given& given);
cli::ExitCode run_replay(const cli::Given& given);
cli::ExitCode run_rules(const cli::Given& given);
cli::ExitCode run_search(const cli::Given& given);
cli::ExitCode run_show(const cli::Given& given);
cli::ExitCode run_sweep(const cli::Given& given);
cli::ExitCode run_watch(const cli::Given& given);

}  // namespace clgauss::tune
