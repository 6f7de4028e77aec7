#pragma once
/// Tunes what solve() and gemm use on a device, within a given time.

#include <clgauss/context.hpp>
#include <clgauss/lab/tuned.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tuner/measure/estimate.hpp"

namespace clgauss::tune {

struct AutoOptions {
  double budget_s = 180;
  std::vector<std::string> whats{kTunedElimination, kTunedGemm, kTunedLu, kTunedMethod};
  std::vector<RealType> types;
  std::vector<Index> sizes;       // n of elimination, gemm, lu and method
  ContextOptions context;         // of the contexts that methods are compared in
  std::vector<TunedEntry> seeds;  // where searches start: earlier results, other devices'
  const Tuning* known = nullptr;  // what a solve takes so far, stored or shipped; nullptr: nothing
};

/// One thing that was tuned: the entry to store, and what it gained.
struct AutoResult {
  TunedEntry entry;  // its times are medians of runs in turns with what a solve takes so far
  Estimate gain;     // how many times as long that takes
  /// Faster by more than the noise than clgauss's own choice, and than what was stored or shipped
  /// for this n. Of methods: another choice than what was stored or shipped, or there is none.
  bool worth_storing = false;
  std::size_t tried = 0;
  std::string problem;  // not empty: nothing was found, and why
};

/// The share of the budget that is used and what is being tuned. May throw to stop.
using AutoProgress = std::function<void(double fraction, const std::string& what)>;

/// Calls `found` with each result as it comes. The budget is shared among what is left, so that
/// every purpose gets its turn. A purpose that the device cannot do leaves a result with a problem.
/// The context must not use tuned numbers itself.
void tune_automatically(Context& context, const AutoOptions& options, const AutoProgress& progress,
                        const std::function<void(const AutoResult&)>& found);

/// How much they differ on this machine now, as a share: equal launches of a small elimination,
/// timed for about a second.
[[nodiscard]] double machine_noise(Context& context);

/// Why a machine is too noisy to tune on; empty if it is not.
[[nodiscard]] std::string noise_text(double noise, double busy, unsigned cores);
/// The same with advice.
[[nodiscard]] std::string noise_refusal(double noise, double busy, unsigned cores);

/// n one less than a prime, where a work-group size that is left to chance does the most harm: 508,
/// 1012, 2002, 4006, 8010.
[[nodiscard]] std::vector<Index> default_tuning_sizes(const DeviceProfile& device);

}  // namespace clgauss::tune
