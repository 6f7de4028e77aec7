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
  /// The tolerance of the rank of A', at least 0 and below 1; empty: eps max(m, n) as in NumPy,
  /// with the eps of the type of the factors, 2^-52 or 2^-23.
  std::optional<double> rank_tolerance = {};
  bool require_full_rank = false;    // a rank below min(m, n) is an outcome without x
  double ridge = 0;                  // times ||x||^2, it is added to what x minimizes; finite, >= 0
  std::vector<double> weights = {};  // of the m rows in ||b - A x||^2; finite, >= 0; empty: all 1
};

enum class LeastSquaresStatus {
  ok,
  rank_deficient,  // although full rank was required; there is no x
  overflow,   // A or b holds a NaN or Inf, or numbers left the range of the type; there is no x
  inaccurate  // x is there, but a check of it missed its bound
};
[[nodiscard]] std::string_view least_squares_status_name(LeastSquaresStatus status);

/// What least_squares() found for an m-by-n A. A' is A, or with a ridge or weights the matrix that
/// is factored in its place, with its columns (if m < n its rows) equilibrated by powers of two.
struct LeastSquares {
  LeastSquaresStatus status = LeastSquaresStatus::ok;
  Matrix x;  // n-by-nrhs; empty if there is none
  RealType type = RealType::f64;
  Accuracy accuracy = Accuracy::double_precision;  // whose checks x is judged by
  std::vector<double> residual_norms;              // ||b - A x||, 2-norm, of each right-hand side
  /// Roots of what x minimizes: (sum_i w_i (b - A x)_i^2 + ridge ||x||^2)^1/2.
  std::vector<double> objective_norms;
  /// Infinity norms, for the worst right-hand side; N = max(m, n), eps of `accuracy`. m >= n: ||A^T
  /// r|| / (eps N ||A^T|| (||A|| ||x|| + ||b||)), r = b - A x, which is 0 at the least ||r||. m <
  /// n:  ||r|| / (eps N (||A|| ||x|| + ||b||)), as of a square system. Of a rank below min(m, n)
  /// always the former, and with the rank tolerance, if one was given that is larger, for eps N.
  /// With a ridge or weights it is that of the problem that is factored in place of this one.
  double scaled_residual = 0;
  double rcond = 0;   // of R, where A' = Q R, or A'^T, in the 1-norm; an estimate
  Index rank = 0;     // numerical, of A'
  Index nullity = 0;  // n - rank, with a ridge min(m, n) - rank: the dimension of the null space
  /// The tolerance of the rank. The rank is min(m, n) if rcond is not below the tolerance, else the
  /// largest k for which the first k columns that QR with column exchanges takes of R have no
  /// singular value, as estimated, below that part of their largest (LAPACK's gelsy).
  double tolerance = 0;
  int corrections = 0;  // of x, that refinement made
  SolveTimes times;
};

/// x with the least ||b - A x||, and the least ||x|| of all that have it, for each column of `b`;
/// 2-norms. By a QR factorisation of A, or of A^T if m < n, by Householder's reflections on the
/// device: 2 k^2 (N - k / 3) flops, k = min(m, n). Factors in f32 give the accuracy of f64 by
/// refinement with residuals in f64 on the host, if A' is not too ill-conditioned for them.
///
/// Where A' is of a rank r below k, a complete orthogonal factorisation follows, by the host's
/// cores: of R, with the columns that depend on others last where that shows the rank clearly, up
/// to 2 (k - r) k^2 flops, else with column exchanges, 4 r (k^2 - k r + r^2 / 3), and of the r x k
/// that it leaves (tzrzf), 2 r^2 (k - r); with factors in f32 for f64, instead of the latter, QR on
/// the device of r columns of A, twice if m < n, and of r x k. What is below the tolerance counts
/// as 0.
///
/// With weights w and a ridge x minimizes sum_i w_i (b - A x)_i^2 + ridge ||x||^2. Then
/// (W^1/2 A; ridge^1/2 I) is factored in place of A, for m < n (W^1/2 A, ridge^1/2 I), whose least
/// solution begins with x; never A^T A. Its long side is sorted from the largest numbers to the
/// smallest, so that rows of small weights keep their digits (Cox and Higham 1998).
///
/// Throws DimensionError (an empty A, or one of another height than b or the weights), DeviceLimit,
/// NoUsableKernel, OutOfMemory, UsageError (accuracy max, a rank tolerance, ridge or weight out of
/// range), OpenClError.
[[nodiscard]] LeastSquares least_squares(Context& context, const Matrix& a, const Matrix& b,
                                         const LeastSquaresOptions& options = {},
                                         const ProgressCallback& progress = {});

}  // namespace clgauss
