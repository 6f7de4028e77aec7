#pragma once
/// Times the triangular solves of an LU by themselves.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>

#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

/// A random n-by-n matrix and as many right-hand sides on the device, by which the solves of a spec are checked and timed.
class SolveBench {
 public:
  /// Throws OutOfMemory.
  SolveBench(Context& context, RealType type, Index n);

  /// Factors a fresh copy, solves with it (a scaled residual of at most 16 in three of the columns is asked for), then times the
  /// solve `repetitions` times by the wall clock. A first solve that takes longer than `timeout_ns` is a timeout.
  [[nodiscard]] Outcome measure(const LuSpec& spec, std::size_t repetitions, double timeout_ns);

 private:
  [[nodiscard]] Outcome run(const LuSpec& spec, std::size_t repetitions, double timeout_ns);
  [[nodiscard]] double timed(Lu& lu);
  [[nodiscard]] double scaled_residual(Lu& lu) const;
  void copy(const MatrixView& from, const MatrixView& to) const;

  Context& context_;
  RealType type_;
  Index n_;
  Matrix host_a_, host_b_;
  MatrixView original_, a_, b_original_, b_;
};

}  // namespace clgauss::tune
