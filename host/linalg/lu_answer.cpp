#include "linalg/lu_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/tuned.hpp>
#include <cmath>
#include <limits>
#include <mutex>

#include "linalg/answer_residual.hpp"
#include "linalg/extra_precise.hpp"
#include "linalg/gesv_rbt.hpp"
#include "linalg/host_lapack.hpp"
#include "linalg/host_lu.hpp"
#include "linalg/integer_operator.hpp"
#include "linalg/norm_estimator.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/symmetry.hpp"
#include "matrix/transfer.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// Whether factors in f32 and refinement take less time than factors in f64, and A fits in both.
bool mixed_is_better(const DeviceProfile& device, const MethodChoice& choice, Index n) {
  if (n < choice.mixed_from) return false;
  const Index elements = n * padded_ld(n, RealType::f64);
  const std::uint64_t bytes = elements * (sizeof(float) + sizeof(double) +
                                          (device.type == DeviceType::cpu ? sizeof(double) : 0));
  return bytes <= device.global_mem_bytes;
}

/// Whether butterflies, factors in f32 and refinement take less time than either, and A fits.
bool rbt_is_better(const DeviceProfile& device, const MethodChoice& choice, Index n) {
  if (n < choice.rbt_from) return false;
  const std::uint64_t bytes =
      n * padded_ld(n, RealType::f64) * (sizeof(double) + 2 * sizeof(float));
  return bytes <= device.global_mem_bytes;
}

Trust trust_by(const ConditionAndError& found) { return {found.rcond, found.forward_error, 1, 0}; }

Trust trust_in(const InverseProducts& inverse, const MatrixSize& size, const AnswerErrors& answer) {
  return trust_by(estimate_trust(inverse, size.norm1, answer));
}

/// Corrections by factors of which rounding has left nothing may shrink, too: they count where A is not singular to f64, by rcond or,
/// which no scaling of rows spoils, by how far its errors reach x. Where they do, they tell more of x's error than its residual.
void judge_by_condition(std::optional<Trust>& trust, Index n, Refinement& refinement) {
  if (!trust) return;
  const bool regular =
      trust->rcond >= unit_roundoff(RealType::f64) ||
      std::ranges::all_of(trust->forward_error,  // (n + 1) eps cond(A, x) and more
                          [&](double bound) { return bound <= static_cast<double>(n + 1); });
  if (!regular) {
    refinement.accepted = false;
    std::ranges::fill(refinement.forward_errors, Refinement::ForwardError{});
  }
  if (!refinement.accepted) return;
  for (Index c = 0; c < refinement.forward_errors.size(); ++c)
    trust->forward_error[c] = refinement.forward_errors[c].normwise;
}

/// Whether products with the powers stay in f64's range.
bool are_moderate(const Scaling& scaling) {
  constexpr int kModerate = 300;
  const auto moderate = [](int exponent) { return std::abs(exponent) <= kModerate; };
  return std::ranges::all_of(scaling.rows, moderate) &&
         std::ranges::all_of(scaling.columns, moderate);
}

/// R X C; X has as many columns as C or C is empty.
Matrix scaled(const Matrix& x, std::span<const int> rows, std::span<const int> columns) {
  Matrix result(x.rows(), x.cols());
  in_parallel(x.rows(), kElementsPerThread / std::max<Index>(x.cols(), 1) + 1,
              [&](Index first, Index last) {
                for (Index i = first; i < last; ++i)
                  scale_row(x.row(i), rows, columns, i, result.row(i).data());
              });
  return result;
}
Matrix scaled(const Matrix& a, const Scaling& scaling) {
  return scaled(a, scaling.rows, scaling.columns);
}

double largest_of_scaled(const Matrix& a, const Scaling& scaling) {
  double largest = 0;
  std::mutex one_at_a_time;
  in_parallel(a.rows(), kElementsPerThread / a.cols() + 1, [&](Index first, Index last) {
    double of_part = 0;
    Values row(a.cols());
    for (Index i = first; i < last; ++i) {
      scale_row(a.row(i), scaling.rows, scaling.columns, i, row.data());
      for (const double value : row) of_part = max_or_nan(of_part, std::abs(value));
    }
    const std::scoped_lock lock(one_at_a_time);
    largest = max_or_nan(largest, of_part);
  });
  return largest;
}

