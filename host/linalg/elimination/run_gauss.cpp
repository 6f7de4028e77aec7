#include "linalg/elimination/run_gauss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/lab/tuned.hpp>

namespace clgauss {

namespace {

/// A work-group policy, resolved with the tuned values.
struct ResolvedPolicy {
  WorkGroupPolicy policy;
  std::string name;
  SplitMode split = SplitMode::automatic;
  std::string passed_over;  // why the tuned size was rejected
};

Kernel forward_kernel(Context& context, RealType type) {
  return context.programs().kernel("gauss.cl", "gauss_fwd", real_defines(type));
}

std::size_t limit_of(const DeviceProfile& device, const Kernel& kernel) {
  return std::min(
      {device.max_work_group_size, device.max_work_item_sizes[0], kernel.work_group_limit});
}

/// Why the tuned work-group size cannot be used; empty if it can.
std::string problem_of(Context& context, const TunedEntry& tuned, RealType type) {
  const auto local = std::ranges::find(tuned.parameters, "LOCAL", &Parameters::value_type::first);
  if (local == tuned.parameters.end())
    return fmt::format("the tuned entry for n = {} gives no LOCAL", tuned.n);
  const std::size_t limit = limit_of(context.profile(), forward_kernel(context, type));
  if (local->second < 0 || static_cast<std::size_t>(local->second) > limit)
    return fmt::format("the tuned LOCAL for n = {} does not lie in 0 .. {}", tuned.n, limit);
  const SplitMode split = tuned_split(tuned);
  constexpr SplitMode known[] = {SplitMode::padded, SplitMode::exact, SplitMode::round_up,
                                 SplitMode::tall};
  if (std::ranges::find(known, split) == std::end(known))
    return fmt::format("the tuned SPLIT for n = {} is {}, no way that a solve launches", tuned.n,
                       static_cast<int>(split));
  return {};
}

/// Throws UsageError if a tuned size is required but missing.
ResolvedPolicy resolve(Context& context, const SolveOptions& options, RealType type, Index n) {
  using Rule = WorkGroupPolicy::Rule;
  const WorkGroupPolicy& policy = options.policy;
  if (policy.rule != Rule::automatic && policy.rule != Rule::tuned)
    return {policy, work_group_policy_name(policy), options.split, {}};
  std::string problem = context.tuning().problem();
  if (const TunedEntry* tuned = context.tuning().find(kTunedElimination, type, n)) {
    problem = problem_of(context, *tuned, type);
    if (problem.empty()) {
      const auto local = static_cast<std::size_t>(value_of(tuned->parameters, "LOCAL"));
      return {{local == 0 ? Rule::driver : Rule::fixed, local},
              "tuned",
              options.split == SplitMode::automatic ? tuned_split(*tuned) : options.split,
              {}};
    }
  }
  if (policy.rule == Rule::tuned)
    throw UsageError(
        "no work-group size is tuned for n = " + std::to_string(n) + " on " +
        context.profile().name +
        (problem.empty() ? "; run clgauss-tune auto, or take --local fit" : ": " + problem));
  if (options.ndrange == NdRangeMode::fixed) return {{Rule::fit, 0}, "fit", options.split, problem};
  // A size that divides the first step's range need not divide the others.
  const std::size_t limit = limit_of(context.profile(), forward_kernel(context, type));
  return {{Rule::fixed, std::min(limit, kUnknownDeviceWorkGroup)},
          "fit",
          options.split == SplitMode::automatic ? SplitMode::round_up : options.split,
          problem};
}

/// The policy's work-group size for gauss_fwd, the kernel whose size Baranov and Vlatskaya (2013)
/// vary.
WorkGroupReport report_work_group(Context& context, Launcher& launcher,
                                  const ResolvedPolicy& resolved, RealType type) {
  const Kernel fwd = forward_kernel(context, type);
  WorkGroupReport report;
  report.rule = resolved.name;
  report.split = split_mode_name(launcher.split());
  report.size = launcher.local_size_for(fwd);
  if (resolved.policy.rule == WorkGroupPolicy::Rule::lcm) {
    const LcmRule rule = launcher.rule_for(fwd);
    report.raw = rule.raw;
    report.reason = rule.reason;
  } else if (!resolved.passed_over.empty()) {
    report.reason = resolved.passed_over + ", it is skipped";
  }
  report.main_launches = launcher.main_launches();
  report.remainder_launches = launcher.remainder_launches();
  return report;
}

}  // namespace

EliminationResult run_gauss(Context& context, const System& system, RealType type,
                            const SolveOptions& options, const ProgressCallback& progress,
                            Solution& solution) {
  const ResolvedPolicy resolved = resolve(context, options, type, system.a.rows());
  const std::size_t longest = system.a.rows() + system.b.cols();
  require_gauss_kernels(context, type, resolved.policy, longest);
  Launcher launcher(context.profile(), context.queue(), resolved.policy, resolved.split, longest);
  EliminationResult result =
      gauss_solve(context, launcher, system, {type, options.pivoting, options.ndrange}, progress);
  solution.work_group = report_work_group(context, launcher, resolved, type);
  solution.launches = launcher.records();
  result.pivoting = options.pivoting;
  return result;
}

}  // namespace clgauss
