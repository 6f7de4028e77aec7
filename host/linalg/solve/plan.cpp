#include "linalg/solve/plan.hpp"

#include <fmt/format.h>
#include <algorithm>

#include <clgauss/error.hpp>
#include <clgauss/lab/tuned.hpp>
#include <limits>

#include "linalg/solve/methods.hpp"
#include "matrix/shapes.hpp"
#include "matrix/symmetry.hpp"

namespace clgauss {

namespace {

/// Whether butterflies, f32 factors and refinement are faster than the alternatives, and A fits.
bool rbt_is_better(const DeviceProfile& device, const MethodChoice& choice, Index n) {
  if (n < choice.rbt_from) return false;
  const std::uint64_t bytes =
      n * padded_ld(n, RealType::f64) * (sizeof(double) + 2 * sizeof(float));
  return bytes <= device.global_mem_bytes;
}

/// The method choice for n. For small n nothing is measured.
MethodChoice choice_for(Context& context, Index n) {
  const bool by_rates = n >= MethodChoice::kMeasuredFrom || context.profile().pretended_ratio;
  return by_rates ? method_choice(context) : method_choice(context.profile(), context.tuning());
}

/// The most right-hand sides for which f32 factors pay, since each is refined by itself. On two
/// cores one refinement takes 2.7 ms at n = 2000 and 15 ms at 4000. The f32 factors save as much as
/// 10 and 14 refinements take. With 128 right-hand sides, lu and mixed take 0.16 and 0.47 s at
/// n = 2000, 0.84 and 2.4 s at 4000. GPUs were not measured. If f64 is so slow that mixed pays from
/// smaller n on, the savings and refinement times behind kMixedFromOfRatio are used.
Index most_refined(const DeviceProfile& device, const MethodChoice& choice, Index n) {
  constexpr Index kRowsToOneSide = 256, kRowsOfRatio2 = 12288;
  if (choice.rates && choice.rates->ratio > 2)
    return std::max<Index>(1, (choice.rates->ratio - 1) * n / kRowsOfRatio2);
  if (device.type != DeviceType::cpu) return std::numeric_limits<Index>::max();
  return std::max<Index>(1, n / kRowsToOneSide);
}

/// The type of Cholesky's factors in place of `plan`'s. f32 saves half of what it saves in an LU,
/// and x is refined as often, so on a GPU it pays from twice the n on. Butterflies save panels,
/// which Cholesky does not have.
RealType type_of_cholesky(const DeviceProfile& device, const SolveOptions& options,
                          const MethodChoice& choice, const Plan& plan, Index n) {
  const bool as_on_gpu = device.type != DeviceType::cpu || choice.rates;
  const bool by_speed = plan.refines() && device.fp64 && !options.type;
  return by_speed && as_on_gpu && n / 2 < choice.mixed_from ? RealType::f64 : plan.type;
}

/// `wanted` is the accuracy asked for, or the one implied by the type.
Plan plan_by(const MethodRow& row, const SolveOptions& options, RealType type, Accuracy wanted,
             const DeviceProfile& device) {
  using enum Accuracy;
  if (row.factors) return {row.method, *row.factors, wanted};
  const RealType taken = wanted == single_precision ? options.type.value_or(RealType::f32) : type;
  if (row.symmetric) return {row.method, taken, wanted};
  if (options.accuracy.value_or(single_precision) != single_precision && type == RealType::f32)
    throw UsageError(fmt::format(
        "{} accuracy with factors in f32 needs the method mixed ({})", accuracy_name(wanted),
        options.type ? "the type asked for is f32" : device.name + " has no fp64"));
  return {row.method, taken, taken == RealType::f64 ? wanted : single_precision};
}

Plan automatic_plan(Context& context, const SolveOptions& options, RealType type, Accuracy wanted,
                    Index n, Index nrhs) {
  if (wanted == Accuracy::single_precision)
    return {Method::lu, options.type.value_or(RealType::f32), wanted};
  if (type == RealType::f32) return {Method::mixed, RealType::f32, wanted};
  if (options.type || options.determinant) return {Method::lu, RealType::f64, wanted};
  const bool plain = wanted == Accuracy::double_precision &&
                     options.pivoting == Pivoting::partial &&
                     options.equilibration != Equilibration::on;
  const MethodChoice choice = choice_for(context, n);
  const bool f32 = choice.allows_f32(n, options.trust);
  if (f32 && plain && rbt_is_better(context.profile(), choice, n))
    return {Method::rbt, RealType::f32, wanted, choice.source(), choice.rates};
  if (f32 && mixed_is_better(context, n, nrhs))
    return {Method::mixed, RealType::f32, wanted, choice.source(), choice.rates};
  return {Method::lu, RealType::f64, wanted, choice.source(), choice.rates};
}

}  // namespace

Method method_of(const SolveOptions& options) {
  if (options.method != Method::automatic) return options.method;
  return options.pivoting == Pivoting::none   ? Method::gauss
         : options.pivoting == Pivoting::rook ? Method::ldlt
                                              : Method::automatic;
}

Pivoting pivoting_of(const Plan& plan, const SolveOptions& options) {
  if (!row_of(plan.method).allows(kRook))
    return options.pivoting == Pivoting::rook ? Pivoting::partial : options.pivoting;
  return plan.rook ? Pivoting::rook : options.pivoting;
}

void require_allowed(const DeviceProfile& device, const MethodRow& row, const SolveOptions& options,
                     Accuracy wanted) {
  const struct {
    Wish wish;
    bool asked;
    std::string_view what;
  } wishes[] = {
      {kEquilibration, options.equilibration == Equilibration::on, "equilibration belongs"},
      {kTournament, options.pivoting == Pivoting::tournament, "tournament pivoting belongs"},
      {kRook, options.pivoting == Pivoting::rook, "rook pivoting belongs"},
      {kJudgeByDevice, options.judge == Judge::device, "residuals by the device belong"},
      {kMaximumAccuracy, wanted == Accuracy::maximum, "accuracy max belongs"}};
  for (const auto& [wish, asked, what] : wishes)
    if (asked && !row.allows(wish))
      throw UsageError(
          fmt::format("{} to the methods {}, not {}", what, methods_that_allow(wish), row.name));
  if (row.factors && (options.type == RealType::f64 || wanted == Accuracy::single_precision))
    throw UsageError(fmt::format(
        "the method {} takes factors in f32 and refines x to double accuracy", row.name));
  if (options.judge == Judge::device && !device.fp64)
    throw DeviceLimit(device.name +
                      " has no fp64 (cl_khr_fp64) for residuals; let the host compute them");
}

bool mixed_is_better(Context& context, Index n, Index nrhs) {
  const DeviceProfile& device = context.profile();
  const MethodChoice choice = choice_for(context, n);
  if (n < choice.mixed_from || nrhs > most_refined(device, choice, n)) return false;
  const Index elements = n * padded_ld(n, RealType::f64);
  const std::uint64_t bytes = elements * (sizeof(float) + sizeof(double) +
                                          (device.type == DeviceType::cpu ? sizeof(double) : 0));
  return bytes <= device.global_mem_bytes;
}

bool ldlt_is_better(Context& context, const Plan& plan, Index n) {
  return plan.method == Method::lu && plan.type == RealType::f64 &&
         n >= choice_for(context, n).ldlt_from;
}

Plan plan_for(Context& context, const SolveOptions& options, const Matrix& a, const Plan& plan) {
  if (options.method != Method::automatic || options.pivoting != Pivoting::partial ||
      options.equilibration == Equilibration::on || plan.method == Method::gauss)
    return plan;
  const MethodChoice choice = choice_for(context, a.rows());
  if (!choice.takes_cholesky(a.rows()) || !may_be_positive_definite(a))
    return ldlt_is_better(context, plan, a.rows()) && !asymmetric_element(a)
               ? Plan{Method::ldlt, plan.type, plan.accuracy, plan.chosen_by, plan.rates}
               : plan;
  const RealType type = type_of_cholesky(context.profile(), options, choice, plan, a.rows());
  Plan by_cholesky{Method::cholesky, type, plan.accuracy};
  if (choice.rates) {
    by_cholesky.chosen_by = choice.source();
    by_cholesky.rates = choice.rates;
  }
  return by_cholesky;
}

Plan make_plan(Context& context, const SolveOptions& options, Index n, Index nrhs) {
  const DeviceProfile& device = context.profile();
  const Method method = method_of(options);
  const Accuracy of_type =
      options.type == RealType::f32 ? Accuracy::single_precision : Accuracy::double_precision;
  const bool named = method != Method::automatic;
  const MethodRow& row = row_of(method);
  const Accuracy wanted =
      options.accuracy.value_or(row.factors ? Accuracy::double_precision : of_type);
  require_allowed(device, row, options, wanted);
  const RealType type = choose_type(device, options.type);
  return named ? plan_by(row, options, type, wanted, device)
               : automatic_plan(context, options, type, wanted, n, nrhs);
}

}  // namespace clgauss
