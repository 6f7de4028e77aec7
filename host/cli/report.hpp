#pragma once
/// What a solve has to say: for people on stderr, for scripts as JSON and CSV.

#include <clgauss/context.hpp>
#include <clgauss/solve.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/compare.hpp"

namespace clgauss::cli {

/// A finished solve with what surrounds it.
struct Report {
  const DeviceProfile& device;
  const SolveOptions& options;
  const Solution& solution;
  Index n = 0, nrhs = 0;
  double read_seconds = 0, total_seconds = 0;
  bool with_determinant = false;
  std::string augmented_path =
      {};  // the file of which it is to be said that its last columns are b
};

/// The lines for stderr.
[[nodiscard]] std::string summary_text(const Report& report);

/// The report of `--json`; its keys are documented in the README. Numbers that are not finite are
/// null.
[[nodiscard]] nlohmann::ordered_json report_json(const Report& report);

/// The rows of `--launches`: kernel,part,global0,global1,offset0,offset1,local,time_ns.
[[nodiscard]] std::string launches_csv(const std::vector<LaunchRecord>& launches);

[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace clgauss::cli
