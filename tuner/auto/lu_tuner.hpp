#pragma once
/// Finds the numbers of the LU for one n: block width, panel, tiles.

#include <clgauss/context.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <functional>

#include "tuner/measure/timing.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

struct LuTuningResult {
  LuSpec built_in, best;
  Duel last;  // of the best with the built-in one
  std::size_t tried = 0;
};

/// Changes one number of the spec at a time, the block width first, and keeps what is faster, until
/// nothing is or `stop` says so.
[[nodiscard]] LuTuningResult tune_lu(Context& context, RealType type, Index n,
                                     const StopCondition& stop,
                                     const std::function<void()>& between);

}  // namespace clgauss::tune
