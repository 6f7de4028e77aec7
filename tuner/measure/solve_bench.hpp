#pragma once
/// Times the triangular solves of an LU by themselves.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>

#include "tuner/measure/restored_matrix.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// A random n-by-n matrix and as many right-hand sides on the device, by which the solves of a spec
/// are checked and timed.
class SolveBench {
 public:
  /// Throws OutOfMemory.
  SolveBench(Context& context, RealType type, Index n);

  /// The solves with the factors of a fresh copy, checked by a run that warms up: a scaled residual
  /// of at most 16 in three of the columns. What it prepares shares the matrix: the factors that
  /// are there then, of the same matrix, are those of the last spec.
  [[nodiscard]] Prepared prepare(const LuSpec& spec, double timeout_ns);

 private:
  [[nodiscard]] double timed_ns(Lu& lu) const;
  [[nodiscard]] std::string fault_of_answer(Lu& lu) const;

  Context& context_;
  RealType type_;
  Index n_;
  Matrix host_a_, host_b_;
  RestoredMatrix a_, b_;
};

}  // namespace clgauss::tune
