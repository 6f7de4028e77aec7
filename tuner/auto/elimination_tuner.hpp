#pragma once
/// Finds the work-group size for the source's elimination at one n.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <functional>
#include <vector>

#include "tuner/measure/elimination.hpp"
#include "tuner/rows/contest_result.hpp"

namespace clgauss::tune {

struct EliminationTuning {
  std::size_t local = 0;                // the fastest that may be stored; 0 = left to the driver
  SplitMode split = SplitMode::padded;  // and how it is launched
  Timing best;                          // its times
  Timing incumbent;    // what a solve takes so far: as stored or shipped, else what fits
  ContestResult last;  // the last comparison, of these and the driver
  /// faster, by more than the noise, than the incumbent and than what fits, and not slower than the
  /// driver's own
  bool wins = false;
  std::size_t tried = 0;
};

/// Three times in turns: sizes of all magnitudes, the rules' and those that cut the n + 1 columns
/// into few equal groups, `seeds` first, each in one launch; the neighbours of the best two; at
/// last the best two in every way of launching against the driver, what fits and `taken`, what a
/// solve takes so far (nullptr: what fits). Where the driver's own size wins, it is left to the
/// driver - but not where a prime near n is above the device's limit: there its size would be 1.
/// Throws DeviceLimit if no size runs, OutOfMemory.
[[nodiscard]] EliminationTuning tune_elimination(Context& context, RealType type, Index n,
                                                 const std::vector<std::size_t>& seeds,
                                                 const LaunchChoice* taken,
                                                 const std::function<void()>& between);

}  // namespace clgauss::tune
