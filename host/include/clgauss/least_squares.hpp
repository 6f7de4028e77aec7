#pragma once
/// Systems with more equations than unknowns, or fewer.

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
  std::optional<RealType> type = {};      // of the factors; empty: f64 if the device has it
  std::optional<Accuracy> accuracy = {};  // empty: that of `type` if given, else double
  double max_scaled_residual = kScaledResidualBound;
  /// The tolerance for the rank of A', at least 0 and below 1. Empty: eps max(m, n) as in NumPy,
  /// where eps is that of the factors' type, 2^-52 or 2^-23.
  std::optional<double> rank_tolerance = {};
  bool require_full_rank = false;    // a rank below min(m, n) is an outcome without x
  double ridge = 0;                  // x minimizes the objective plus ridge ||x||^2; finite, >= 0
  std::vector<double> weights = {};  // of the m rows in ||b - A x||^2; finite, >= 0; empty: all 1
};

enum class LeastSquaresStatus {
  ok,
  rank_deficient,  // full rank was required; there is no x
  overflow,   // A or b holds a NaN or Inf, or numbers left the range of the type; there is no x
  inaccurate  // x is present, but a check exceeded its bound
};
[[nodiscard]] std::string_view least_squares_status_name(LeastSquaresStatus status);

/// The result of least_squares() for an m-by-n A. A' is A with its columns (if m < n its rows)
/// equilibrated by powers of two. With a ridge or weights, the matrix that is factored takes the
/// place of A.
struct LeastSquares {
  LeastSquaresStatus status = LeastSquaresStatus::ok;
  Matrix x;  // n-by-nrhs; empty if there is none
  RealType type = RealType::f64;
  Accuracy accuracy = Accuracy::double_precision;  // whose bounds x is checked against
  std::vector<double> residual_norms;              // ||b - A x||, 2-norm, of each right-hand side
  /// Square roots of the minimized objective: (sum_i w_i (b - A x)_i^2 + ridge ||x||^2)^1/2.
  std::vector<double> objective_norms;
  /// Infinity norms, for the worst right-hand side; N = max(m, n), r = b - A x, eps of `accuracy`.
  ///   m >= n: ||A^T r|| / (eps N ||A^T|| (||A|| ||x|| + ||b||)), which is 0 at the least ||r||
  ///   m < n:  ||r|| / (eps N (||A|| ||x|| + ||b||)), as for a square system
  /// For a rank below min(m, n) always the former; a given rank tolerance that is larger then
  /// replaces eps N. With a ridge or weights, the problem that is factored takes this one's place.
  double scaled_residual = 0;
  double rcond = 0;   // of R in the 1-norm, where A' or A'^T is Q R; an estimate
  Index rank = 0;     // numerical rank of A'
  Index nullity = 0;  // dimension of the null space: n - rank, with a ridge min(m, n) - rank
  /// The tolerance for the rank. If rcond >= tolerance, the rank is min(m, n). Otherwise it is the
  /// number of R's singular values that are at least the tolerance times the largest, as estimated,
  /// if the others are clearly smaller. If they are not, QR with column exchanges is applied to R,
  /// and the rank is the largest k for which the first k columns have no estimated singular value
  /// below tolerance times their largest (as in LAPACK's gelsy).
  double tolerance = 0;
  int corrections = 0;  // corrections of x by refinement
  SolveTimes times;
};

/// The x with the least ||b - A x|| and, among those, the least ||x||, for each column of `b`;
/// 2-norms. It uses a QR factorisation of A, or of A^T if m < n, with Householder reflections on
/// the device: 2 k^2 (N - k / 3) flops, k = min(m, n). With factors in f32, refinement with
/// residuals in f64 on the host gives the accuracy of f64, unless A' is too ill-conditioned.
///
/// If A' has a rank r below k, the host's cores then compute a complete orthogonal factorisation.
/// First R is factored. If the columns that depend on others show the rank clearly, they are moved
/// last, up to 3 (k - r) k^2 flops; otherwise columns are exchanged, 4 r (k^2 - k r + r^2 / 3).
/// Then the remaining r x k matrix is factored (tzrzf), 2 r^2 (k - r). With factors in f32 for the
/// accuracy of f64, the second step is replaced by QR on the device of r columns of A, twice if m <
/// n, and of an r x k matrix. Values below the tolerance count as 0.
///
/// With weights w and a ridge, x minimizes sum_i w_i (b - A x)_i^2 + ridge ||x||^2. Then (W^1/2 A;
/// ridge^1/2 I) is factored in place of A; for m < n it is (W^1/2 A, ridge^1/2 I), whose least
/// solution begins with x. A^T A is never formed. The long side is sorted from the largest numbers
/// to the smallest, so that rows of small weights keep their digits (Cox and Higham 1998).
///
/// Throws DimensionError (A is empty, or its height differs from that of b or the weights),
/// DeviceLimit, NoUsableKernel, OutOfMemory, UsageError (accuracy max; a rank tolerance, ridge or
/// weight out of range), OpenClError.
[[nodiscard]] LeastSquares least_squares(Context& context, const Matrix& a, const Matrix& b,
                                         const LeastSquaresOptions& options = {},
                                         const ProgressCallback& progress = {});

}  // namespace clgauss
