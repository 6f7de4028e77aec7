#include <fmt/format.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "constants.hpp"
#include "lap_timer.hpp"
#include "linalg/complex/complex_device_operator.hpp"
#include "linalg/complex/complex_factors.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/refinement/refine.hpp"
#include "linalg/solve/assess.hpp"
#include "linalg/solve/methods.hpp"
#include "linalg/solve/plan.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/symmetry.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

void require_known(const SolveOptions& options) {
  const auto refuse = [](bool asked, std::string_view what) {
    if (asked) throw UsageError(fmt::format("complex systems are solved without {}", what));
  };
  refuse(options.pivoting != Pivoting::partial && options.pivoting != Pivoting::rook,
         "other pivoting than partial and rook");
  refuse(options.lu.spec.has_value() || options.lu.positive_definite, "a choice of the LU");
  const MethodRow& row = row_of(options.method);
  if (!row.allows(kComplexSystems))
    throw UsageError(fmt::format("complex systems are solved by the methods {}, not {}",
                                 methods_that_allow(kComplexSystems), row.name));
}

/// As make_plan(), for the methods of complex systems. Without fp64 on the device, `lu` means
/// single accuracy if no accuracy is given.
Plan plan_for(const DeviceProfile& device, const SolveOptions& options) {
  using enum Accuracy;
  const bool mixed = options.method == Method::mixed;
  const Accuracy of_type =
      options.type == RealType::f32 && !mixed ? single_precision : double_precision;
  const Accuracy wanted = options.accuracy.value_or(of_type);
  const MethodRow& row = row_of(method_of(options));
  require_allowed(device, row, options, wanted);
  const RealType type = mixed                        ? RealType::f32
                        : wanted == single_precision ? options.type.value_or(RealType::f32)
                                                     : choose_type(device, options.type);
  if (row.symmetric) return {row.method, choose_type(device, type), wanted};
  const bool refines = type == RealType::f32 && wanted != single_precision;
  if (!refines) return {Method::lu, choose_type(device, type), wanted};
  if (options.method != Method::lu) return {Method::mixed, RealType::f32, wanted};
  if (options.accuracy)
    throw UsageError(fmt::format(
        "{} accuracy of a complex system with factors in f32 needs the method mixed ({})",
        accuracy_name(wanted),
        options.type ? "the type asked for is f32" : device.name + " has no fp64"));
  return {Method::lu, RealType::f32, single_precision};
}

bool is_finite(const Matrix& parts) {
  return find_nonfinite(parts.values()) == parts.values().size();
}

/// Solves by one plan.
class ComplexRun {
 public:
  ComplexRun(Context& context, const ComplexSystem& system, const SolveOptions& options,
             const ComplexNorms& norms, const Plan& plan, const ProgressCallback& progress)
      : context_(context),
        system_(system),
        options_(options),
        norms_(norms),
        plan_(plan),
        progress_(progress),
        n_(system.a.rows()),
        nrhs_(system.b.cols()) {
    result_.complex = true;
    result_.method = plan.method;
    result_.type = plan.type;
    result_.accuracy = plan.accuracy;
  }

  ComplexSolution run(LuOptions lu) {
    const MethodRow& row = row_of(plan_.method);
    lu.positive_definite = row.definite;
    lu.symmetric = row.symmetric && !row.definite;
    if (lu.pivoting == Pivoting::rook) result_.pivoting = Pivoting::rook;
    report("building the kernels");
    ComplexFactors factors(context_, system_, plan_.type, lu, is_estimated() || is_maximum(),
                           is_by_device() ? ComplexDeviceOperator::bytes(n_, nrhs_) : 0);
    prepare_residuals();
    result_.times.build = timer_.lap();
    report("upload");
    factors.upload(system_, options_.equilibration);
    if (by_device_) by_device_->upload(system_);
    result_.scaled_rows = !factors.scaling().rows.empty();
    result_.scaled_columns = !factors.scaling().columns.empty();
    result_.times.upload = timer_.lap();
    report("factorisation");
    factors.factor(progress_);
    result_.times.forward = timer_.lap();
    judge_pivots(factors.pivots(), factors);
    result_.times.download = timer_.lap();
    if (has_answer(result_.status)) answer(factors);
    return std::move(result_);
  }

 private:
  void report(const char* what) const {
    if (progress_) progress_(what, 0);
  }
  [[nodiscard]] bool is_maximum() const { return plan_.accuracy == Accuracy::maximum; }

  /// Whether the device is asked for the residuals.
  [[nodiscard]] bool is_by_device() const { return options_.judge == Judge::device && nrhs_ > 0; }

  void prepare_residuals() {
    if (!is_by_device()) return;
    try {
      by_device_.emplace(context_, n_, nrhs_);
    } catch (const NoUsableKernel&) {  // the self-tests say why; the host does it instead
    }
  }

