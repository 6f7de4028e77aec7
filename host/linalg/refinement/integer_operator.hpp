#pragma once
/// Residuals in f64 on a device without fp64.

#include <clgauss/context.hpp>
#include <memory>

#include "kernels/refinement/residual_integer.hpp"
#include "linalg/refinement/system_operator.hpp"

namespace clgauss {

/// A and B as the bits of f64 on the device, which computes with them in integers: hundreds of
/// times nearer than sums in f64.
class IntegerOperator : public SystemOperator {
 public:
  /// Uploads; waits. Throws OutOfMemory, NoUsableKernel.
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

/// Under this name the context's verdicts say whether the device takes less time than the host's
/// cores for systems of about n.
[[nodiscard]] KernelBuild integer_residual_choice(Context& context, Index n);

/// Residuals of a system for refinement on a device without fp64: by the device where it has room
/// for A and takes less time than the host's cores, A's upload included. That is measured with the
/// first rows of the first system of about so many unknowns that the context meets. `system` must
/// outlive it.
[[nodiscard]] std::unique_ptr<SystemOperator> residuals_without_fp64(Context& context,
                                                                     const System& system);

}  // namespace clgauss