/// Products with A^-1 = C A'^-1 R from those with A'^-1.
InverseProducts unscaled(const InverseProducts& inverse, const Scaling& scaling) {
  if (scaling.keeps_matrix()) return inverse;
  return {inverse.n,
          [&, solve = inverse.solve](const Matrix& x) {
            return scaled(solve(scaled(x, scaling.rows, {})), scaling.columns, {});
          },
          [&, solve = inverse.solve_transposed](const Matrix& x) {
            return scaled(solve(scaled(x, scaling.columns, {})), scaling.rows, {});
          }};
}

/// Up to here an LU by one core of the host takes less time than building the kernels that estimate with the device's factors.
constexpr Index kLargestOnHost = 256;

/// Solves once as a plan says.
class Attempt {
 public:
  Attempt(Context& context, const Plan& plan, const SolveOptions& options,
          const ProgressCallback& progress)
      : context_(context), options_(options), progress_(progress) {
    answer_.plan = plan;
  }

  LuAnswer run(const System& system) {
    const bool keeps_f64 = context_.profile().fp64 && (options_.judge == Judge::device ||
                                                       (answer_.plan.refines() && !maximum()));
    answer_.result = gesv(context_, system, call(system, keeps_f64), progress_);
    return std::move(answer_);
  }

  /// By butterflies; the refinement tells whether it is an answer.
  LuAnswer run_rbt(const System& system) {
    answer_.result = gesv_rbt(context_, system, call(system, false), progress_);
    return std::move(answer_);
  }

  LuAnswer run_in_place(System& system, const ReadMatrix& read_again) {
    keeps_a_ = false;
    GesvCall in_place = call(system, false);
    in_place.polish = [&, polish = in_place.polish](EliminationResult& result,
                                                    const LiveFactors& factors) {
      LapTimer timer;
      system.a = read_again();
      check_shapes(system);  // it may be another matrix
      result.times.check += timer.lap();
      polish(result, factors);
    };
    answer_.result = gesv_in_place(context_, system, read_again, in_place, progress_);
    return std::move(answer_);
  }

 private:
  GesvCall call(const System& system, bool keeps_f64) {
    GesvCall call{.type = answer_.plan.type,
                  .lu = options_.lu,
                  .equilibration = options_.equilibration,
                  .keeps_f64 = keeps_f64,
                  .extra_precise = maximum()};
    call.lu.pivoting = options_.pivoting;
    call.lu.positive_definite = answer_.plan.method == Method::cholesky;
    if (options_.trust && system.a.rows() > kLargestOnHost)
      call.estimate_columns = columns_of_trust(system.b.cols());
    call.polish = [this, &system](EliminationResult& result, const LiveFactors& factors) {
      polish(system, result, factors);
    };
    return call;
  }

  [[nodiscard]] bool maximum() const { return answer_.plan.accuracy == Accuracy::maximum; }

  void polish(const System& system, EliminationResult& result, const LiveFactors& factors) {
    const Plan& plan = answer_.plan;
    if (maximum()) {
      polish_to_the_end(system, result, factors);
      return;
    }
    if (plan.refines()) refine_and_time(system, result, factors);
    measure(system, result, factors);
    // Rare with factors of f64: their pivots grew, and that cost digits.
    if (plan.type == RealType::f64 && !(answer_.residual.scaled <= 1) &&
        outcome_of(result) == SolveStatus::ok) {
      refine_and_time(system, result, factors);
      measure(system, result, factors);
    }
    if (options_.trust) try_to_estimate(system, result, factors);
  }

  void polish_to_the_end(const System& system, EliminationResult& result,
                         const LiveFactors& factors) {
    LapTimer timer;
    if (progress_) progress_("refinement", 0);
    result.refinement = factors.refine_in_extra_precision(result.x);
    result.times.refine += timer.lap();
    measure(system, result, factors);
    try_to_estimate(system, result, factors);
    judge_by_condition(answer_.trust, result.x.rows(), result.refinement);
    if (!options_.trust) answer_.trust.reset();
  }

  void try_to_estimate(const System& system, EliminationResult& result,
                       const LiveFactors& factors) {
    if (!has_answer(outcome_of(result))) return;
    try {
      estimate(system, result, factors);
    } catch (const NoUsableKernel&) {  // the verdicts say why; x is none the worse
      answer_.trust.reset();
    }
  }

