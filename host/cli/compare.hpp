#pragma once
/// The source's experiment for one system: the driver's own work-group size against a chosen one.

#include <clgauss/context.hpp>
#include <clgauss/solve.hpp>
#include <vector>

namespace clgauss::cli {

/// Runs of one policy. Seconds of forward and backward elimination, wall clock; transfers and
/// builds are not in them.
struct ComparedPolicy {
  Solution solution;  // of the last run
  std::vector<double> seconds;

  [[nodiscard]] double median() const;
};

struct Comparison {
  ComparedPolicy driver, chosen;
  double max_difference = 0;  // of the two answers; NaN if one is missing

  /// How many times longer the driver's default takes.
  [[nodiscard]] double ratio() const { return driver.median() / chosen.median(); }
};

/// Solves `system` with the driver's default (A) and with `options.policy` (B): `warmups` pairs
/// untimed, then `repetitions` pairs in the order A B A B. Throws as solve().
[[nodiscard]] Comparison compare_policies(Context& context, const System& system,
                                          const SolveOptions& options, int repetitions, int warmups,
                                          const ProgressCallback& progress);

}  // namespace clgauss::cli
