#pragma once
/// Finds from which n on solve() is fastest by which method.

#include <clgauss/context.hpp>
#include <clgauss/lab/tuned.hpp>
#include <functional>
#include <vector>

#include "tuner/measure/estimate.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

struct MethodTuning {
  MethodChoice choice;            // without an entry
  Index n = 0;                    // the largest that was measured
  double best_ns = 0, lu_ns = 0;  // medians there: of the method chosen, and of lu
  Estimate gain;                  // how many times as long lu takes there
  std::size_t tried = 0;          // methods at all sizes
};

struct MethodTask {
  std::vector<Index> sizes;
  MethodChoice so_far;  // what a solve takes
};

/// Solves to double accuracy by lu, mixed and rbt, in turns and each in a context of its own on the
/// queue of `context`, with `options`, as a program does it, for the largest of the sizes first. A
/// method is chosen from the smallest n on from which it wins over lu at all larger ones, by more
/// than the noise, and rbt where mixed does not win over it. What was so far of sizes above the
/// largest stays. Ends where neither wins, or `stop` says so. Throws DeviceLimit if lu fails.
[[nodiscard]] MethodTuning tune_methods(const Context& context, const ContextOptions& options,
                                        const MethodTask& task, const StopCondition& stop,
                                        const std::function<void()>& between);

}  // namespace clgauss::tune