  /// Computes the determinant from the pivots, unless one failed.
  void judge_pivots(const ComplexFactors::Pivots& pivots, const ComplexFactors& factors) {
    result_.pivot_rows = pivots.rows;
    result_.failed_column = pivots.failed_column;
    if (pivots.symmetric) result_.inertia = inertia_of(*pivots.symmetric);
    if (result_.failed_column) {
      result_.failed_pivot = pivots.failed_pivot();
      result_.status = factors.failure(pivots);
      result_.determinant = {0, result_.failed_pivot == 0 ? -kInfinity : kNaN};
      return;
    }
    std::complex<double> phase = 1;
    double log10_abs = 0;
    for (Index k = 0; k < n_; ++k) {
      const std::complex<double> pivot(pivots.diagonal(k, 0), pivots.diagonal(k, 1));
      const double size = std::abs(pivot);
      phase *= pivot / size;
      phase /= std::abs(phase);
      if (pivots.rows[k] != k) phase = -phase;
      if (pivots.symmetric && pivots.symmetric->exchanges[k] != k) phase = -phase;
      log10_abs += std::log10(size);
    }
    const auto exponent = static_cast<double>(factors.exponent_of_determinant());
    result_.determinant = {phase, log10_abs + exponent * std::log10(2.0)};
  }

  void answer(ComplexFactors& factors) {
    if (nrhs_ > 0) {
      report("substitution");
      x_ = factors.first_answer();
      result_.times.backward = timer_.lap();
    } else {
      x_ = Matrix(2 * n_, 0);
    }
    if (!is_maximum()) scale_back(factors.scaling(), nrhs_, x_.values());
    result_.times.download += timer_.lap();
    if (is_maximum())
      to_the_last_digit(factors);
    else
      assess(factors);
    if (!has_answer(result_.status)) return;
    result_.x = from_pairs(x_);
    const bool has_digits = !is_maximum() || nrhs_ == 0 || result_.refinement.accepted;
    if (!(result_.residual.scaled <= options_.max_scaled_residual && has_digits))
      result_.status = SolveStatus::inaccurate;
  }

  /// For complex numbers, a doubt alone also requires the estimate.
  [[nodiscard]] bool is_estimated() const { return options_.trust || options_.doubt; }

  void assess(ComplexFactors& factors) {
    if (plan_.refines() && nrhs_ > 0) refine_x(factors);
    measure();
    // Rare with f64 factors: pivot growth has cost digits.
    if (plan_.type == RealType::f64 && has_answer(result_.status) &&
        !(result_.residual.scaled <= 1)) {
      refine_x(factors);
      measure();
    }
    if (is_estimated()) try_to_estimate(factors);
  }

  void refine_x(ComplexFactors& factors) {
    ComplexOperator by_host(system_);
    SystemOperator& residuals = by_device_ ? static_cast<SystemOperator&>(*by_device_) : by_host;
    result_.refinement = refine(
        residuals, [&](Matrix& r) { factors.solve(r); }, x_, progress_);
    result_.times.refine += timer_.lap();
  }

  void to_the_last_digit(ComplexFactors& factors) {
    if (nrhs_ > 0) {
      ExtraPreciseComplex residuals(system_, factors.scaling());
      result_.refinement = refine_in_extra_precision(
          residuals, [&](Matrix& r) { factors.solve_scaled(r); }, x_, progress_);
      scale_back(factors.scaling(), nrhs_, x_.values());
      result_.times.refine += timer_.lap();
    }
    measure();
    try_to_estimate(factors);
    judge_by_condition(result_.trust, 2 * n_, result_.refinement);
    if (!is_estimated()) result_.trust.reset();
  }

  /// Measures the residual with the A that was given.
  void measure() {
    report("check");
    if (!is_finite(x_)) {
      result_.status = SolveStatus::overflow;
      return;
    }
    std::optional<ComplexAnswerResidual> confirmed;
    if (by_device_) {
      Matrix r, d;
      by_device_->residual(x_, r, d);
      confirmed = confirmed_residual(system_, norms_, x_, plan_.eps(), std::move(r), std::move(d));
    }
    const bool good = confirmed && confirmed->norms.scaled <= options_.max_scaled_residual;
    result_.judge = good ? Judge::device : Judge::host;
    measured_ = good ? std::move(*confirmed) : answer_residual(system_, norms_, x_, plan_.eps());
    result_.residual = measured_.norms;
    result_.times.check += timer_.lap();
  }

  void try_to_estimate(ComplexFactors& factors) {
    if (!has_answer(result_.status)) return;
    report("condition");
    try {
      estimate(factors);
    } catch (const NoUsableKernel&) {  // the self-tests say why; x is still good
      result_.trust.reset();
    }
    result_.times.trust += timer_.lap();
  }

