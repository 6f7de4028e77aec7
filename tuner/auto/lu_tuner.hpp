#pragma once
/// Finds the numbers of the LU for one n: block width, panel, tiles.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <functional>
#include <optional>

#include "tuner/measure/outcome.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

/// A random system on the device, by which a spec is checked and timed.
class LuBench {
 public:
  /// Throws OutOfMemory.
  LuBench(Context& context, RealType type, Index n);

  /// Factors and solves a fresh copy: first checked (scaled residual <= 16), then timed `repetitions` times by the wall clock,
  /// factorisation and solve together. A first run that takes over twice `best_ns` is the only one; a warm-up that takes longer than
  /// `timeout_ns` is a timeout.
  [[nodiscard]] Outcome measure(const LuSpec& spec, int repetitions,
                                std::optional<double> best_ns = {},
                                std::optional<double> timeout_ns = {});

  /// Median times in ns of two specs that work, in turns A B A B.
  [[nodiscard]] std::pair<double, double> compare(const LuSpec& a, const LuSpec& b, int pairs);

 private:
  struct Candidate;
  [[nodiscard]] double timed(Lu& lu);
  [[nodiscard]] double scaled_residual(Lu& lu);

  Context& context_;
  RealType type_;
  Index n_;
  System system_;
  MatrixView original_, a_, b_original_, b_;
};

struct LuTuningResult {
  LuSpec built_in, best;
  double built_in_ns = 0, best_ns = 0;  // medians of the last comparison, A B A B
  std::size_t tried = 0;
};

/// Changes one number of the spec at a time, the block width first, and keeps what is faster, until nothing is or `stop` says so.
[[nodiscard]] LuTuningResult tune_lu(Context& context, RealType type, Index n,
                                     const StopCondition& stop,
                                     const std::function<void()>& between);

}  // namespace clgauss::tune
