#pragma once
/// One call from a system to an answer and a report of how it was found.

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
  /// A symmetric A gets cholesky if its diagonal is positive, else ldlt, where they are faster.
  /// Without pivoting it is gauss.
  automatic,
  /// Blocked LU in the requested type.
  lu,
  /// Blocked LU in f32; x is refined to the backward error of f64. Where that fails: lu in f64, or
  /// the host's LAPACK.
  mixed,
  /// As mixed, but A is multiplied by random butterflies first, so that rows are exchanged only
  /// within a block. Where that fails: mixed.
  rbt,
  /// The elimination of Baranov and Vlatskaya (2013), one launch a kernel and step: for experiments
  /// with the work-group size.
  gauss,
  /// Of a symmetric positive definite A, with half the work of lu. With factors in f32 x is refined
  /// as for mixed, if double accuracy is requested.
  cholesky,
  /// Iterations for a strictly diagonally dominant A, for learning: all numbers of x at once.
  jacobi,
  /// The same, one number after the other.
  seidel,
  /// L D L^T with 2 x 2 pivots of a symmetric A that may be indefinite, with half the work of lu.
  /// With factors in f32 x is refined as for mixed. Where the pivots grow too far: lu.
  ldlt
};
[[nodiscard]] std::string_view method_name(Method method);
[[nodiscard]] std::string_view pivoting_name(Pivoting pivoting);
[[nodiscard]] std::string_view equilibration_name(Equilibration equilibration);

/// Who computes the residual that decides whether an answer is accepted, in f64 from A and b as
/// they were given.
enum class Judge {
  /// From the host's own copy of A, so that the residual checks the upload, too.
  host,
  /// From A on the device, with lu, mixed, rbt, cholesky and ldlt. The host computes every 31st row
  /// again. It decides where the two differ, where numbers leave the range of f64, and before an
  /// answer is called inaccurate.
  device
};
[[nodiscard]] std::string_view judge_name(Judge judge);

struct SolveOptions {
  Method method = Method::automatic;
  /// Of the factors; empty: by accuracy and method.
  std::optional<RealType> type;
  /// Empty: that of `type` if it is given, else double precision.
  std::optional<Accuracy> accuracy = {};
  Pivoting pivoting = Pivoting::partial;
  /// For lu and mixed. The other methods scale as for `off`.
  Equilibration equilibration = Equilibration::automatic;
  /// These three are for gauss.
  NdRangeMode ndrange = NdRangeMode::fixed;
  WorkGroupPolicy policy{WorkGroupPolicy::Rule::automatic};
  SplitMode split = SplitMode::automatic;
  double max_scaled_residual = kScaledResidualBound;
  /// Compute the determinant, too. If the method is automatic and the device has fp64, the factors
  /// are then in f64.
  bool determinant = false;
  /// Estimate rcond and the forward error.
  bool trust = false;
  /// The same, but only if one product with A^-1 leaves a doubt. That costs one more right-hand
  /// side.
  bool doubt = false;
  /// Judge::device needs fp64 and room for A in f64 beside its factors.
  Judge judge = Judge::host;
  /// More of lu and mixed; its pivoting is overridden by the one above.
  LuOptions lu = {};
  /// For jacobi and seidel.
  Index max_iterations = 10000;
};

enum class SolveStatus {
  ok,
  /// There is no x: the pivot of failed_column is zero, or NaN or Inf because A holds one.
  singular,
  /// There is no x: numbers left the range of the type, where scaling does not help. If there is a
  /// failed_column, its pivot is not finite, or 0 where numbers of A may have underflowed.
  overflow,
  /// x is there, but its scaled residual is above max_scaled_residual, or, with Accuracy::maximum,
  /// not all its digits are right.
  inaccurate,
  /// There is no x: Cholesky's pivot of failed_column is finite and not positive.
  not_positive_definite
};
[[nodiscard]] constexpr bool has_answer(SolveStatus status) {
  return status == SolveStatus::ok || status == SolveStatus::inaccurate;
}
[[nodiscard]] std::string_view solve_status_name(SolveStatus status);

/// det A = sign * 10^log10_abs, kept as a logarithm so that it cannot overflow. A zero determinant
/// has sign 0; one that is not known, after an overflow, sign 0 and a logarithm of NaN.
struct Determinant {
  int sign = 0;
  double log10_abs = 0;
  /// An estimate, determinant_error() of condition.hpp; NaN without SolveOptions::trust, or if
  /// there is no estimate. From 1 on, not even the sign is known.
  double relative_error = std::numeric_limits<double>::quiet_NaN();
};

/// The work-group size of gauss_fwd, the kernel that does most of the work, and its reason.
struct WorkGroupReport {
  std::string rule;                // "tuned", "driver", "lcm", "fit" or the number
  std::string split;               // how ranges were launched: split_mode_name()
  std::size_t size = 0;            // 0: left to the driver
  std::optional<std::size_t> raw;  // the LCM rule's number before it is clamped
  std::string reason;              // of the LCM rule, and why a tuned size was skipped
  std::size_t main_launches = 0;
  std::size_t remainder_launches = 0;
};

/// The error estimate of x: see condition.hpp.
struct Trust {
  double rcond = 0;  // of A in the 1-norm
  /// bounds of ||x - x_true|| / ||x||, infinity norms, of every right-hand side; with
  /// Accuracy::maximum, if that was reached, the estimates of refinement
  std::vector<double> forward_error;
  double reciprocal_growth = 1;  // max|A| / max|U|, of A as it was scaled
  double determinant_error = 0;  // relative

