#pragma once
/// Times a GEMM kernel with given parameters.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <string>
#include <vector>

#include "tuner/measure/restored_matrix.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// What is to be timed or tuned for: C <- A B, or C <- C - A B.
struct GemmTask {
  RealType type = RealType::f32;
  GemmUse use = GemmUse::general;
  GemmShape shape;
};

/// The spec that Gemm takes by itself for the task.
[[nodiscard]] GemmSpec built_in_gemm_spec(Context& context, const GemmTask& task);

/// Operands of a task on the device, by which any spec is built, checked and timed.
class GemmBench {
 public:
  /// Computes the result that others are compared with by the built-in kernel, which Gemm checks by
  /// itself. Throws as Gemm, OutOfMemory.
  GemmBench(Context& context, const GemmTask& task);

  /// A product by `spec`: its rules and the device's limits are looked at, it is built, checked
  /// over cut tiles against the host and on the task itself element by element, by a run that warms
  /// up. Never throws for what one configuration can fail by.
  [[nodiscard]] Prepared prepare(const GemmSpec& spec, double timeout_ns);

  /// The same, and its times by the wall clock.
  [[nodiscard]] Outcome measure(const GemmSpec& spec, const RunLimits& limits = {});

  /// Two specs that work, timed interleaved: duel().
  [[nodiscard]] Duel compare(const GemmSpec& a, const GemmSpec& b, std::size_t rounds);

 private:
  [[nodiscard]] Prepared checked_product(const GemmSpec& spec, double timeout_ns);
  /// Wall time of one product.
  [[nodiscard]] double timed_ns(Gemm& gemm);
  [[nodiscard]] std::string first_wrong_element() const;

  Context& context_;
  GemmTask task_;
  MatrixView a_, b_;
  RestoredMatrix c_;
  Values reference_;  // C as the built-in kernel computes it
  /// norms of the rows of A, of the columns of B
  std::vector<double> bounds_of_rows_, bounds_of_cols_;
};

}  // namespace clgauss::tune