  void refine_and_time(const System& system, EliminationResult& result,
                       const LiveFactors& factors) {
    LapTimer timer;
    const std::unique_ptr<SystemOperator> without_fp64 =
        context_.profile().fp64 || !keeps_a_ ? std::make_unique<HostOperator>(system)
                                             : residuals_without_fp64(context_, system);
    result.refinement = factors.refine(*without_fp64, result.x);
    result.times.refine += timer.lap();
  }

  void estimate(const System& system, EliminationResult& result, const LiveFactors& factors) {
    LapTimer timer;
    if (progress_) progress_("condition", 0);
    const AnswerErrors errors{result.x, measured_.r, measured_.d};
    const Scaling& scaling = *factors.scaling;
    const MatrixSize& size = scaling.size;
    if (system.a.rows() <= kLargestOnHost && are_moderate(scaling)) {
      const Matrix a = scaled(system.a, scaling);
      const HostLu lu(a);
      answer_.trust = trust_in(unscaled(lu.inverse(), scaling), size, errors);
      answer_.trust->reciprocal_growth = size_of(a).largest / lu.largest_of_u();
    } else {
      answer_.trust =
          trust_by(estimate_trust_from(factors.first_product, factors.inverse, size.norm1, errors));
      const double largest =
          scaling.keeps_matrix() ? size.largest : largest_of_scaled(system.a, scaling);
      answer_.trust->reciprocal_growth =
          factors.growth ? 1 / *factors.growth : largest / factors.largest_of_u();
    }
    double rcond = answer_.trust->rcond;
    if (options_.determinant && !scaling.keeps_matrix())  // which changes no digit of det A
      rcond =
          reciprocal_condition(factors.scaled_inverse, size_of(scaled(system.a, scaling)).norm1);
    answer_.trust->determinant_error = determinant_error(
        result.x.rows(), unit_roundoff(answer_.plan.type), answer_.trust->reciprocal_growth, rcond);
    result.times.trust += timer.lap();
  }

  /// From the A that was given.
  void measure(const System& system, EliminationResult& result, const LiveFactors& factors) {
    LapTimer timer;
    std::optional<AnswerResidual> by_device;
    if (options_.judge == Judge::device && factors.residual_on_device)
      by_device = factors.residual_on_device(result.x, answer_.plan.eps());
    const bool good = by_device && by_device->norms.scaled <= options_.max_scaled_residual;
    answer_.judge = good ? Judge::device : Judge::host;
    measured_ =
        good ? std::move(*by_device) : answer_residual(system, result.x, answer_.plan.eps());
    answer_.residual = measured_.norms;
    result.times.check += timer.lap();
  }

  Context& context_;
  const SolveOptions& options_;
  const ProgressCallback& progress_;
  LuAnswer answer_;
  bool keeps_a_ = true;      // beside the factors
  AnswerResidual measured_;  // of the last x
};

/// Whether factors of A + E in f32 tell ||A^-1|| within a factor of 3. E (A + E)^-1 is what a correction multiplies the residual by: where
/// that shrinks fast and needs no help, it is small in the directions of the small singular values, and these are those of A. (Of
/// randsvd's matrices, tests/solver/condition_test.cpp, rcond was 0.58 to 1.04 times LAPACK's with ratios up to 1 / 4, and 0.16 to 14
/// times with GMRES.)
bool tell_of_inverse(const Refinement& refinement) {
  const std::vector<double>& errors = refinement.backward_errors;
  return errors.size() < 2 || (refinement.gmres_steps == 0 && errors[1] <= errors[0] / 4);
}

/// Why the answer of factors in f32, or what they say of A, will not do; empty: it does.
std::string doubt_about(const LuAnswer& answer) {
  const EliminationResult& result = answer.result;
  if (result.failed_column)
    return fmt::format(
        "in f32 the pivot of column {} is {}", *result.failed_column + 1,
        answer.plan.method == Method::cholesky ? "not positive" : "zero or not finite");
  if (result.refinement.accepted && answer.trust && !tell_of_inverse(result.refinement))
    return fmt::format("rcond {:.1e} is at the limit of factors in f32", answer.trust->rcond);
  if (result.refinement.accepted || result.x.empty()) return {};
  const Refinement& done = result.refinement;
  if (answer.plan.accuracy == Accuracy::maximum)
    return "corrections by factors in f32 do not lead to the digits of x";
  return fmt::format(
      "factors in f32 left a backward error of {:.2g} after {} correction{}{}",
      done.backward_errors.back(), done.corrections(), done.corrections() == 1 ? "" : "s",
      done.gmres_steps > 0 ? fmt::format(" and {} steps of GMRES", done.gmres_steps) : "");
}

