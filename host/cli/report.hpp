#pragma once
/// Reports of a solve: text on stderr for people, JSON and CSV for scripts.

#include <clgauss/certify.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/context.hpp>
#include <clgauss/solve.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/compare.hpp"
#include "cli/open_context.hpp"
#include "command_line/command.hpp"

namespace clgauss::cli {

/// Adds the options of the device and of the report (--json, --verbose, --quiet) that solving
/// commands share. `json` is the help text of --json.
void add_report_options(CommandTable& table, const char* json);
/// Whether --verbose was given. Throws UsageError beside --quiet, which leaves out what it adds to.
[[nodiscard]] bool is_verbose(const po::variables_map& values);
/// The help text of --json for commands whose x may go to standard output.
inline constexpr const char* kJsonBesideX =
    "write a report to FILE; without FILE, or to -, to standard output: then also pass -o for x";

/// Wall-clock seconds of the program's work around a solve, and of the whole run. The parts here
/// and those of the solve add up to the total.
struct ProgramTimes {
  double read = 0, write = 0;
  double device = 0;   // finding and opening the device, beyond the time of reading
  double certify = 0;  // proving bounds (--certify)
  double free = 0;     // freeing the system and the context; added to SolveTimes::free
  double total = 0;
};

/// "f64", or "c64" for complex numbers in f64.
template <typename Outcome>
[[nodiscard]] std::string_view number_name(const Outcome& outcome) {
  return outcome.complex ? complex_type_name(outcome.type) : real_type_name(outcome.type);
}

/// JSON cannot represent NaN and infinities.
[[nodiscard]] nlohmann::ordered_json finite_or_null(double value);

/// The members of "time_s" in chronological order. `forward` is the key for SolveTimes::forward; an
/// empty `backward` omits that part.
[[nodiscard]] nlohmann::ordered_json times_json(const ProgramTimes& program,
                                                const SolveTimes& solve, const char* forward,
                                                const char* backward);
/// The total time and the parts of at least 1 % of it, as a line of the summary.
[[nodiscard]] std::string times_text(const nlohmann::ordered_json& times);

/// A finished solve with its device, options and times.
struct Report {
  const UsedDevice& device;
  const SolveOptions& options;
  const SolveOutcome& solution;
  Index n = 0, nrhs = 0;
  ProgramTimes times;
  std::optional<std::variant<Determinant, ComplexDeterminant>> determinant = {};  // if wanted
  // The file whose last columns were used as b, if the summary should say so.
  std::string augmented_path = {};
  bool verbose = false;
  std::optional<Certificate> certificate = {};
};

/// Prints the summary to stderr; with `quiet` only what explains the exit code.
void tell_of(const Report& report, bool quiet, bool strict);

/// The lines for stderr: the work done, the device, the times and the outcome.
[[nodiscard]] std::string summary_text(const Report& report);
/// The first lines of the summary, up to the times.
[[nodiscard]] std::string work_text(const Report& report);
/// The summary's line with the outcome, which explains the exit code.
[[nodiscard]] std::string verdict_text(const Report& report);

/// "rcond 3.2e-04, forward error <= 1.2e-13: x has at least 12 correct digits", with advice if
/// there are fewer than 3. Empty if the estimate is not available.
[[nodiscard]] std::string trust_text(const SolveOutcome& solution);
[[nodiscard]] nlohmann::ordered_json trust_json(const std::optional<Trust>& trust);
/// What was scaled, and how x was refined. Empty if nothing was done.
[[nodiscard]] std::string scaling_text(const SolveOutcome& solution);
[[nodiscard]] std::string refinement_text(const SolveOutcome& solution);
[[nodiscard]] nlohmann::ordered_json refinement_json(const Refinement& refinement);

/// A warning if x has too few reliable digits, or if rcond is unknown and so no digit is known to
/// be right. Empty if x can be used. --strict depends on it.
[[nodiscard]] std::string doubt_text(const SolveOutcome& solution);

/// The summary's line about the certificate of `what`, and its JSON; null if there is none.
[[nodiscard]] std::string certificate_text(const Certificate& certificate,
                                           std::string_view what = "x");
[[nodiscard]] nlohmann::ordered_json certificate_json(
    const std::optional<Certificate>& certificate);

/// The summary's lines about the device and its kernels (see kernels_text()), and the device in
/// JSON reports.
[[nodiscard]] std::string device_text(const UsedDevice& device, bool verbose);
[[nodiscard]] nlohmann::ordered_json device_json(const UsedDevice& device);

/// "25.4 Tflop/s in f32 and 0.794 in f64, f32 32 times as fast as f64".
[[nodiscard]] std::string rates_text(const ArithmeticRates& rates);
[[nodiscard]] nlohmann::ordered_json rates_json(const std::optional<ArithmeticRates>& rates);

/// "inertia    4 positive, 3 negative, 0 zero eigenvalues", a line of the summary.
[[nodiscard]] std::string inertia_text(const Inertia& inertia);
[[nodiscard]] nlohmann::ordered_json inertia_json(const Inertia& inertia);

/// The report of `--json`; docs/report.md documents its keys. Numbers that are not finite are null.
[[nodiscard]] nlohmann::ordered_json report_json(const Report& report);

/// The rows of `--launches`: kernel,part,global0,global1,offset0,offset1,local,time_ns.
[[nodiscard]] std::string launches_csv(const std::vector<LaunchRecord>& launches);

[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison);

/// The exit code for a system that was read and solved with this status.
[[nodiscard]] ExitCode exit_code_of(SolveStatus status);

}  // namespace clgauss::cli
