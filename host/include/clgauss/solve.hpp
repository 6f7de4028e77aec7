#pragma once
/// Solves a system with a single call, and reports how the answer was computed.

#include <clgauss/condition.hpp>
#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/refinement.hpp>
#include <clgauss/residual.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

enum class Method {
  /// The fastest by measurement for the device and n: rbt, mixed or lu (clgauss/lab/tuned.hpp).
  /// A symmetric A gets cholesky if its diagonal is positive, else ldlt, where they are faster, and
  /// ldlt with Pivoting::rook where the pivots of lu grow too far. Without pivoting, it is gauss,
  /// with Pivoting::rook ldlt.
  automatic,
  /// Blocked LU in the requested type.
  lu,
  /// Blocked LU in f32; x is refined to the backward error of f64. If that fails: lu in f64, or the
  /// host's LAPACK.
  mixed,
  /// As mixed, but A is first multiplied by random butterflies, so that rows are exchanged only
  /// within a block. If that fails: mixed.
  rbt,
  /// The elimination of Baranov and Vlatskaya (2013), with one launch per kernel and step, for
  /// experiments with the work-group size.
  gauss,
  /// For a symmetric positive definite A, with half the work of lu. With factors in f32, x is
  /// refined as for mixed if double accuracy is requested.
  cholesky,
  /// Jacobi iterations for a strictly diagonally dominant A, for learning: all of x at once.
  jacobi,
  /// Seidel iterations: the same, one element of x after the other.
  seidel,
  /// L D L^T with 2 x 2 pivots for a symmetric A that may be indefinite, with half the work of lu.
  /// With factors in f32, x is refined as for mixed. If the pivots grow too far: the same with
  /// Pivoting::rook, then lu.
  ldlt
};
[[nodiscard]] std::string_view method_name(Method method);
[[nodiscard]] std::string_view pivoting_name(Pivoting pivoting);
[[nodiscard]] std::string_view equilibration_name(Equilibration equilibration);

/// Who computes the residual, in f64 from A and b as given. The residual decides whether an answer
/// is accepted.
enum class Judge {
  /// The host, from its own copy of A, so that the residual checks the upload, too.
  host,
  /// The device, from A in its memory, with lu, mixed, rbt, cholesky and ldlt. The host recomputes
  /// every 31st row. The host decides if the two differ, if numbers leave the range of f64, and
  /// before an answer is reported as inaccurate.
  device
};
[[nodiscard]] std::string_view judge_name(Judge judge);

struct SolveOptions {
  Method method = Method::automatic;
  /// The type of the factors; empty: chosen by accuracy and method.
  std::optional<RealType> type;
  /// Empty: that of `type` if given, else double precision.
  std::optional<Accuracy> accuracy = {};
  Pivoting pivoting = Pivoting::partial;
  /// For lu and mixed. The other methods scale as with `off`.
  Equilibration equilibration = Equilibration::automatic;
  /// The next three are for gauss.
  NdRangeMode ndrange = NdRangeMode::fixed;
  WorkGroupPolicy policy{WorkGroupPolicy::Rule::automatic};
  SplitMode split = SplitMode::automatic;
  double max_scaled_residual = kScaledResidualBound;
  /// Compute the determinant, too. If the method is automatic and the device has fp64, the factors
  /// are then f64.
  bool determinant = false;
  /// Estimate rcond and the forward error.
  bool trust = false;
  /// The same, but only if one product with A^-1 shows that x is doubtful. That costs one
  /// additional right-hand side.
  bool doubt = false;
  /// Judge::device needs fp64 and memory for A in f64 besides its factors.
  Judge judge = Judge::host;
  /// Further options of lu and mixed; `pivoting` above overrides the one in here.
  LuOptions lu = {};
  /// For jacobi and seidel.
  Index max_iterations = 10000;
};

enum class SolveStatus {
  ok,
  /// There is no x: the pivot of failed_column is zero; it is NaN or Inf if A holds one.
  singular,
  /// There is no x: numbers left the range of the type, and scaling does not help. If there is a
  /// failed_column, its pivot is not finite, or is 0 and numbers of A may have underflowed.
  overflow,
  /// x is present, but its scaled residual is above max_scaled_residual, or, with
  /// Accuracy::maximum, not all of its digits are correct.
  inaccurate,
  /// There is no x: Cholesky's pivot of failed_column is finite but not positive.
  not_positive_definite
};
[[nodiscard]] constexpr bool has_answer(SolveStatus status) {
  return status == SolveStatus::ok || status == SolveStatus::inaccurate;
}
[[nodiscard]] std::string_view solve_status_name(SolveStatus status);

/// det A = sign * 10^log10_abs, kept as a logarithm so that it cannot overflow. A zero determinant
/// has sign 0. If it is unknown after an overflow, the sign is 0 and the logarithm NaN.
struct Determinant {
  int sign = 0;
  double log10_abs = 0;
  /// An estimate by determinant_error() of condition.hpp; NaN without SolveOptions::trust, or if
  /// there is no estimate. From 1 on, not even the sign is known.
  double relative_error = std::numeric_limits<double>::quiet_NaN();
};

/// The work-group size of gauss_fwd, the kernel that does most of the work, and the reason for it.
struct WorkGroupReport {
  std::string rule;                // "tuned", "driver", "lcm", "fit" or the number
  std::string split;               // how ranges were launched: split_mode_name()
  std::size_t size = 0;            // 0: left to the driver
  std::optional<std::size_t> raw;  // the LCM rule's number before clamping
  std::string reason;              // of the LCM rule, or why a tuned size was skipped
  std::size_t main_launches = 0;
  std::size_t remainder_launches = 0;
};

