#pragma once
/// Times the LU with given numbers: block width, panel, tiles.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <functional>
#include <memory>

#include "tuner/measure/restored_matrix.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// guarded_prepare(), and a spec that breaks its own rules is a constraint.
[[nodiscard]] Prepared guarded_spec(const LuSpec& spec, const DeviceProfile& device, RealType type,
                                    const std::function<Prepared()>& prepare);

/// An LU of n-by-n matrices by `spec`.
[[nodiscard]] Lu lu_by(Context& context, RealType type, Index n, const LuSpec& spec);

/// A random system on the device, by which a spec is checked and timed.
class LuBench {
 public:
  /// Throws OutOfMemory.
  LuBench(Context& context, RealType type, Index n);

  /// Factorisation and solve of a fresh copy, checked by a run that warms up: scaled residual <=
  /// 16.
  [[nodiscard]] Prepared prepare(const LuSpec& spec, double timeout_ns);

  /// The same, and the times of both together by the wall clock.
  [[nodiscard]] Outcome measure(const LuSpec& spec, const RunLimits& limits = {});

  /// Two specs that work, timed interleaved: duel().
  [[nodiscard]] Duel compare(const LuSpec& a, const LuSpec& b, std::size_t rounds);

 private:
  [[nodiscard]] std::shared_ptr<Lu> prepared(const LuSpec& spec) const;
  [[nodiscard]] double timed_ns(Lu& lu) const;
  [[nodiscard]] std::string fault_of_answer(Lu& lu) const;

  Context& context_;
  RealType type_;
  Index n_;
  System system_;
  RestoredMatrix a_, b_;
};

}  // namespace clgauss::tune
