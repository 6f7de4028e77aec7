#pragma once
/// What a solve has to say: for people on stderr, for scripts as JSON and CSV.

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

/// The options of the device and of the report, --json, --verbose and --quiet, of a command that
/// solves; `json` tells of --json.
void add_report_options(CommandTable& table, const char* json);
/// Of a command whose x may have standard output.
inline constexpr const char* kJsonBesideX =
    "write a report to FILE; without FILE, or to -, to standard output: then also pass -o for x";

/// Wall-clock seconds of what the program does around a solve, and of all together. The parts here
/// and those of the solve add up to the total.
struct ProgramTimes {
  double read = 0, write = 0;
  double device = 0;   // listing the devices and opening one, as far as it took longer than reading
  double certify = 0;  // proving bounds, where that was asked for
  double free = 0;     // the system and the device's context; comes on top of SolveTimes::free
  double total = 0;
};

/// "f64", and "c64" where a number has a real and an imaginary part in f64.
template <typename Outcome>
[[nodiscard]] std::string_view number_name(const Outcome& outcome) {
  return outcome.complex ? complex_type_name(outcome.type) : real_type_name(outcome.type);
}

/// JSON has no numbers that are not finite.
[[nodiscard]] nlohmann::ordered_json finite_or_null(double value);

/// The keys of "time_s" in the order in which things happen; `forward` names the key of
/// SolveTimes::forward, and an empty `backward` leaves that part out.
[[nodiscard]] nlohmann::ordered_json times_json(const ProgramTimes& program,
                                                const SolveTimes& solve, const char* forward,
                                                const char* backward);
/// The total, and the parts of at least 1 % of it, as a line of the summary.
[[nodiscard]] std::string times_text(const nlohmann::ordered_json& times);

/// A finished solve with what surrounds it.
struct Report {
  const UsedDevice& device;
  const SolveOptions& options;
  const SolveOutcome& solution;
  Index n = 0, nrhs = 0;
  ProgramTimes times;
  std::optional<std::variant<Determinant, ComplexDeterminant>> determinant = {};  // if wanted
  // The file of which it is to be said that its last columns are b.
  std::string augmented_path = {};
  bool verbose = false;
  std::optional<Certificate> certificate = {};
};

/// To stderr: the summary, or with `quiet` only what the exit code needs for an explanation.
void tell_of(const Report& report, bool quiet, bool strict);

/// The lines for stderr: what was done on what device and how long it took, and what came of it.
[[nodiscard]] std::string summary_text(const Report& report);
/// The first of them, up to the times.
[[nodiscard]] std::string work_text(const Report& report);
/// The summary's line that says what came of it, and so why the exit code is not 0.
[[nodiscard]] std::string verdict_text(const Report& report);

/// "rcond 3.2e-04, forward error <= 1.2e-13: x has at least 12 correct digits", and what to think
/// of fewer than 3; empty where it is not known.
[[nodiscard]] std::string trust_text(const SolveOutcome& solution);
[[nodiscard]] nlohmann::ordered_json trust_json(const std::optional<Trust>& trust);
/// What was scaled, and what corrections did; empty: nothing.
[[nodiscard]] std::string scaling_text(const SolveOutcome& solution);
[[nodiscard]] std::string refinement_text(const SolveOutcome& solution);
[[nodiscard]] nlohmann::ordered_json refinement_json(const Refinement& refinement);

/// What is to be thought of an x of which too few digits can be relied on, or of which none is
/// known to be right since rcond is not known; empty if x can be used. The measure of --strict.
[[nodiscard]] std::string doubt_text(const SolveOutcome& solution);

/// The summary's line of what is proven.
[[nodiscard]] std::string certificate_text(const Certificate& certificate);

/// The summary's lines of the device and, as kernels_text(), of its kernels; what the reports say
/// of the device.
[[nodiscard]] std::string device_text(const UsedDevice& device, bool verbose);
[[nodiscard]] nlohmann::ordered_json device_json(const UsedDevice& device);

/// "25.4 Tflop/s in f32 and 0.794 in f64, f32 32 times as fast as f64".
[[nodiscard]] std::string rates_text(const ArithmeticRates& rates);
[[nodiscard]] nlohmann::ordered_json rates_json(const std::optional<ArithmeticRates>& rates);

/// "inertia    4 positive, 3 negative, 0 zero eigenvalues", a line of the summary.
[[nodiscard]] std::string inertia_text(const Inertia& inertia);
[[nodiscard]] nlohmann::ordered_json inertia_json(const Inertia& inertia);

/// The report of `--json`; its keys are documented in the README. Numbers that are not finite are
/// null.
[[nodiscard]] nlohmann::ordered_json report_json(const Report& report);

/// The rows of `--launches`: kernel,part,global0,global1,offset0,offset1,local,time_ns.
[[nodiscard]] std::string launches_csv(const std::vector<LaunchRecord>& launches);

[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison);

/// Of a system that was read and tried.
[[nodiscard]] ExitCode exit_code_of(SolveStatus status);

}  // namespace clgauss::cli
