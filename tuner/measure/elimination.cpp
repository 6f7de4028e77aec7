#include "tuner/measure/elimination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/error.hpp>
#include <cmath>

#include "clock.hpp"

namespace clgauss::tune {

namespace {

/// A repetition shorter than this is made longer by going over its steps again, so that the latency of the wait at its end (10 to
/// 20 us on an H200, where a step of n = 1000 takes 13) does not count.
constexpr double kShortest = 5e-3;
constexpr std::size_t kMostPasses = 32;

std::vector<std::size_t> spaced_steps(std::size_t all, std::size_t wanted) {
  const std::size_t count = wanted == 0 ? all : std::min(all, wanted);
  std::vector<std::size_t> steps;
  for (std::size_t s = 0; s < count; ++s) steps.push_back((2 * s + 1) * all / (2 * count));
  return steps;
}

std::string options_of(const Kernel& kernel) {
  const auto program = kernel.handle.getInfo<CL_KERNEL_PROGRAM>();
  const auto device = program.getInfo<CL_PROGRAM_DEVICES>().front();
  return program.getBuildInfo<CL_PROGRAM_BUILD_OPTIONS>(device);
}

/// A size that every device takes, for the kernels that are not measured.
std::size_t helper_group(const DeviceProfile& device) {
  return std::min<std::size_t>(device.max_work_group_size, 64);
}

}  // namespace

struct EliminationBench::Contender {
  EliminationResultOf result;
  std::size_t passes = 1;
};

EliminationBench::EliminationBench(Context& context, Index n,
                                   const EliminationOptions& options)
    : context_(context), options_(options), n_(n) {
  if (n < 2) throw UsageError("an elimination needs n of at least 2");
  steps_ = spaced_steps(all_steps(), options.steps);
  const Defines defines = real_defines(options.type);
  ProgramStore& programs = context.programs();
  forward_ = programs.kernel("gauss.cl", "gauss_fwd", defines);
  fill_ = programs.kernel("laboratory.cl", "lab_fill", defines);
  check_ = programs.kernel("laboratory.cl", "lab_check", defines);
  matrix_ =
      context.allocate(n * (n + 1) * bytes_of(options.type),
                       fmt::format("the {} system of n = {}", real_type_name(options.type), n));
  mismatches_ = context.allocate(sizeof(cl_uint), "a counter");
}

void EliminationBench::fill(bool for_timing) {
  const double scale = for_timing ? 0.25 / static_cast<double>(n_) : 1;
  fill_.set_arguments(matrix_, cl_ulong{n_ + 1});
  if (options_.type == RealType::f64)
    fill_.set_arguments_from(2, cl_double{scale});
  else
    fill_.set_arguments_from(2, static_cast<cl_float>(scale));
  fill_.set_arguments_from(3, cl_int{for_timing});
  Launcher launcher(context_.profile(), context_.queue(),
                    {WorkGroupPolicy::Rule::fixed, helper_group(context_.profile())},
                    SplitMode::automatic);
  launcher.launch(fill_, range_2d({n_ + 1, n_}));
}

void EliminationBench::run_steps(Launcher& launcher, std::span<const std::size_t> steps) {
  const bool fixed = options_.ndrange == NdRangeMode::fixed;
  forward_.set_arguments(matrix_, cl_ulong{n_ + 1}, cl_ulong{0});
  for (const std::size_t k : steps) {
    forward_.handle.setArg(2, cl_ulong{k});
    launcher.launch(
        forward_, fixed ? range_2d({n_ + 1, n_}) : range_2d({n_ - k, n_ - k - 1}, {k + 1, k + 1}));
  }
}

/// Checks three steps, and learns from them how long a repetition will take.
void EliminationBench::prepare(Contender& contender) {
  const cl::CommandQueue& queue = context_.queue();
  Launcher launcher(context_.profile(), queue, contender.result.policy, SplitMode::automatic);
  contender.result.local = launcher.local_size_for(forward_);
  const std::vector<std::size_t> checked{0, (n_ - 1) / 2, n_ - 2};

  fill(false);
  queue.enqueueFillBuffer(mismatches_, cl_uint{0}, 0, sizeof(cl_uint));
  queue.finish();
  const auto start = std::chrono::steady_clock::now();
  run_steps(launcher, checked);
  queue.finish();
  const double step_s = seconds_since(start) / static_cast<double>(checked.size());

  check_.set_arguments(matrix_, cl_ulong{n_ + 1}, cl_ulong{checked[0]}, cl_ulong{checked[1]},
                       cl_ulong{checked[2]}, mismatches_);
  Launcher helper(context_.profile(), queue,
                  {WorkGroupPolicy::Rule::fixed, helper_group(context_.profile())},
                  SplitMode::automatic);
  helper.launch(check_, range_2d({n_ + 1, n_}));
  cl_uint mismatches = 0;
  queue.enqueueReadBuffer(mismatches_, CL_TRUE, 0, sizeof mismatches, &mismatches);

  Outcome& outcome = contender.result.outcome;
  const double repetition_s = step_s * static_cast<double>(timed_steps());
  if (mismatches != 0) {
    outcome = {
        Status::wrong_result,
        fmt::format("{} of {} elements are wrong after three steps", mismatches, n_ * (n_ + 1)),
        {}};
  } else if (!(repetition_s <= options_.timeout_s)) {
    outcome = {
        Status::timeout, fmt::format("a repetition would take about {:.3g} s", repetition_s), {}};
  }
}

void EliminationBench::time_once(Contender& contender, bool keep) {
  fill(true);
  context_.queue().finish();
  Launcher launcher(context_.profile(), context_.queue(), contender.result.policy,
                    SplitMode::automatic);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t pass = 0; pass < contender.passes; ++pass) run_steps(launcher, steps_);
  context_.queue().finish();
  contender.result.main_launches = launcher.main_launches() / contender.passes;
  contender.result.remainder_launches = launcher.remainder_launches() / contender.passes;
  const double pass_s = seconds_since(start) / static_cast<double>(contender.passes);
  if (keep) {
    const double scale = static_cast<double>(all_steps()) / static_cast<double>(timed_steps());
    contender.result.outcome.times_ns.push_back(1e9 * pass_s * scale);
  } else if (estimated()) {
    contender.passes = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::ceil(kShortest / pass_s)), 1, kMostPasses);
  }
}

std::vector<EliminationResultOf> EliminationBench::measure(
    std::span<const WorkGroupPolicy> policies, const std::function<void()>& between) {
  std::vector<Contender> contenders(policies.size());
  const auto attempt = [&](Contender& contender, const auto& action) {
    if (contender.result.outcome.status != Status::ok) return;
    if (between) between();
    const Outcome failure = guarded([&] {
      action();
      return contender.result.outcome;
    });
    if (failure.status != Status::ok) contender.result.outcome = failure;
  };
  for (std::size_t i = 0; i < policies.size(); ++i) {
    contenders[i].result.policy = policies[i];
    contenders[i].result.build_options = options_of(forward_);
    attempt(contenders[i], [&] { prepare(contenders[i]); });
  }
  for (std::size_t round = 0; round < options_.warmups + options_.repetitions; ++round)
    for (Contender& contender : contenders)
      attempt(contender, [&] { time_once(contender, round >= options_.warmups); });

  std::vector<EliminationResultOf> results;
  for (Contender& contender : contenders) results.push_back(std::move(contender.result));
  return results;
}

}  // namespace clgauss::tune
