#pragma once
/// How accurate an answer is: condition, forward error, growth. Estimates, not proofs.

#include <clgauss/export.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <functional>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Norms of a host matrix, computed on all of this machine's cores; NaN if the matrix holds a NaN.
struct MatrixSize {
  double norm1 = 0;    // the largest column sum
  double largest = 0;  // magnitude of an element
};
[[nodiscard]] MatrixSize size_of(const Matrix& a);

/// Functions that compute A^-1 X and A^-T X for an n-by-n A and an n-by-k X with a few columns.
/// They may use factors on a device, or factors of lower precision and refinement. The largest
/// magnitude in each column of X is between 1 and 2. If a product is not finite, or is zero, it is
/// computed again with columns near 2^-100 and 2^100, which f32 can still represent.
///
/// With `pairs` they compute A^-1 X and A^-H X of complex numbers: rows 2 i and 2 i + 1 hold the
/// real and the imaginary part of row i, n is the number of rows, and norms are those of the
/// moduli.
struct InverseProducts {
  Index n = 0;
  std::function<Matrix(const Matrix&x)> solve, solve_transposed;
  bool pairs = false;
};

/// Uses the factors of the last factor(); `lu` must outlive the result. The products throw as
/// Lu::solve does.
[[nodiscard]] InverseProducts inverse_of(Lu& lu);

/// Options of the blocked norm estimator of Higham and Tisseur (2000). Apart from rounding, an
/// estimate never exceeds the norm and is almost always above a third of it. The same input gives
/// the same estimate.
struct NormEstimateOptions {
  Index columns = 4;   // columns of a block; more give better estimates
  Index products = 4;  // the most products, by A^-1, A^-T, A^-1, ...; a fourth is rarely needed
  std::uint64_t seed = 1;
};

/// An estimate of ||A^-1||_1; Inf if it exceeds the largest double.
[[nodiscard]] double inverse_norm1(const InverseProducts& inverse,
                                   const NormEstimateOptions& options = {});

/// LAPACK's rcond: 1 / (||A||_1 est(||A^-1||_1)), from 0 (A is singular to rounding) to 1; NaN if
/// the norm is NaN. The answer of a system has lost about -log10(rcond) digits; with rcond < eps it
/// may have no correct one. From factors of a lower precision, rcond is correct only above that
/// precision's eps.
[[nodiscard]] double reciprocal_condition(const InverseProducts& inverse, double norm1_of_a,
                                          const NormEstimateOptions& options = {});

/// The same with the factors of the last factor(); 0 if they are singular. Throws UsageError if
/// nothing was factored, OpenClError, CoResidencyLost.
[[nodiscard]] double reciprocal_condition(Lu& lu, double norm1_of_a,
                                          const NormEstimateOptions& options = {});

/// The input for an error estimate of an answer; each matrix is n-by-nrhs.
struct AnswerErrors {
  const Matrix& x;
  const Matrix& residual;    // r = b - A x, computed in f64 or better
  const Matrix& magnitudes;  // |A| |x| + |b|, which bounds the rounding of r
};

/// Bounds of ||x - x_true||_inf / ||x||_inf for every right-hand side, as in LAPACK's dgerfs:
///   || |A^-1| (|r| + (n + 1) eps (|A| |x| + |b|)) ||_inf / ||x||_inf, eps = 2^-53,
/// with the norm estimated. Inf if no bound is known, because x is 0 or not finite. Throws
/// DimensionError unless all have the same shape.
[[nodiscard]] std::vector<double> forward_error_bounds(const InverseProducts& inverse,
                                                       const AnswerErrors& answer,
                                                       const NormEstimateOptions& options = {});

/// reciprocal_condition() and forward_error_bounds() together, with hardly more solves than either
/// needs alone.
struct ConditionAndError {
  double rcond = 0;
  std::vector<double> forward_error;  // for each right-hand side
};
[[nodiscard]] ConditionAndError estimate_trust(const InverseProducts& inverse, double norm1_of_a,
                                               const AnswerErrors& answer,
                                               const NormEstimateOptions& options = {});

/// The number of correct decimal digits of the largest element of x that a bound guarantees: the
/// largest d <= 15 with bound <= 10^-d; 0 if there is none.
[[nodiscard]] int correct_digits(double forward_error_bound);

/// LAPACK's reciprocal pivot growth max|A| / max|U|, with the factors of the last factor(). If it
/// is far below 1, the answer's backward error exceeds eps by as much, whatever rcond is. 1 for U =
/// 0, NaN if A or U holds a NaN. Reads U on the device. Throws UsageError if nothing was factored,
/// OpenClError, NoUsableKernel.
[[nodiscard]] double reciprocal_pivot_growth(Lu& lu, double largest_of_a);

/// An estimate of the relative error of det A = prod u_ii, to first order: n eps (1 + g / rcond),
/// where g = max|U| / max|A|, at least 1. The product rounds n times; the factors are exact for A +
/// E with |E| of the order of eps g ||A||, and det(A + E) / det A = 1 + trace(A^-1 E) + ..., at
/// most n ||A^-1|| ||E||. From 1 on, not even the sign is known. Inf for rcond = 0.
[[nodiscard]] double determinant_error(Index n, double eps, double reciprocal_growth, double rcond);

}  // namespace clgauss
