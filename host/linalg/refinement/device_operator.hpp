#pragma once
/// A and B in f64 on a device with fp64.

#include <clgauss/context.hpp>
#include <clgauss/view.hpp>
#include <cstdint>
#include <utility>

#include "kernels/refinement/refine.hpp"
#include "kernels/refinement/residual.hpp"
#include "linalg/refinement/system_operator.hpp"

namespace clgauss {

class DeviceOperator : public SystemOperator {
 public:
  /// For the n-by-n A at `a`. Throws OutOfMemory, NoUsableKernel.
  DeviceOperator(Context& context, const MatrixView& a, Index n, Index nrhs);

  /// Bytes that a DeviceOperator holds besides A.
  [[nodiscard]] static std::uint64_t bytes(Index n, Index nrhs);

  [[nodiscard]] Index rows() const { return n_; }
  [[nodiscard]] const MatrixView& a() const { return a_; }
  void set_a(const MatrixView& a) { a_ = MatrixView(a); }
  void set_right_hand_sides(const Matrix& b);
  /// `to` <- A, rounded to f32. Enqueued on the context's queue.
  void demote(const MatrixView& to);
  /// `to` <- A, with A's leading dimension. Enqueued on the context's queue.
  void copy_matrix(const cl::Buffer& to);
  /// The row sums of |A|. Waits.
  [[nodiscard]] Values row_sums();

  /// The next functions serve one right-hand side, whose x stays on the device. judge() returns the
  /// quality of x and sets b <- 2^-e (b - A x) in f32; it waits.
  void set_x(const Matrix& x);
  /// x <- 0 and b <- 2^-e B.
  void set_x_to_zero(const cl::Buffer& b);
  [[nodiscard]] Quality judge(const cl::Buffer& b);
  /// x <- x + 2^e b, then judge().
  [[nodiscard]] Quality correct_and_judge(const cl::Buffer& b);
  /// Restores the x before the last correction, but not b - A x.
  void take_back() { std::swap(x_, last_x_); }
  [[nodiscard]] Matrix x() const;
  /// Copy the right-hand side from, and x to, f64 memory of the device, n x 1. Enqueued on the
  /// context's queue.
  void copy_right_hand_side(const MatrixView& b);
  void copy_x(const MatrixView& to) const;

  void residual(const Matrix& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] Matrix product(const Matrix& v) override;
  [[nodiscard]] bool on_device() const override { return true; }

 private:
  Context& context_;
  Index n_, nrhs_;
  MatrixView a_;
  cl::Buffer b_, zero_, x_, last_x_, r_, d_;  // nrhs x n: a right-hand side is a row
  RefineKernels refine_;
  ResidualKernel residual_;
};

}  // namespace clgauss
