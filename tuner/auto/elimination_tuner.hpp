#pragma once
/// Finds the work-group size for the source's elimination at one n.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <functional>
#include <vector>

#include "tuner/measure/elimination.hpp"

namespace clgauss::tune {

/// A size and its median time of all n - 1 steps.
struct TunedSize {
  std::size_t local = 0;  // 0 = left to the driver
  double time_ns = 0;
};

struct EliminationTuning {
  TunedSize best;
  TunedSize by_driver,
      by_rule;  // the driver's own size and the LCM rule's, timed in turns with the best; 0 ns if they cannot run
  std::size_t tried = 0;
};

/// Three rounds: sizes of all magnitudes, the rules' and those that cut the n + 1 columns into few equal groups, `seeds` first; the
/// neighbours of the best two; at last the best four against the driver and the rule, in turns and with more repetitions. Where the
/// driver's own size wins clearly, it is left to the driver - but not where a prime near n is above the device's limit: there its
/// size would be 1. Throws DeviceLimit if no size runs, OutOfMemory.
[[nodiscard]] EliminationTuning tune_elimination(Context& context, RealType type, Index n,
                                                 const std::vector<std::size_t>& seeds,
                                                 const std::function<void()>& between);

}  // namespace clgauss::tune
