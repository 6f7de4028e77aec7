#pragma once
/// A complex A and B in f64 on a device with fp64.

#include <clgauss/complex.hpp>
#include <clgauss/context.hpp>
#include <clgauss/view.hpp>
#include <cstdint>

#include "kernels/refinement/residual.hpp"
#include "linalg/refinement/system_operator.hpp"

namespace clgauss {

/// As ComplexOperator. A is on the device as it was given, in parts, n-by-2n.
class ComplexDeviceOperator : public SystemOperator {
 public:
  /// Allocates the memory, and builds and self-tests the kernels. n, nrhs > 0. Throws OutOfMemory,
  /// NoUsableKernel.
  ComplexDeviceOperator(Context& context, Index n, Index nrhs);

  /// Bytes that a ComplexDeviceOperator holds.
  [[nodiscard]] static std::uint64_t bytes(Index n, Index nrhs);

  void upload(const ComplexSystem& system);

  void residual(const Matrix& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] Matrix product(const Matrix& v) override;
  [[nodiscard]] bool on_device() const override { return true; }

 private:
  /// Enqueues the residual of `x`, in pairs, for the right-hand sides at `b`.
  void enqueue(const Matrix& x, const cl::Buffer& b);
  /// The first `columns` columns of numbers at `buffer`, in pairs.
  [[nodiscard]] Matrix read(const cl::Buffer& buffer, Index columns) const;

  Context& context_;
  Index n_, nrhs_;
  MatrixView a_;
  cl::Buffer b_, zero_, x_, r_, d_;  // a row holds the real or the imaginary parts of a column
  ResidualKernel residual_;
};

}  // namespace clgauss