  void estimate(ComplexFactors& factors) {
    InverseProducts inverse = inverse_of(factors, 2 * n_);
    inverse.pairs = true;
    const ConditionAndError found = estimate_trust(inverse, std::ldexp(norms_.one, norms_.exponent),
                                                   {x_, measured_.r, measured_.d}, kFewColumns);
    const double growth = factors.reciprocal_growth(system_.a.parts());
    double error = kNaN;
    if (options_.determinant) {
      // Scaling by powers of two changes no digit of det A.
      const ComplexMatrix a(factors.scaled_parts(system_.a.parts()));
      const ComplexNorms of_scaled = norms_of(a);
      InverseProducts inverse_of_scaled = scaled_inverse_of(factors, 2 * n_);
      inverse_of_scaled.pairs = true;
      const double rcond = reciprocal_condition(
          inverse_of_scaled, std::ldexp(of_scaled.one, of_scaled.exponent), kFewColumns);
      error = determinant_error(n_, unit_roundoff(plan_.type), growth, rcond);
    }
    result_.trust = {found.rcond, found.forward_error, growth, error};
    result_.determinant.relative_error = error;
  }

  Context& context_;
  const ComplexSystem& system_;
  const SolveOptions& options_;
  const ComplexNorms& norms_;
  const Plan& plan_;
  const ProgressCallback& progress_;
  Index n_, nrhs_;
  LapTimer timer_;
  Matrix x_;  // in pairs
  std::optional<ComplexDeviceOperator> by_device_;
  ComplexAnswerResidual measured_;
  ComplexSolution result_;
};

/// As doubt_about_growth(); empty for other methods.
std::string doubt_about_ldlt(const ComplexSolution& solution, const SolveOptions& options) {
  return solution.method == Method::ldlt
             ? doubt_about_growth(solution.status, solution.residual, solution.trust,
                                  solution.pivoting, options, "L D L^H")
             : std::string();
}

/// Why an answer from f32 factors is not good enough; empty if it is.
std::string doubt_about(const ComplexSolution& solution) {
  if (!Plan{solution.method, solution.type, solution.accuracy}.refines()) return {};
  if (solution.failed_column)
    return fmt::format("in f32 the pivot of column {} is {}", *solution.failed_column + 1,
                       row_of(solution.method).definite ? "not positive" : "zero or not finite");
  if (solution.status == SolveStatus::overflow || solution.refinement.backward_errors.empty())
    return {};
  return doubt_about_f32(solution.refinement, solution.trust, solution.accuracy);
}

}  // namespace

ComplexSolution solve_complex(Context& context, const ComplexSystem& system,
                              const SolveOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  require_known(options);
  const MethodRow& asked = row_of(method_of(options));
  if (asked.symmetric) require_hermitian(system.a, asked.name);
  Plan plan = plan_for(context.profile(), options);
  const Index n = system.a.rows(), nrhs = system.b.cols();
  const bool wanted = nrhs > 0 || options.determinant || options.trust;
  if (n == 0 || !wanted) {
    ComplexSolution empty;
    empty.complex = true;
    empty.method = plan.method;
    empty.type = plan.type;
    empty.accuracy = plan.accuracy;
    empty.x = ComplexMatrix(n, nrhs);
    empty.determinant = n == 0 ? ComplexDeterminant{1, 0, 0} : ComplexDeterminant{0, kNaN};
    return empty;
  }
  LapTimer timer;
  const ComplexNorms norms = norms_of(system.a);
  const auto solve = [&] {
    return translate_opencl_errors([&] {
      int attempts = 0;
      LuOptions first = options.lu;
      first.pivoting = pivoting_of(plan, options);
      ComplexSolution solution = repeat_until_co_resident(first, [&](const LuOptions& lu) {
        ++attempts;
        return ComplexRun(context, system, options, norms, plan, progress).run(lu);
      });
      solution.repeated = attempts > 1;
      return solution;
    });
  };
  ComplexSolution solution = solve();
  std::string doubt = doubt_about(solution);
  if (!doubt.empty() && context.profile().fp64) {
    plan = {row_of(plan.method).symmetric ? plan.method : Method::lu, RealType::f64, plan.accuracy};
    solution = solve();
  }
  for (std::string of_ldlt; !(of_ldlt = doubt_about_ldlt(solution, options)).empty();) {
    plan = after_growth(plan, solution.pivoting);
    solution = solve();
    doubt += (doubt.empty() ? "" : ", ") + of_ldlt;
  }
  solution.passed_over = doubt;
  solution.times.build += timer.lap() - solution.times.sum();
  return solution;
}

}  // namespace clgauss
