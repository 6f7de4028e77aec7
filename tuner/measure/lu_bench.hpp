#pragma once
/// Times the LU with given numbers: block width, panel, tiles.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <functional>
#include <memory>

#include "tuner/measure/restored_matrix.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// guarded(), and a spec that breaks its own rules is a constraint.
[[nodiscard]] Outcome guarded_spec(const LuSpec& spec, const DeviceProfile& device, RealType type,
                                   const std::function<Outcome()>& measure);

/// An LU of n-by-n matrices by `spec`.
[[nodiscard]] Lu lu_by(Context& context, RealType type, Index n, const LuSpec& spec);

/// A random system on the device, by which a spec is checked and timed.
class LuBench {
 public:
  /// Throws OutOfMemory.
  LuBench(Context& context, RealType type, Index n);

  /// Factors and solves a fresh copy: first checked (scaled residual <= 16), then timed by the wall clock, factorisation and solve
  /// together.
  [[nodiscard]] Outcome measure(const LuSpec& spec, const RunLimits& limits = {});

  /// Two specs that work, timed in turns: duel().
  [[nodiscard]] Duel compare(const LuSpec& a, const LuSpec& b, std::size_t rounds);

 private:
  [[nodiscard]] Lu prepared(const LuSpec& spec) const;
  [[nodiscard]] double timed_ns(Lu& lu) const;
  [[nodiscard]] std::string fault_of_answer(Lu& lu) const;

  Context& context_;
  RealType type_;
  Index n_;
  System system_;
  RestoredMatrix a_, b_;
};

}  // namespace clgauss::tune