bool is_finite(const System& system) {
  return find_nonfinite(system.a.values()) == system.a.values().size() &&
         find_nonfinite(system.b.values()) == system.b.values().size();
}

/// The host's LAPACK for x; what else `answer` says stays that of the device. Without a LAPACK, and where that finds A singular,
/// nothing changes.
void try_lapack(LuAnswer& answer, const System& system, bool trust,
                const ProgressCallback& progress) {
  if (!HostLapack::available() || !is_finite(system)) return;
  if (progress) progress("factorisation by the host's LAPACK", 0);
  LapTimer timer;
  const HostLapack lapack(system.a);
  if (lapack.failed_column()) return;
  Matrix x = system.b;
  lapack.solve(x);
  HostOperator f64(system);
  const ApproximateSolve by_lapack = [&](Matrix& r) { lapack.solve(r); };
  const bool maximum = answer.plan.accuracy == Accuracy::maximum;
  if (maximum) {
    const Scaling none;
    ExtraPreciseHost in_extra_precision(system, none);
    answer.result.refinement =
        refine_in_extra_precision(in_extra_precision, by_lapack, x, progress);
  } else {
    answer.result.refinement = refine(f64, by_lapack, x, progress);
  }
  answer.result.times.refine += timer.lap();
  const AnswerResidual measured = answer_residual(system, x, answer.plan.eps());
  answer.residual = measured.norms;
  answer.judge = Judge::host;
  answer.result.times.check += timer.lap();
  if (trust || maximum) {
    const auto by = [](auto solve) {
      return [solve](Matrix v) {
        solve(v);
        return v;
      };
    };
    answer.trust = trust_in({x.rows(), by([&](Matrix& v) { lapack.solve(v); }),
                             by([&](Matrix& v) { lapack.solve_transposed(v); })},
                            size_of(system.a), {x, measured.r, measured.d});
    answer.trust->determinant_error = std::numeric_limits<double>::quiet_NaN();
    if (maximum) judge_by_condition(answer.trust, x.rows(), answer.result.refinement);
    if (!trust) answer.trust.reset();
    answer.result.times.trust += timer.lap();
  }
  answer.result.x = std::move(x);
  answer.result.failed_column.reset();
  answer.result.pivots.clear();  // those of f32
  answer.result.pivot_rows.clear();
  answer.by_lapack = true;
}

/// The times of two runs, one after the other.
void add(SolveTimes& times, const SolveTimes& more) {
  for (double SolveTimes::*part :
       {&SolveTimes::build, &SolveTimes::upload, &SolveTimes::forward, &SolveTimes::backward,
        &SolveTimes::download, &SolveTimes::refine, &SolveTimes::trust, &SolveTimes::check,
        &SolveTimes::free})
    times.*part += more.*part;
}

/// By butterflies; where they fail, as if there were none.
LuAnswer solve_by_rbt(Context& context, const System& system, const Plan& plan,
                      const SolveOptions& options, const ProgressCallback& progress) {
  LuAnswer answer;
  try {
    answer = Attempt(context, plan, options, progress).run_rbt(system);
  } catch (const NoUsableKernel&) {  // the verdicts say why
  }
  const Refinement& refinement = answer.result.refinement;
  if (refinement.accepted && (!answer.trust || tell_of_inverse(refinement))) return answer;
  const SolveTimes spent = answer.result.times;
  const Index n = system.a.rows();
  // Where x will do and only the inverse is in doubt, other factors in f32 would not tell more of it.
  const bool doubts_inverse = refinement.accepted && context.profile().fp64;
  const bool prefers_f32 =
      options.method == Method::rbt ||
      mixed_is_better(context.profile(), method_choice(context.profile(), context.tuning()), n);
  const Plan next = prefers_f32 && !doubts_inverse
                        ? Plan{Method::mixed, RealType::f32, plan.accuracy}
                        : Plan{Method::lu, RealType::f64, plan.accuracy};
  answer = solve_by_lu(context, system, next, options, progress);
  add(answer.result.times, spent);
  const std::string butterflies = "factors between random butterflies will not do";
  answer.passed_over =
      answer.passed_over.empty() ? butterflies : butterflies + ", " + answer.passed_over;
  return answer;
}

