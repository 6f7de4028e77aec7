#pragma once
/// Residuals in f64 on a device without fp64.

#include <clgauss/context.hpp>
#include <memory>

#include "kernels/refinement/residual_integer.hpp"
#include "linalg/refinement/system_operator.hpp"

namespace clgauss {

/// A and B as the bits of f64 on a device that computes with them in integers. The residuals are
/// hundreds of times more accurate than sums in f64.
class IntegerOperator : public SystemOperator {
 public:
  /// Uploads A and B; waits. Throws OutOfMemory, NoUsableKernel.
  IntegerOperator(Context& context, const System& system);

  void residual(const Matrix& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] Matrix product(const Matrix& v) override;
  [[nodiscard]] bool on_device() const override { return true; }

 private:
  [[nodiscard]] std::vector<IntegerSums> sums(const Matrix& x, const cl::Buffer& b, Index nrhs);

  Context context_;
  Index n_, nrhs_;
  IntegerResidual kernel_;
  MatrixView a_;
  cl::Buffer b_, zero_, x_;  // nrhs x n: a right-hand side is a row
};

/// The key under which the context's verdicts record whether the device is faster than the host's
/// cores for systems of about n unknowns.
[[nodiscard]] KernelBuild integer_residual_choice(Context& context, Index n);

/// Residuals for refinement on a device without fp64. The device computes them if it has room for A
/// and is faster than the host's cores, the upload of A included. That is measured with the first
/// rows of the first system of about this size in the context. `system` must outlive the result.
[[nodiscard]] std::unique_ptr<SystemOperator> residuals_without_fp64(Context& context,
                                                                     const System& system);

}  // namespace clgauss
