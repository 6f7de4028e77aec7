#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <limits>

#include "linalg/transfer.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// The policy with what was tuned looked up.
struct ResolvedPolicy {
  WorkGroupPolicy policy;
  std::string name;
  std::string passed_over;  // why a tuned size was not taken
};

Kernel forward_kernel(Context& context, RealType type) {
  return context.programs().kernel("gauss.cl", "gauss_fwd", real_defines(type));
}

/// Why the tuned work-group size cannot be used; empty if it can.
std::string problem_of(Context& context, const TunedEntry& tuned, RealType type) {
  const auto local = std::ranges::find(tuned.parameters, "LOCAL", &Parameters::value_type::first);
  if (local == tuned.parameters.end())
    return fmt::format("the tuned entry for n = {} gives no LOCAL", tuned.n);
  const DeviceProfile& device = context.profile();
  const std::size_t limit = std::min({device.max_work_group_size, device.max_work_item_sizes[0],
                                      forward_kernel(context, type).work_group_limit});
  if (local->second >= 0 && static_cast<std::size_t>(local->second) <= limit) return {};
  return fmt::format("the tuned LOCAL for n = {} does not lie in 0 .. {}", tuned.n, limit);
}

/// Throws UsageError if a tuned size is asked for and there is none.
ResolvedPolicy resolve(Context& context, const WorkGroupPolicy& policy, RealType type,
                       Index n) {
  using Rule = WorkGroupPolicy::Rule;
  if (policy.rule != Rule::automatic && policy.rule != Rule::tuned)
    return {policy, work_group_policy_name(policy), {}};
  std::string problem = context.tuning().problem();
  if (const TunedEntry* tuned = context.tuning().find("elimination", type, n)) {
    problem = problem_of(context, *tuned, type);
    if (problem.empty()) {
      const auto local = static_cast<std::size_t>(value_of(tuned->parameters, "LOCAL"));
      return {{local == 0 ? Rule::driver : Rule::fixed, local}, "tuned", {}};
    }
  }
  if (policy.rule == Rule::automatic) return {{Rule::lcm, 0}, "lcm", problem};
  throw UsageError(
      "no work-group size is tuned for n = " + std::to_string(n) + " on " + context.profile().name +
      (problem.empty() ? "; run clgauss-tune auto, or use --local lcm" : ": " + problem));
}

/// What the policy says for gauss_fwd, the kernel whose work-group size the paper varies.
WorkGroupReport report_work_group(Context& context, Launcher& launcher,
                                  const ResolvedPolicy& resolved, RealType type) {
  const Kernel fwd = forward_kernel(context, type);
  WorkGroupReport report;
  report.rule = resolved.name;
  report.size = launcher.local_size_for(fwd);
  if (resolved.policy.rule == WorkGroupPolicy::Rule::lcm) {
    const LcmRule rule = launcher.rule_for(fwd);
    report.raw = rule.raw;
    report.reason = resolved.passed_over.empty()
                        ? rule.reason
                        : resolved.passed_over + ", it is passed over; " + rule.reason;
  }
  report.main_launches = launcher.main_launches();
  report.remainder_launches = launcher.remainder_launches();
  return report;
}

}  // namespace

std::string_view solve_status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::ok:
      return "ok";
    case SolveStatus::singular:
      return "singular";
    case SolveStatus::overflow:
      return "overflow";
    case SolveStatus::inaccurate:
      break;
  }
  return "inaccurate";
}

std::string_view method_name(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::lu:
      return "lu";
    case Method::gauss:
      break;
  }
  return "gauss";
}

std::string_view pivoting_name(Pivoting pivoting) {
  switch (pivoting) {
    case Pivoting::none:
      return "none";
    case Pivoting::partial:
      return "partial";
    case Pivoting::tournament:
      break;
  }
  return "tournament";
}

RealType choose_type(const DeviceProfile& device, std::optional<RealType> wanted) {
  if (wanted == RealType::f64 && !device.fp64)
    throw DeviceLimit(device.name +
                      " has no fp64 (cl_khr_fp64); use --type f32 or another --device");
  return wanted.value_or(device.fp64 ? RealType::f64 : RealType::f32);
}

Determinant determinant_of(const EliminationResult& result) {
  Determinant determinant{result.row_exchanges % 2 == 0 ? 1 : -1,
                          static_cast<double>(result.exponent) * std::log10(2.0)};
  for (const double pivot : result.pivots) {
    if (pivot == 0) return {0, -std::numeric_limits<double>::infinity()};
    if (pivot < 0) determinant.sign = -determinant.sign;
    determinant.log10_abs += std::log10(std::abs(pivot));
  }
  return determinant;
}

