#pragma once
/// Systems with more equations than unknowns, or less.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/refinement.hpp>
#include <clgauss/residual.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

struct LeastSquaresOptions {
  std::optional<RealType> type = {};      // of the factors; empty: f64 where the device has it
  std::optional<Accuracy> accuracy = {};  // empty: that of `type` if it is given, else double
  double max_scaled_residual = kScaledResidualBound;
};

enum class LeastSquaresStatus {
  ok,
  rank_deficient,  // there is no x
  overflow,   // A or b holds a NaN or Inf, or numbers left the range of the type; there is no x
  inaccurate  // x is there, but a check of it missed its bound
};
[[nodiscard]] std::string_view least_squares_status_name(LeastSquaresStatus status);

/// What least_squares() found for an m-by-n A. A' is A with its columns (if m < n its rows) brought
/// to one size by powers of two.
struct LeastSquares {
  LeastSquaresStatus status = LeastSquaresStatus::ok;
  Matrix x;  // n-by-nrhs; empty if there is none
  RealType type = RealType::f64;
  Accuracy accuracy = Accuracy::double_precision;  // whose checks x is judged by
  std::vector<double> residual_norms;              // ||b - A x||, 2-norm, of each right-hand side
  /// Infinity norms, for the worst right-hand side; N = max(m, n), eps of `accuracy`. m >= n: ||A^T
  /// r|| / (eps N ||A^T|| (||A|| ||x|| + ||b||)), r = b - A x, which is 0 at the least ||r||. m <
  /// n:  ||r|| / (eps N (||A|| ||x|| + ||b||)), as of a square system.
  double scaled_residual = 0;
  double rcond = 0;  // of R, where A' = Q R, or A'^T, in the 1-norm; an estimate
  Index rank = 0;    // numerical, of A'
  /// eps N, of the type: A' has the rank n if rcond is not below it, else as many columns as QR
  /// with column exchanges leaves above that part of the largest
  double tolerance = 0;
  int corrections = 0;  // of x, that refinement made
  SolveTimes times;
};

/// x with the least ||b - A x||, or, if m < n, the least ||x|| of all x with A x = b, for each
/// column of `b`; 2-norms. By a QR factorisation of A, or A^T, by Householder's reflections on the
/// device: 2 k^2 (N - k / 3) flops, k = min(m, n). Factors in f32 give the accuracy of f64 by
/// refinement with residuals in f64 on the host, if A' is not too ill-conditioned for them. A' of a
/// rank below k is an outcome without x. Throws DimensionError (an empty A, or one of another
/// height than b), DeviceLimit, NoUsableKernel, OutOfMemory,
/// UsageError (accuracy max), OpenClError.
[[nodiscard]] LeastSquares least_squares(Context& context, const Matrix& a, const Matrix& b,
                                         const LeastSquaresOptions& options = {},
                                         const ProgressCallback& progress = {});

}  // namespace clgauss