  /// Digits of x that the worst bound leaves.
  [[nodiscard]] int correct_digits() const;
};

/// What the estimates say about an x whose residual is small.
enum class Doubt {
  unknown,         // nothing was estimated
  none,            // the bound of x's error leaves 3 digits; a small rcond alone does not deny them
  few_digits,      // A is ill-conditioned: hardly a digit of x can be relied on
  nearly_singular  // rcond is below eps, and x may have no correct digit
};
[[nodiscard]] std::string_view doubt_name(Doubt doubt);

/// What jacobi or seidel did.
struct Iterations {
  Index count = 0;
  /// each reduces the error of x at least to this share, in the infinity norm
  double contraction = 0;
  /// of the last x, relative: contraction / (1 - contraction) times the last change
  double error_bound = 0;
  bool converged = false;  // x changed by no more than rounding does
};

/// How an answer x was computed, and what is known about its accuracy.
struct SolveOutcome {
  SolveStatus status = SolveStatus::ok;
  bool complex = false;        // the numbers of the system: two of `type` each
  Method method = Method::lu;  // what gave x; never automatic
  /// where the numbers come from by which automatic chose: "tuned", "measured", "built-in" or
  /// "pretended" (by ContextOptions::pretended_ratio); empty: no number did
  std::string method_choice;
  std::optional<ArithmeticRates> rates;  // that it chose by, where they were measured or pretended
  std::string passed_over;  // why the method that was tried first did not; empty: it did
  bool by_lapack = false;   // x came from the host's LAPACK in the end
  Accuracy accuracy = Accuracy::double_precision;  // whose backward error x is judged by
  Refinement refinement;                           // of x; without backward errors: there was none
  Pivoting pivoting = Pivoting::partial;           // what was done; see Lu::pivoting()
  bool scaled_rows = false, scaled_columns = false;  // by powers of two, before A was factored
  bool repeated = false;                             // see EliminationResult
  RealType type = RealType::f64;                     // of the factors
  std::optional<Inertia> inertia;                    // of ldlt
  std::optional<Index> failed_column;                // 0-based
  double failed_pivot = 0;                           // its value: 0, Inf or NaN
  /// row k was exchanged with row pivot_rows[k]; empty where x is not of A = P^T L U
  std::vector<Index> pivot_rows;
  Residual residual;
  Judge judge = Judge::host;   // who computed it
  std::optional<Trust> trust;  // of lu, mixed and rbt, if it was asked for
  SolveTimes times;
  std::optional<Iterations> iterations;       // of jacobi and seidel
  std::optional<WorkGroupReport> work_group;  // of gauss
  std::vector<LaunchRecord> launches;         // of gauss
};

/// The verdict that all reports share.
[[nodiscard]] Doubt doubt_of(const SolveOutcome& solution);

struct Solution : SolveOutcome {
  Matrix x;  // n-by-nrhs; empty if singular or overflow
  Determinant determinant;
};

/// Solves `system` on the context's device to the requested accuracy. On a device without fp64, or
/// where it is faster, factors are in f32 and x is refined with residuals in f64 (on the device,
/// else on the host's cores). If no kernel of the LU works there and the method is automatic, the
/// elimination solves. If the range of A or b or `equilibration` requires it, rows, columns and
/// right-hand sides are scaled by powers of two, without rounding. An n = 0 system has the empty
/// answer and determinant 1. Throws as gauss_solve() and Lu(); UsageError and DeviceLimit for a
/// judge that is not available; ValueError for a matrix that the method does not solve: not
/// symmetric (cholesky, ldlt), not strictly diagonally dominant (jacobi, seidel). Memory on the
/// host: one more copy of x.
[[nodiscard]] Solution solve(Context& context, const System& system,
                             const SolveOptions& options = {},
                             const ProgressCallback& progress = {});

/// The same for A^T X = B: for an A that lies by columns, of which system.a holds the transpose.
/// What is said of a matrix is said of A^T - its pivots, its norms, the column that failed - and
/// what solve() says of the matrix turned over, but for rounding in sums. From n = 257 on the
/// methods with factors need no copy of it on the host: it is turned over on its way to the device,
/// or there. For accuracy max, a judge on the device, devices without fp64 and the other methods
/// there is one more copy. Throws the same.
[[nodiscard]] Solution solve_transposed(Context& context, const System& system,
                                        const SolveOptions& options = {},
                                        const ProgressCallback& progress = {});

/// Reads A once more, as it was.
using ReadMatrix = std::function<Matrix()>;

/// The same with LU, but A is freed row by row during the upload. So on a CPU device, whose memory
/// is the host's, A is in memory once and not twice. `read_again` reads A again for the residual.
/// Also throws UsageError if the options name another method, DimensionError if the matrix read
/// again has another shape.
[[nodiscard]] Solution solve_in_place(Context& context, System system, const ReadMatrix& read_again,
                                      const SolveOptions& options = {},
                                      const ProgressCallback& progress = {});

/// The type to solve in: `wanted`, or f64 where the device has it, else f32. Throws DeviceLimit if
/// f64 is wanted and not there.
[[nodiscard]] RealType choose_type(const DeviceProfile& device, std::optional<RealType> wanted);

/// Sign and logarithm of the determinant from the pivots of an elimination.
[[nodiscard]] Determinant determinant_of(const EliminationResult& result);

}  // namespace clgauss
