#pragma once
/// The device's part of refinement besides residuals and solves, cl/refinement/refine.cl.

#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

[[nodiscard]] const KernelVariant& refine_variant();

/// The errors of an x.
struct Quality {
  double componentwise = 0;  // max |r|_i / d_i, with r = b - A x and d = |b| + |A| |x|
  double normwise = 0;       // max |r|_i / max d_i

  /// max |r| <= n eps max d, which implies an HPL-scaled residual of at most 1.
  [[nodiscard]] bool accepted(Index n) const;
  [[nodiscard]] bool better_than(const Quality& other) const {
    return componentwise < other.componentwise;  // false for NaN
  }
};

/// Allows for underflow where d is hardly above the smallest number: if d <= `small`, `slack` is
/// added to |r| and to d (as LAPACK's dgerfs does).
struct Underflow {
  double small, slack;
  explicit Underflow(Index n);
};

class RefineKernels {
 public:
  /// Throws NoUsableKernel.
  explicit RefineKernels(Context& context);

  /// C <- A, rows x columns, where A is f64 and C is f32.
  void demote(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& c, Index rows,
              Index columns) const;

  /// b <- 2^-e r in f32, where r and d have n doubles. The quality of x and the exponent e stay on
  /// the device.
  void judge(const cl::CommandQueue& queue, Index n, const cl::Buffer& r, const cl::Buffer& d,
             const cl::Buffer& b) const;
  /// The quality that the last judge() computed; waits.
  [[nodiscard]] Quality quality(const cl::CommandQueue& queue) const;
  /// next <- x + 2^e b with the e of the last judge().
  void correct(const cl::CommandQueue& queue, Index n, const cl::Buffer& x, const cl::Buffer& b,
               const cl::Buffer& next) const;

 private:
  friend void require_refine_kernels(Context& context);
  struct Untried {};
  RefineKernels(Context& context, Untried);

  Kernel demote_, judge_, correct_;
  cl::Buffer quality_;  // in judge()'s format
};

}  // namespace clgauss