/// By Cholesky; where that fails, as its callers say.
LuAnswer solve_by_cholesky(Context& context, const System& system, const Plan& plan,
                           const SolveOptions& options, const ProgressCallback& progress) {
  const bool open = options.method == Method::automatic, narrow = plan.refines();
  const auto without = [&] { return make_plan(context, options, system.a.rows()); };
  LuAnswer answer;
  try {
    answer = Attempt(context, plan, options, progress).run(system);
  } catch (const NoUsableKernel&) {  // the verdicts say why
    if (!open) throw;
    return solve_by_lu(context, system, without(), options, progress);
  }
  const auto failed = answer.result.failed_column;
  std::string doubt = narrow ? doubt_about(answer) : std::string();
  if (failed && (narrow || open))
    doubt = fmt::format("A is not positive definite{} (Cholesky's pivot of column {} is {:.2g})",
                        narrow ? " to f32" : "", *failed + 1, answer.result.pivots[*failed]);
  if (doubt.empty()) return answer;
  std::optional<Plan> next;
  if (failed && open)
    next = without();
  else if (narrow && context.profile().fp64)
    next = Plan{Method::cholesky, RealType::f64, plan.accuracy};
  if (next) {
    const SolveTimes spent = answer.result.times;
    answer = solve_by_lu(context, system, *next, options, progress);
    add(answer.result.times, spent);
  } else if (failed) {
    return answer;
  } else {
    try_lapack(answer, system, options.trust, progress);
  }
  answer.passed_over = answer.passed_over.empty() ? doubt : doubt + ", " + answer.passed_over;
  return answer;
}

}  // namespace

Plan plan_for(const DeviceProfile& device, const SolveOptions& options, const Matrix& a,
              const Plan& plan) {
  if (options.method != Method::automatic || options.pivoting != Pivoting::partial ||
      options.equilibration == Equilibration::on || plan.method == Method::gauss ||
      a.rows() < cholesky_from(device) || !may_be_positive_definite(a))
    return plan;
  return {Method::cholesky, plan.type, plan.accuracy};
}

