#pragma once
/// Iterative refinement in extra precision: x to the digits of f64.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <span>

#include "kernels/refinement/residual.hpp"
#include "linalg/refinement/refine.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

/// An unevaluated sum of two matrices, |lo| <= eps |hi|.
struct TwoParts {
  Matrix hi, lo;
};

/// A' and B' of a scaled system for residuals in twice the precision of f64.
class ExtraPreciseOperator {
 public:
  ExtraPreciseOperator() = default;
  virtual ~ExtraPreciseOperator() = default;
  ExtraPreciseOperator(const ExtraPreciseOperator&) = delete;
  ExtraPreciseOperator& operator=(const ExtraPreciseOperator&) = delete;

  /// r <- B' - A' x, summed in double-double and rounded once, and d <- |B'| + |A'| |x|, n-by-nrhs
  /// each. Waits.
  virtual void residual(const TwoParts& x, Matrix& r, Matrix& d) = 0;
  [[nodiscard]] virtual bool on_device() const { return false; }
  /// Whether rows 2 i and 2 i + 1 are the parts of a complex number, whose size is its modulus.
  [[nodiscard]] virtual bool pairs() const { return false; }
};

/// One number of B' - A' x, and of |B'| + |A'| |x|.
struct ExactResidual {
  double r = 0, d = 0;
};
/// Of a row of A' and its number of B'; x = hi + lo has as many numbers as `a`.
[[nodiscard]] ExactResidual exact_residual(std::span<const double> a, double b, const double* hi,
                                           const double* lo);

/// By the cores of the host. System and scaling must outlive it.
class ExtraPreciseHost : public ExtraPreciseOperator {
 public:
  ExtraPreciseHost(const System& system, const Scaling& scaling)
      : system_(system), scaling_(scaling) {}

  void residual(const TwoParts& x, Matrix& r, Matrix& d) override;

 private:
  const System& system_;
  const Scaling& scaling_;
};

/// By a device with fp64, which holds A' and B' once more.
class ExtraPreciseDevice : public ExtraPreciseOperator {
 public:
  /// Uploads; waits. Throws OutOfMemory, NoUsableKernel.
  ExtraPreciseDevice(Context& context, const System& system, const Scaling& scaling);

  /// Builds and self-tests what one of them launches: beside a factorisation's kernels. Throws
  /// NoUsableKernel.
  static void prepare(Context& context, Index nrhs);
  [[nodiscard]] static std::uint64_t bytes(Index n, Index nrhs);
  void residual(const TwoParts& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] bool on_device() const override { return true; }

 private:
  Context& context_;
  Index n_, nrhs_;
  MatrixView a_;
  cl::Buffer b_, x_, x_lo_, r_, d_;  // nrhs x n: a right-hand side is a row
  ResidualKernel residual_;
};

/// Corrects x of A' x = B', held in two parts on the way, as LAPACK's dgesvxx does (Demmel, Hida,
/// Kahan, Li, Mukherjee and Riedy, ACM TOMS 32, 2006): each right-hand side until a correction
/// changes no element by more than eps, or is more than half as large as the one before. Accepted
/// is a correction of at most eps ||x|| for every right-hand side; what errors are left follows
/// from how fast the corrections shrank. Where products leave the range in which double-double
/// holds them, nothing is accepted. With factors so far from A' that they say nothing of it,
/// corrections may shrink all the same: it is for the caller to look at rcond.
[[nodiscard]] Refinement refine_in_extra_precision(ExtraPreciseOperator& system,
                                                   const ApproximateSolve& solve, Matrix& x,
                                                   const ProgressCallback& progress = {});

}  // namespace clgauss