namespace {

/// The method to use; throws UsageError for a combination that no method offers.
Method choose_method(const SolveOptions& options) {
  if (options.method == Method::automatic)
    return options.pivoting == Pivoting::none ? Method::gauss : Method::lu;
  if (options.method == Method::gauss && options.pivoting == Pivoting::tournament)
    throw UsageError("tournament pivoting belongs to LU; use --method lu, or --pivot partial");
  return options.method;
}

EliminationResult run_gauss(Context& context, const System& system,
                            const SolveOptions& options, const ProgressCallback& progress,
                            Solution& solution) {
  const ResolvedPolicy resolved = resolve(context, options.policy, solution.type, system.a.rows());
  require_gauss_kernels(context, solution.type, resolved.policy);
  Launcher launcher(context.profile(), context.queue(), resolved.policy, options.split);
  EliminationResult result = gauss_solve(
      context, launcher, system, {solution.type, options.pivoting, options.ndrange}, progress);
  solution.pivoting = options.pivoting;
  solution.work_group = report_work_group(context, launcher, resolved, solution.type);
  solution.launches = launcher.records();
  return result;
}

LuOptions lu_options(const SolveOptions& options) {
  LuOptions lu = options.lu;
  lu.pivoting = options.pivoting;
  return lu;
}

/// What the pivots and x say; whether x is accurate is for judge().
SolveStatus outcome_of(const EliminationResult& result) {
  if (!result.failed_column) {
    const Index bad =
        find_first(result.x.values(), [](double value) { return !std::isfinite(value); });
    return result.finite_input && bad < result.x.values().size() ? SolveStatus::overflow
                                                                 : SolveStatus::ok;
  }
  const bool out_of_range =
      result.pivots[*result.failed_column] == 0 ? result.may_underflow : result.finite_input;
  return out_of_range ? SolveStatus::overflow : SolveStatus::singular;
}

/// Fills in what the elimination left; without an answer that is all.
void conclude(Solution& solution, const EliminationResult& result) {
  solution.repeated = result.repeated;
  solution.times = result.times;
  solution.determinant = determinant_of(result);
  solution.failed_column = result.failed_column;
  solution.status = outcome_of(result);
  if (!result.failed_column) return;
  solution.failed_pivot = result.pivots[*result.failed_column];
  if (solution.status == SolveStatus::overflow)
    solution.determinant = {0, std::numeric_limits<double>::quiet_NaN()};
}

void judge(Solution& solution, const System& system, Matrix x, double bound) {
  solution.residual = compute_residual(system, x, unit_roundoff(solution.type));
  solution.x = std::move(x);
  const bool accurate = solution.residual.scaled <= bound;  // false for NaN
  solution.status = accurate ? SolveStatus::ok : SolveStatus::inaccurate;
}

}  // namespace

Solution solve(Context& context, const System& system, const SolveOptions& options,
               const ProgressCallback& progress) {
  LapTimer timer;
  Solution solution;
  solution.method = choose_method(options);
  solution.type = choose_type(context.profile(), options.type);
  EliminationResult result;
  if (solution.method == Method::lu) {
    try {
      result = lu_solve_system(context, system, solution.type, lu_options(options), progress);
      solution.pivoting = result.pivoting;
    } catch (const NoUsableKernel&) {
      // The elimination asks less of a device; that it took over is seen from the method.
      if (options.method != Method::automatic || options.pivoting != Pivoting::partial) throw;
      solution.method = Method::gauss;
    }
  }
  if (solution.method == Method::gauss)
    result = run_gauss(context, system, options, progress, solution);
  conclude(solution, result);
  solution.times.build += timer.lap() - result.times.sum();
  if (has_answer(solution.status))
    judge(solution, system, std::move(result.x), options.max_scaled_residual);
  solution.times.check = timer.lap();
  return solution;
}

Solution solve_in_place(Context& context, System system, const ReadMatrix& read_again,
                        const SolveOptions& options, const ProgressCallback& progress) {
  LapTimer timer;
  Solution solution;
  if (choose_method(options) != Method::lu)
    throw UsageError("solving in place belongs to LU: use --method lu");
  solution.type = choose_type(context.profile(), options.type);
  EliminationResult result =
      lu_solve_in_place(context, system, solution.type, read_again, lu_options(options), progress);
  solution.pivoting = result.pivoting;
  conclude(solution, result);
  solution.times.build += timer.lap() - result.times.sum();
  if (!has_answer(solution.status)) return solution;
  system.a = read_again();
  judge(solution, system, std::move(result.x), options.max_scaled_residual);
  solution.times.check = timer.lap();
  return solution;
}

}  // namespace clgauss
