#pragma once
/// Iterative refinement in extra precision: x accurate to the digits of f64.

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

/// Residuals of a scaled system A' x = B' in twice the precision of f64.
class ExtraPreciseOperator {
 public:
  ExtraPreciseOperator() = default;
  virtual ~ExtraPreciseOperator() = default;
  ExtraPreciseOperator(const ExtraPreciseOperator&) = delete;
  ExtraPreciseOperator& operator=(const ExtraPreciseOperator&) = delete;

  /// r <- B' - A' x, summed in double-double and rounded once, and d <- |B'| + |A'| |x|. Both are
  /// n-by-nrhs. Waits.
  virtual void residual(const TwoParts& x, Matrix& r, Matrix& d) = 0;
  [[nodiscard]] virtual bool on_device() const { return false; }
  /// Whether rows 2 i and 2 i + 1 are the parts of a complex number, whose size is then its
  /// modulus.
  [[nodiscard]] virtual bool pairs() const { return false; }
};

/// One element of B' - A' x, and of |B'| + |A'| |x|.
struct ExactResidual {
  double r = 0, d = 0;
};
/// For a row `a` of A' and its element b of B'. x = hi + lo has as many numbers as `a`.
[[nodiscard]] ExactResidual exact_residual(std::span<const double> a, double b, const double* hi,
                                           const double* lo);

/// Computes on the host's cores. System and scaling must outlive it.
class ExtraPreciseHost : public ExtraPreciseOperator {
 public:
  ExtraPreciseHost(const System& system, const Scaling& scaling)
      : system_(system), scaling_(scaling) {}

  void residual(const TwoParts& x, Matrix& r, Matrix& d) override;

 private:
  const System& system_;
  const Scaling& scaling_;
};

/// Computes on a device with fp64, which holds another copy of A' and B'.
class ExtraPreciseDevice : public ExtraPreciseOperator {
 public:
  /// Uploads A' and B'; waits. Throws OutOfMemory, NoUsableKernel.
  ExtraPreciseDevice(Context& context, const System& system, const Scaling& scaling);

  /// Builds and self-tests the kernels in advance, together with those of a factorisation. Throws
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

/// Corrects x of A' x = B' as LAPACK's dgesvxx does (Demmel, Hida, Kahan, Li, Mukherjee and Riedy,
/// ACM TOMS 32, 2006). Meanwhile x is held in two parts. Each right-hand side is corrected until a
/// correction changes no element by more than eps, or is more than half as large as the one before.
/// The result is accepted if every right-hand side had a correction of at most eps ||x||. The error
/// bounds follow from how fast the corrections shrank. Nothing is accepted if products leave the
/// range of double-double. Corrections may shrink even with factors unrelated to A', so the caller
/// must check rcond.
[[nodiscard]] Refinement refine_in_extra_precision(ExtraPreciseOperator& system,
                                                   const ApproximateSolve& solve, Matrix& x,
                                                   const ProgressCallback& progress = {});

}  // namespace clgauss
