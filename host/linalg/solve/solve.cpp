#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <limits>

#include "lap_timer.hpp"
#include "linalg/elimination/iterations.hpp"
#include "linalg/elimination/run_gauss.hpp"
#include "linalg/solve/attempts.hpp"
#include "linalg/solve/methods.hpp"
#include "linalg/solve/names.hpp"
#include "matrix/shapes.hpp"
#include "matrix/symmetry.hpp"
#include "matrix/transposed.hpp"

namespace clgauss {

std::string_view solve_status_name(SolveStatus status) { return name_in(kStatusNames, status); }
std::string_view accuracy_name(Accuracy accuracy) { return name_in(kAccuracyNames, accuracy); }
std::string_view equilibration_name(Equilibration equilibration) {
  return name_in(kEquilibrationNames, equilibration);
}
std::string_view judge_name(Judge judge) { return name_in(kJudgeNames, judge); }
std::string_view pivoting_name(Pivoting pivoting) { return name_in(kPivotingNames, pivoting); }

RealType choose_type(const DeviceProfile& device, std::optional<RealType> wanted) {
  if (wanted == RealType::f64 && !device.fp64)
    throw DeviceLimit(device.name +
                      " has no fp64 (cl_khr_fp64); solve in f32, or on another device");
  return wanted.value_or(device.fp64 ? RealType::f64 : RealType::f32);
}

int Trust::correct_digits() const {
  int digits = 15;
  for (const double bound : forward_error)
    digits = std::min(digits, clgauss::correct_digits(bound));
  return digits;
}

std::string_view doubt_name(Doubt doubt) { return name_in(kDoubtNames, doubt); }

Doubt doubt_of(const SolveOutcome& solution) {
  if (!solution.trust) return Doubt::unknown;
  const Trust& trust = *solution.trust;
  const int digits = trust.forward_error.empty() ? 0 : trust.correct_digits();
  if (digits >= 3) return Doubt::none;
  if (!(trust.rcond >= unit_roundoff(RealType::f64)) && digits == 0) return Doubt::nearly_singular;
  const bool exact = solution.residual.scaled == 0 || trust.forward_error.empty();
  return exact ? Doubt::none : Doubt::few_digits;
}

Determinant determinant_of(const EliminationResult& result) {
  if (result.pivots.empty() && !result.x.empty())
    return {0, std::numeric_limits<double>::quiet_NaN()};
  Determinant determinant{(result.row_exchanges + result.column_exchanges) % 2 == 0 ? 1 : -1,
                          static_cast<double>(result.exponent) * std::log10(2.0)};
  for (const double pivot : result.pivots) {
    if (pivot == 0) return {0, -std::numeric_limits<double>::infinity()};
    if (pivot < 0) determinant.sign = -determinant.sign;
    determinant.log10_abs += std::log10(std::abs(pivot));
  }
  return determinant;
}

namespace {

/// Computes the residual on the host, for methods without assess().
void answer_by_residual(const System& system, Answer& answer) {
  LapTimer check;
  if (has_answer(outcome_of(answer.result)))
    answer.residual = compute_residual(system, answer.result.x, answer.plan.eps());
  answer.result.times.check = check.lap();
}

/// Fills in `solution` and judges x by its residual. The time since `timer` began that no other
/// step has counted is added to the build time.
void conclude(Solution& solution, Answer answer, double bound, LapTimer& timer) {
  const EliminationResult& result = answer.result;
  solution.pivot_rows = result.pivot_rows;
  solution.method = answer.plan.method;
  solution.type = answer.plan.type;
  solution.accuracy = answer.plan.accuracy;
  solution.pivoting = result.pivoting;
  solution.repeated = result.repeated;
  solution.scaled_rows = result.scaled_rows;
  solution.scaled_columns = result.scaled_columns;
  solution.passed_over = answer.passed_over;
  solution.by_lapack = answer.by_lapack;
  solution.refinement = result.refinement;
  solution.times = result.times;
  solution.times.build += timer.lap() - result.times.sum();
  solution.determinant = determinant_of(result);
  solution.inertia = result.inertia;
  solution.failed_column = result.failed_column;
  solution.status = outcome_of(result);
  if (result.failed_column) {
    solution.failed_pivot = result.pivots[*result.failed_column];
    if (solution.status == SolveStatus::overflow)
      solution.determinant = {0, std::numeric_limits<double>::quiet_NaN()};
  }
  if (!has_answer(solution.status)) return;
  solution.residual = answer.residual;
  solution.judge = answer.judge;
  solution.trust = answer.trust;
  if (answer.trust) solution.determinant.relative_error = answer.trust->determinant_error;
  solution.x = std::move(answer.result.x);
  const bool has_digits =
      solution.accuracy != Accuracy::maximum || solution.x.empty() || solution.refinement.accepted;
  const bool accurate = solution.residual.scaled <= bound && has_digits;  // false for NaN
  solution.status = accurate ? SolveStatus::ok : SolveStatus::inaccurate;
}

/// solve() without transposing. `transposed`: system.a holds A^T; call it only if reads_columns().
/// May throw NoUsableKernel.
Solution solve_as_it_lies(Context& context, const System& system, bool transposed,
                          const SolveOptions& options, const ProgressCallback& progress) {
  LapTimer timer;
  Solution solution;
  const Index n = system.a.rows();
  Answer answer;
  answer.plan = make_plan(context, options, n, system.b.cols());
  if (row_of(answer.plan.method).allows(kIterations)) {
    check_shapes(system);
    answer.result = iterate(context, system, answer.plan.method, answer.plan.type,
                            options.max_iterations, progress, solution.iterations.emplace());
    answer_by_residual(system, answer);
  } else if (answer.plan.method != Method::gauss) {
    check_shapes(system);
    answer.plan = plan_for(context, options, system.a, answer.plan);
    answer.plan.transposed = transposed;
    solution.method_choice = answer.plan.chosen_by;
    solution.rates = answer.plan.rates;
    const MethodRow& asked = row_of(method_of(options));
    if (asked.symmetric) require_symmetric(system.a, asked.name);
    try {
      answer = answer_by_factors(context, system, answer.plan, options, progress);
    } catch (const NoUsableKernel&) {
      // The elimination needs less of a device. The report's method shows that it was used.
      if (transposed || options.method != Method::automatic ||
          options.pivoting != Pivoting::partial || options.accuracy == Accuracy::maximum ||
          options.equilibration == Equilibration::on)
        throw;
      SolveOptions elimination = options;
      elimination.method = Method::gauss;
      elimination.accuracy.reset();
      elimination.judge = Judge::host;
      answer.plan = make_plan(context, elimination, n, system.b.cols());
    }
  }
  if (answer.plan.method == Method::gauss) {
    answer.result = run_gauss(context, system, answer.plan.type, options, progress, solution);
    answer_by_residual(system, answer);
  }
  conclude(solution, std::move(answer), options.max_scaled_residual, timer);
  return solution;
}

/// Whether solve_as_it_lies() can read A by columns: every step must support that, and A must be
/// large enough for it to matter.
bool reads_columns(Context& context, const SolveOptions& options, Index n, Index nrhs) {
  if (n <= kLargestOnHost || !context.profile().fp64 || options.judge == Judge::device)
    return false;
  const Plan plan = make_plan(context, options, n, nrhs);
  return row_of(plan.method).factor != nullptr && plan.accuracy != Accuracy::maximum;
}

}  // namespace

Solution solve(Context& context, const System& system, const SolveOptions& options,
               const ProgressCallback& progress) {
  return solve_as_it_lies(context, system, false, options, progress);
}

Solution solve_transposed(Context& context, const System& system, const SolveOptions& options,
                          const ProgressCallback& progress) {
  check_shapes(system);
  const auto by_rows = [&] {
    return solve(context, {transposed(system.a), system.b}, options, progress);
  };
  if (row_of(method_of(options)).symmetric && !asymmetric_element(system.a))  // A^T is A
    return solve(context, system, options, progress);
  if (!reads_columns(context, options, system.a.rows(), system.b.cols())) return by_rows();
  try {
    return solve_as_it_lies(context, system, true, options, progress);
  } catch (const NoUsableKernel&) {  // solve() decides what to do without the kernels
    return by_rows();
  }
}

Solution solve_in_place(Context& context, System system, const ReadMatrix& read_again,
                        const SolveOptions& options, const ProgressCallback& progress) {
  LapTimer timer;
  Solution solution;
  SolveOptions in_place = options;
  if (in_place.method == Method::automatic && context.profile().fp64) in_place.method = Method::lu;
  const Plan plan = make_plan(context, in_place, system.a.rows(), system.b.cols());
  if (plan.accuracy == Accuracy::maximum)
    throw UsageError("accuracy max needs A for its residuals, which solving in place frees");
  if (options.judge == Judge::device)
    throw UsageError(
        "solving in place leaves no room for A on the device; let the host check the residual");
  if (!row_of(plan.method).allows(kInPlace))
    throw UsageError("solving in place belongs to the methods " + methods_that_allow(kInPlace));
  Answer answer = answer_in_place(context, std::move(system), read_again, plan, in_place, progress);
  conclude(solution, std::move(answer), options.max_scaled_residual, timer);
  return solution;
}

}  // namespace clgauss
