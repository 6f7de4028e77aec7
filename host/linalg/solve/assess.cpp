#include "linalg/solve/assess.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <memory>
#include <utility>

#include "constants.hpp"
#include "lap_timer.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/refinement/answer_residual.hpp"
#include "linalg/refinement/extra_precise.hpp"
#include "linalg/refinement/integer_operator.hpp"
#include "linalg/solve/host_lu.hpp"
#include "linalg/solve/methods.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/scaling.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// Whether products with the powers of two stay in f64's range.
bool are_moderate(const Scaling& scaling) {
  constexpr int kModerate = 300;
  const auto moderate = [](int exponent) { return std::abs(exponent) <= kModerate; };
  return std::ranges::all_of(scaling.rows, moderate) &&
         std::ranges::all_of(scaling.columns, moderate);
}

/// The steps of assess(); the members are its arguments.
struct Assessment {
  Context& context;
  Factored& factors;
  const System& system;
  const SolveOptions& options;
  const ProgressCallback& progress;
  Answer& answer;
  AnswerResidual measured = {};            // of the last x
  std::unique_ptr<Factored> by_host = {};  // made by asked()

  void carry_out(Matrix scaled_x) {
    const Plan& plan = answer.plan;
    if (plan.accuracy == Accuracy::maximum) return to_the_last_digit(std::move(scaled_x));
    if (plan.refines()) refine_x();
    if (row_of(plan.method).seed && !result().refinement.accepted) return;
    measure();
    // Rare with f64 factors: pivot growth has cost digits.
    if (plan.type == RealType::f64 && !(answer.residual.scaled <= 1) &&
        outcome_of(result()) == SolveStatus::ok) {
      refine_x();
      measure();
    }
    if (options.trust || (options.doubt && may_be_doubtful())) try_to_estimate();
  }

  EliminationResult& result() { return answer.result; }
  [[nodiscard]] bool has_fp64() const { return context.profile().fp64; }

  void to_the_last_digit(Matrix scaled_x) {
    LapTimer timer;
    if (progress) progress("refinement", 0);
    const std::unique_ptr<ExtraPreciseOperator> residuals = in_extra_precision();
    result().x = std::move(scaled_x);
    result().refinement = refine_in_extra_precision(
        *residuals, [this](Matrix& r) { factors.solve_scaled(r); }, result().x, progress);
    scale_back(factors.scaling(), result().x.cols(), result().x.values());
    result().times.refine += timer.lap();
    measure();
    try_to_estimate();
    judge_by_condition(answer.trust, system.a.rows(), result().refinement);
    if (!options.trust && !options.doubt) answer.trust.reset();
  }

  /// On the device if it has fp64 and a usable kernel; otherwise on the host.
  std::unique_ptr<ExtraPreciseOperator> in_extra_precision() {
    if (has_fp64()) {
      try {
        return std::make_unique<ExtraPreciseDevice>(context, system, factors.scaling());
      } catch (const NoUsableKernel&) {  // the self-tests say why; the host does it instead
      }
    }
    return std::make_unique<ExtraPreciseHost>(system, factors.scaling());
  }

  void refine_x() {
    LapTimer timer;
    result().refinement = refined();
    result().times.refine += timer.lap();
  }

  Refinement refined() {
    Matrix& x = result().x;
    const ApproximateSolve solve = [this](Matrix& r) { factors.solve(r); };
    if (DeviceOperator* const in_f64 = factors.in_f64()) {
      if (x.rows() > 0) return refine(*in_f64, factors.device_factors(), solve, x, progress);
      Refinement refinement =
          refine_from_zero(*in_f64, factors.device_factors().value(), solve, progress);
      x = in_f64->x();
      return refinement;
    }
    // If A's memory was freed during the upload, the device has no room for A.
    if (has_fp64() || answer.plan.in_place || !factors.on_device()) {
      HostOperator by_host(system, answer.plan.transposed);
      return refine(by_host, solve, x, progress);
    }
    return refine(*residuals_without_fp64(context, system), solve, x, progress);
  }

  /// Measures the residual with the A that was given.
  void measure() {
    LapTimer timer;
    if (options.trust || options.doubt) factors.start_first_product();  // beside the host's work
    const double eps = answer.plan.eps();
    std::optional<AnswerResidual> by_device;
    if (options.judge == Judge::device) by_device = measured_by_device(eps);
    const bool good = by_device && by_device->norms.scaled <= options.max_scaled_residual;
    answer.judge = good ? Judge::device : Judge::host;
    measured = good ? std::move(*by_device) : residual_by_host(options.trust);
    answer.residual = measured.norms;
    result().times.check += timer.lap();
  }

