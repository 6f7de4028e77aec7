#pragma once
/// The sub-commands of clgauss, and their options.

#include <clgauss/lab/elimination.hpp>

#include "command_line/command.hpp"

namespace clgauss::cli {

[[nodiscard]] CommandTable devices_table();
[[nodiscard]] CommandTable generate_table();
[[nodiscard]] CommandTable rule_table();
[[nodiscard]] CommandTable solve_table();
[[nodiscard]] CommandTable warm_table();
[[nodiscard]] CommandTable run_table();

[[nodiscard]] CommandTable lstsq_table();
[[nodiscard]] CommandTable invert_table();
[[nodiscard]] CommandTable det_table();
[[nodiscard]] CommandTable cond_table();
[[nodiscard]] CommandTable inertia_table();

/// The words of --equilibrate.
[[nodiscard]] const WordTable<Equilibration>& equilibration_words();

ExitCode run_devices(const Given& given);
ExitCode run_generate(const Given& given);
ExitCode run_rule(const Given& given);
ExitCode run_solve(const Given& given);
ExitCode run_warm(const Given& given);
ExitCode run_run(const Given& given);
ExitCode run_lstsq(const Given& given);
ExitCode run_invert(const Given& given);
ExitCode run_det(const Given& given);
ExitCode run_cond(const Given& given);
ExitCode run_inertia(const Given& given);
/// solve on several devices.
ExitCode run_distributed(const Given& given);

}  // namespace clgauss::cli
