#pragma once
/// Tunes what solve() and gemm use on a device, within a given time.

#include <clgauss/context.hpp>
#include <clgauss/lab/tuned.hpp>
#include <functional>
#include <string>
#include <vector>

namespace clgauss::tune {

struct AutoOptions {
  double budget_s = 180;
  std::vector<std::string> whats{kTunedElimination, kTunedGemm, kTunedLu};
  std::vector<RealType> types;
  std::vector<Index> sizes;       // n of elimination, gemm and lu
  std::vector<TunedEntry> seeds;  // where searches start: earlier results, other devices'
};

/// One thing that was tuned: the entry to store, and what it gained.
struct AutoResult {
  TunedEntry entry;  // its times are medians of runs in turns with the default
  bool worth_storing =
      false;  // faster than the default by more than noise; elimination always: there the numbers are the answer
  std::size_t tried = 0;
  std::string problem;  // not empty: nothing was found, and why
};

/// The share of the budget that is used and what is being tuned. May throw to stop.
using AutoProgress = std::function<void(double fraction, const std::string& what)>;

/// Calls `found` with each result as it comes. The budget is shared among what is left, so that every purpose gets its turn. A
/// purpose that the device cannot do leaves a result with a problem. The context must not take up tuned numbers itself.
void tune_automatically(Context& context, const AutoOptions& options, const AutoProgress& progress,
                        const std::function<void(const AutoResult&)>& found);

/// n one less than a prime, where a work-group size that is left to chance does the most harm: 508, 1012, 2002, 4006, 8010.
[[nodiscard]] std::vector<Index> default_tuning_sizes(const DeviceProfile& device);

}  // namespace clgauss::tune