/// The error estimate of x: see condition.hpp.
struct Trust {
  double rcond = 0;  // of A in the 1-norm
  /// Bounds of ||x - x_true|| / ||x||, infinity norms, for each right-hand side. If
  /// Accuracy::maximum was reached, these are the estimates of refinement.
  std::vector<double> forward_error;
  double reciprocal_growth = 1;  // max|A| / max|U|, of A after scaling
  double determinant_error = 0;  // relative

  /// The number of correct digits of x that the worst bound guarantees.
  [[nodiscard]] int correct_digits() const;
};

/// The conclusion from the estimates, for an x with a small residual.
enum class Doubt {
  unknown,         // nothing was estimated
  none,            // the error bound allows at least 3 digits; a small rcond alone is no doubt
  few_digits,      // A is ill-conditioned: hardly any digit of x is reliable
  nearly_singular  // rcond is below eps, and x may have no correct digit
};
[[nodiscard]] std::string_view doubt_name(Doubt doubt);

/// The result of jacobi or seidel.
struct Iterations {
  Index count = 0;
  /// Each iteration reduces the error of x at least by this factor, in the infinity norm.
  double contraction = 0;
  /// Relative error bound of the last x: contraction / (1 - contraction) times the last change.
  double error_bound = 0;
  bool converged = false;  // the last change of x was at most a rounding error
};

/// How an answer x was computed, and what is known about its accuracy.
struct SolveOutcome {
  SolveStatus status = SolveStatus::ok;
  bool complex = false;        // the system is complex: each number has two parts of `type`
  Method method = Method::lu;  // that computed x; never automatic
  /// The origin of the numbers that automatic used to choose: "tuned", "measured", "built-in" or
  /// "pretended" (ContextOptions::pretended_ratio); empty: it used none.
  std::string method_choice;
  std::optional<ArithmeticRates> rates;  // the rates it used, if measured or pretended
  std::string passed_over;  // why the method that was tried first failed; empty: it did not
  bool by_lapack = false;   // x was finally computed by the host's LAPACK
  Accuracy accuracy = Accuracy::double_precision;  // that x is checked for
  Refinement refinement;                           // of x; without backward errors: there was none
  Pivoting pivoting = Pivoting::partial;           // as performed; see Lu::pivoting()
  bool scaled_rows = false, scaled_columns = false;  // by powers of two, before A was factored
  bool repeated = false;                             // see EliminationResult
  RealType type = RealType::f64;                     // of the factors
  std::optional<Inertia> inertia;                    // of ldlt
  std::optional<Index> failed_column;                // 0-based
  double failed_pivot = 0;                           // its value: 0, Inf or NaN
  /// Row k was exchanged with row pivot_rows[k]; empty if A = P^T L U was not computed.
  std::vector<Index> pivot_rows;
  Residual residual;
  Judge judge = Judge::host;   // who computed the residual
  std::optional<Trust> trust;  // of the methods with factors, if requested
  SolveTimes times;
  std::optional<Iterations> iterations;       // of jacobi and seidel
  std::optional<WorkGroupReport> work_group;  // of gauss
  std::vector<LaunchRecord> launches;         // of gauss
};

/// The conclusion that all reports show.
[[nodiscard]] Doubt doubt_of(const SolveOutcome& solution);

struct Solution : SolveOutcome {
  Matrix x;  // n-by-nrhs; empty if singular or overflow
  Determinant determinant;
};

/// Solves `system` on the context's device to the requested accuracy. On a device without fp64, or
/// if it is faster, factors are f32 and x is refined with residuals in f64 (on the device,
/// otherwise on the host's cores). If no LU kernel works there and the method is automatic, the
/// elimination is used. If the range of A or b or `equilibration` requires it, rows, columns and
/// right-hand sides are scaled by powers of two, without rounding. A system with n = 0 has an empty
/// answer and determinant 1. The host needs memory for one more copy of x.
///
/// Throws as gauss_solve() and Lu() do; UsageError and DeviceLimit for a judge that is not
/// available; ValueError for a matrix that the method cannot solve: not symmetric (cholesky, ldlt),
/// not strictly diagonally dominant (jacobi, seidel).
[[nodiscard]] Solution solve(Context& context, const System& system,
                             const SolveOptions& options = {},
                             const ProgressCallback& progress = {});

/// Solves A^T X = B, where system.a holds A; for example, a column-major matrix is stored as its
/// transpose. All reports are about A^T: pivots, norms, the failed column. They equal those of
/// solve() for the transposed matrix, apart from rounding in sums. From n = 257 on, the methods
/// with factors need no transposed copy on the host: the matrix is transposed during the transfer
/// or on the device. Accuracy max, a judge on the device, devices without fp64 and the other
/// methods need one more copy. Throws as solve() does.
[[nodiscard]] Solution solve_transposed(Context& context, const System& system,
                                        const SolveOptions& options = {},
                                        const ProgressCallback& progress = {});

/// Reads the original A again.
using ReadMatrix = std::function<Matrix()>;

/// solve() with LU, but A is freed row by row during the upload. On a CPU device, whose memory is
/// the host's, A is therefore in memory only once. `read_again` reads A again for the residual.
/// Also throws UsageError if the options name another method, and DimensionError if the matrix that
/// was read again has another shape.
[[nodiscard]] Solution solve_in_place(Context& context, System system, const ReadMatrix& read_again,
                                      const SolveOptions& options = {},
                                      const ProgressCallback& progress = {});

/// The type to solve in: `wanted`, or by default f64 if the device has it, else f32. Throws
/// DeviceLimit if f64 is wanted but missing.
[[nodiscard]] RealType choose_type(const DeviceProfile& device, std::optional<RealType> wanted);

/// The sign and logarithm of the determinant, from the pivots of an elimination.
[[nodiscard]] Determinant determinant_of(const EliminationResult& result);

}  // namespace clgauss
