#pragma once
/// Search for the fastest parameters of a GEMM kernel on a device.

#include <functional>

#include "tuner/search/gemm_space.hpp"
#include "tuner/search/searcher.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

/// One configuration that was tried.
struct GemmTrial {
  std::size_t configuration = 0;  // of the space
  GemmSpec spec;
  Outcome outcome;
  std::optional<double> time_ns;  // median; empty unless ok
};

struct GemmSearchOptions {
  std::string kernel = {};             // a family, or empty: the device's
  std::vector<std::string> vary = {};  // parameters, or empty: all
  std::string strategy = default_strategy();
  std::uint64_t random_seed = 1;
  /// tried after the built-in ones; those not in the space are skipped
  std::vector<Configuration> seeds = {};
  StopCondition stop = never();
  std::size_t repetitions = 5;
  std::function<void(const GemmTrial& trial, std::size_t tried, std::size_t size)> progress = {};
};

struct GemmSearchResult {
  GemmSpec built_in;                  // what Gemm takes without tuning
  std::optional<GemmSpec> best;       // the fastest that works; empty if none does
  Duel last;                          // of the best with the built-in one
  std::vector<GemmTrial> trials;      // all, in order
  std::vector<Parameter> parameters;  // of the space
  std::size_t space_size = 0;

  /// Whether the best beats the built-in spec in the last comparison, by more than its noise.
  [[nodiscard]] bool is_better() const { return best && last.order() == Order::faster; }
};

/// Searches until the stop condition is met or all was tried, then times the best against the
/// built-in spec in at least 7 rounds. Throws UsageError (unknown kernel or strategy) and as
/// GemmBench.
[[nodiscard]] GemmSearchResult search_gemm(Context& context, const GemmTask& task,
                                           const GemmSearchOptions& options);

}  // namespace clgauss::tune