  AnswerResidual residual_by_host(bool sizes) const {
    return answer_residual(system, answer.result.x, answer.plan.eps(), answer.plan.transposed,
                           sizes);
  }

  std::optional<AnswerResidual> measured_by_device(double eps) {
    DeviceOperator* const in_f64 = factors.in_f64();
    if (in_f64 == nullptr) return std::nullopt;
    const Matrix& x = result().x;
    Matrix r(x.rows(), x.cols()), d(x.rows(), x.cols());
    in_f64->residual(x, r, d);
    return confirmed_residual(system, x, eps, std::move(r), std::move(d), in_f64->row_sums());
  }

  void try_to_estimate() {
    if (!has_answer(outcome_of(result()))) return;
    LapTimer timer;
    if (progress) progress("condition", 0);
    try {
      estimate();
    } catch (const NoUsableKernel&) {  // the self-tests say why; x is still good
      answer.trust.reset();
      return;
    }
    result().times.trust += timer.lap();
  }

  /// The factors for estimates. For a small A, an LU made once on the host is faster than launches;
  /// for others the host reads the device's factors where it can.
  Factored& asked() {
    if (factors.on_device() && are_moderate(factors.scaling()) && !by_host)
      by_host = estimates_on_host(system.a.rows(), result().pivoting)
                    ? std::make_unique<HostLu>(system.a, factors.scaling())
                    : factors.on_host();
    return by_host ? *by_host : factors;
  }

  /// Uses one product with A^-1. The device may have computed it meanwhile.
  bool may_be_doubtful() {
    if (!has_answer(outcome_of(result()))) return false;
    LapTimer timer;
    try {
      Factored& by = asked();
      Matrix product = by.take_first_product();
      if (product.empty()) {
        product = doubt_question(system.a.rows());
        by.solve(product);
      }
      double largest = 0;
      for (const double value : product.values()) largest = max_or_nan(largest, std::abs(value));
      result().times.trust += timer.lap();
      return is_doubtful(product.rows(), answer.plan.eps(), factors.scaling().size.norm1, largest);
    } catch (const NoUsableKernel&) {  // the self-tests say why; x is still good
      return false;
    }
  }

  void estimate() {
    const Index n = system.a.rows();
    Factored& by = asked();
    if (measured.d.empty()) measured = residual_by_host(true);
    const AnswerErrors errors{result().x, measured.r, measured.d};
    const double norm1 = factors.scaling().size.norm1;
    const ConditionAndError found =
        by.on_device() ? estimate_trust_from(options.trust ? by.take_first_product() : Matrix(),
                                             inverse_of(by, n), norm1, errors)
                       : estimate_trust(inverse_of(by, n), norm1, errors);
    Factored& grown = tells_growth(answer.plan.method) ? factors : by;
    answer.trust = {found.rcond, found.forward_error, grown.reciprocal_growth(system.a), kNaN};
    if (answer.by_lapack) return;  // the pivots are the device's, not LAPACK's
    double rcond = found.rcond;
    if (options.determinant && !factors.scaling().keeps_matrix()) {
      // Scaling by powers of two changes no digit of det A.
      const Scaling& by_powers = factors.scaling();
      const auto scaled_a = [&](const Matrix& a) {
        return scaled(a, by_powers.rows, by_powers.columns);
      };
      const Matrix a = answer.plan.transposed ? scaled_a(transposed(system.a)) : scaled_a(system.a);
      rcond = reciprocal_condition(scaled_inverse_of(by, n), size_of(a).norm1);
    }
    answer.trust->determinant_error = determinant_error(n, unit_roundoff(answer.plan.type),
                                                        answer.trust->reciprocal_growth, rcond);
  }
};

}  // namespace

void judge_by_condition(std::optional<Trust>& trust, Index n, Refinement& refinement) {
  if (!trust) return;
  const bool regular =
      trust->rcond >= unit_roundoff(RealType::f64) ||
      std::ranges::all_of(trust->forward_error,  // at least (n + 1) eps cond(A, x)
                          [&](double bound) { return bound <= static_cast<double>(n + 1); });
  if (!regular) {
    refinement.accepted = false;
    std::ranges::fill(refinement.forward_errors, Refinement::ForwardError{});
  }
  if (!refinement.accepted) return;
  for (Index c = 0; c < refinement.forward_errors.size(); ++c)
    trust->forward_error[c] = refinement.forward_errors[c].normwise;
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

void assess(Context& context, Factored& factors, const System& system, Matrix scaled_x,
            const SolveOptions& options, const ProgressCallback& progress, Answer& answer) {
  Assessment{context, factors, system, options, progress, answer}.carry_out(std::move(scaled_x));
}

}  // namespace clgauss