Plan make_plan(const Context& context, const SolveOptions& options, Index n) {
  using enum Accuracy;
  const DeviceProfile& device = context.profile();
  const bool gauss = options.method == Method::gauss ||
                     (options.method == Method::automatic && options.pivoting == Pivoting::none);
  const bool cholesky = options.method == Method::cholesky;
  const bool iterates = options.method == Method::jacobi || options.method == Method::seidel;
  if ((gauss || iterates || options.method == Method::rbt) &&
      options.equilibration == Equilibration::on)
    throw UsageError(
        "equilibration belongs to the methods lu and mixed: gauss is the paper's elimination, "
        "butterflies mix the rows and columns, and iterations change nothing of A");
  if (cholesky && options.equilibration == Equilibration::on)
    throw UsageError(
        "equilibration belongs to the methods lu and mixed: powers of two change no digit of "
        "Cholesky's factors");
  if ((gauss || cholesky || iterates) && options.pivoting == Pivoting::tournament)
    throw UsageError(
        "tournament pivoting belongs to the method lu; gauss takes partial or none, and the others "
        "exchange no rows");
  if (options.judge == Judge::device && (gauss || iterates))
    throw UsageError(fmt::format(
        "residuals by the device belong to the methods lu, mixed, rbt and cholesky, not {}",
        method_name(gauss ? Method::gauss : options.method)));
  if (options.judge == Judge::device && !device.fp64)
    throw DeviceLimit(device.name +
                      " has no fp64 (cl_khr_fp64) for residuals; let the host compute them");
  const RealType type = choose_type(device, options.type);
  const Accuracy of_type = type == RealType::f64 ? double_precision : single_precision;
  const Accuracy wanted = options.accuracy.value_or(options.type ? of_type : double_precision);
  if (options.method == Method::mixed || options.method == Method::rbt) {
    if (options.method == Method::rbt && wanted == maximum)
      throw UsageError(
          "accuracy max asks for factors that partial pivoting made: the methods lu and mixed");
    if (options.type == RealType::f64 || options.accuracy == single_precision)
      throw UsageError(
          fmt::format("the method {} takes factors in f32 and refines x to double accuracy",
                      method_name(options.method)));
    return {options.method, RealType::f32, wanted == maximum ? maximum : double_precision};
  }
  if (cholesky) {
    const RealType taken = wanted == single_precision ? options.type.value_or(RealType::f32) : type;
    return {Method::cholesky, taken, wanted};
  }
  if (gauss || iterates || options.method == Method::lu) {
    if ((gauss || iterates) && wanted == maximum)
      throw UsageError(fmt::format(
          "accuracy max asks for factors to correct x with: the methods lu and mixed, not {}",
          method_name(gauss ? Method::gauss : options.method)));
    if (options.accuracy.value_or(single_precision) != single_precision && type == RealType::f32)
      throw UsageError(fmt::format(
          "{} accuracy with factors in f32 asks for the method mixed ({})", accuracy_name(wanted),
          options.type ? "the type asked for is f32" : device.name + " has no fp64"));
    const RealType taken = wanted == single_precision ? options.type.value_or(RealType::f32) : type;
    return {gauss ? Method::gauss : options.method, taken,
            taken == RealType::f64 ? wanted : single_precision};
  }
  if (wanted == single_precision) return {Method::lu, options.type.value_or(RealType::f32), wanted};
  if (type == RealType::f32) return {Method::mixed, RealType::f32, wanted};
  if (options.type || options.determinant) return {Method::lu, RealType::f64, wanted};
  const MethodChoice choice = method_choice(device, context.tuning());
  const bool plain = wanted == double_precision && options.pivoting == Pivoting::partial &&
                     options.equilibration != Equilibration::on;
  if (plain && rbt_is_better(device, choice, n))
    return {Method::rbt, RealType::f32, wanted, choice.source()};
  if (mixed_is_better(device, choice, n))
    return {Method::mixed, RealType::f32, wanted, choice.source()};
  return {Method::lu, RealType::f64, wanted, choice.source()};
}

SolveStatus outcome_of(const EliminationResult& result) {
  if (!result.failed_column) {
    const Index bad = find_nonfinite(result.x.values());
    return result.finite_input && bad < result.x.values().size() ? SolveStatus::overflow
                                                                 : SolveStatus::ok;
  }
  if (result.positive_definite && std::isfinite(result.pivots[*result.failed_column]))
    return SolveStatus::not_positive_definite;
  const bool out_of_range =
      result.pivots[*result.failed_column] == 0 ? result.may_underflow : result.finite_input;
  return out_of_range ? SolveStatus::overflow : SolveStatus::singular;
}

LuAnswer solve_by_lu(Context& context, const System& system, const Plan& plan,
                     const SolveOptions& options, const ProgressCallback& progress) {
  if (plan.method == Method::rbt) return solve_by_rbt(context, system, plan, options, progress);
  if (plan.method == Method::cholesky)
    return solve_by_cholesky(context, system, plan, options, progress);
  LuAnswer answer = Attempt(context, plan, options, progress).run(system);
  if (plan.method != Method::mixed) return answer;
  const std::string doubt = doubt_about(answer);
  if (doubt.empty()) return answer;
  if (context.profile().fp64) {
    const SolveTimes spent = answer.result.times;
    answer =
        Attempt(context, {Method::lu, RealType::f64, plan.accuracy}, options, progress).run(system);
    add(answer.result.times, spent);
  } else {
    try_lapack(answer, system, options.trust, progress);
  }
  answer.passed_over = doubt;
  return answer;
}

LuAnswer solve_by_lu_in_place(Context& context, System system, const ReadMatrix& read_again,
                              const Plan& plan, const SolveOptions& options,
                              const ProgressCallback& progress) {
  LuAnswer answer = Attempt(context, plan, options, progress).run_in_place(system, read_again);
  if (plan.method == Method::mixed) answer.passed_over = doubt_about(answer);
  return answer;
}

}  // namespace clgauss
