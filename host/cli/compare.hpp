#pragma once
/// Compares the driver's own work-group size with a chosen one for one system, as Baranov and
/// Vlatskaya (2013) do.

#include <clgauss/context.hpp>
#include <clgauss/solve.hpp>
#include <vector>

namespace clgauss::cli {

/// The runs with one policy. `seconds` is the wall clock of forward and backward elimination,
/// without transfers and kernel builds.
struct ComparedPolicy {
  Solution solution;  // of the last run
  std::vector<double> seconds;

  [[nodiscard]] double median() const;
};

struct Comparison {
  ComparedPolicy driver, chosen;
  double max_difference = 0;  // between the two answers; NaN if one is missing

  /// Time with the driver's default, divided by the time with the chosen size.
  [[nodiscard]] double ratio() const { return driver.median() / chosen.median(); }
};

/// Solves `system` with the driver's default (A) and with `options.policy` (B): first `warmups`
/// untimed pairs, then `repetitions` pairs in the order A B A B. Throws as solve() does.
[[nodiscard]] Comparison compare_policies(Context& context, const System& system,
                                          const SolveOptions& options, int repetitions, int warmups,
                                          const ProgressCallback& progress);

}  // namespace clgauss::cli
