#include "tuner/measure/elimination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/error.hpp>
#include <limits>
#include <tuple>

#include "clock.hpp"
#include "kernels/common/variants.hpp"
#include "opencl_error.hpp"
#include "tuner/measure/driver_choice.hpp"
#include "tuner/measure/estimate.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

namespace {

/// A repetition shorter than this is made longer by going over its steps again, so that the latency
/// of the wait at its end (10 to 20 us on an H200, where a step of n = 1000 takes 13) does not
/// count.
constexpr double kShortestPass = 5e-3;
constexpr std::size_t kMostPassesOfStep = 32;

constexpr const char* kFile = "gauss.cl";

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

WorkGroupPolicy fixed_policy(std::size_t size) { return {WorkGroupPolicy::Rule::fixed, size}; }

/// A choice, as it is launched over `columns`: where its groups divide them, there is no remainder
/// to be launched in one way or another.
SplitMode effective_split(SplitMode split, std::size_t group, std::size_t columns) {
  const bool about_remainder =
      split == SplitMode::padded || split == SplitMode::exact || split == SplitMode::round_up;
  return about_remainder && (group == 0 || columns % group == 0) ? SplitMode::padded : split;
}

/// The kernel built by the version of OpenCL C that allows groups which do not divide the range.
/// Throws DeviceLimit where the device has no such version.
Kernel non_uniform_kernel(Context& context, const std::string& name, const Defines& defines) {
  const auto device = context.queue().getInfo<CL_QUEUE_DEVICE>();
  const std::string version = device.getInfo<CL_DEVICE_VERSION>();
  const bool second = version.starts_with("OpenCL 2.");
  cl_bool supported = second ? CL_TRUE : CL_FALSE;
  if (version.starts_with("OpenCL 3."))
    clGetDeviceInfo(device(), CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof supported,
                    &supported, nullptr);
  if (supported == CL_FALSE)
    throw DeviceLimit(fmt::format("{} has no non-uniform work-groups", context.profile().name));
  std::string options = second ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
  for (const auto& [macro, value] : defines) options += fmt::format(" -D{}={}", macro, value);
  Kernel kernel;
  translate_opencl_errors([&] {
    cl::Program program(context.queue().getInfo<CL_QUEUE_CONTEXT>(),
                        kernel_source(kFile, context.programs().kernel_folder()));
    program.build(device, options.c_str());
    kernel.handle = cl::Kernel(program, name.c_str());
    kernel.name = name;
    kernel.work_group_limit = kernel.handle.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
    kernel.preferred_multiple =
        kernel.handle.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device);
  });
  return kernel;
}

}  // namespace

double EliminationResults::floor() const {
  if (!control) return 0;
  for (const EliminationResultOf& result : choices)
    if (result.group == control->group && result.choice.split == control->choice.split &&
        result.choice.work == control->choice.work &&
        result.choice.policy.rule == control->choice.policy.rule)
      return noise_floor(result.outcome.times_ns, control->outcome.times_ns);
  return 0;
}

const std::vector<std::string>& elimination_kernels() {
  static const std::vector<std::string> names{
      "gauss_fwd",   "gauss_fwd_pre", "gauss_bwd_prepare",     "gauss_bwd",
      "gauss_pivot", "gauss_swap",    std::string(kWholeSolve)};
  return names;
}

double elimination_work(std::string_view kernel, Index n) {
  const auto size = static_cast<double>(n);
  const double half = (size - 1) * size / 2;  // the sum of j, j = 1 .. n - 1
  if (kernel == "gauss_fwd")                  // j (j + 1) elements a step
    return 2 * ((size - 1) * size * (2 * size - 1) / 6 + half);
  if (kernel == "gauss_bwd") return 2 * half;
  if (kernel == kWholeSolve)
    return elimination_work("gauss_fwd", n) + elimination_work("gauss_bwd", n) + half + size - 1;
  return kernel == "gauss_bwd_prepare" ? size - 1 : half;
}

struct EliminationBench::Contender {
  EliminationResultOf result;
  std::size_t passes = 1;

  [[nodiscard]] bool ok() const { return result.outcome.status == Status::ok; }
  [[nodiscard]] bool works() const { return result.choice.work == LaunchWork::kernel; }
  /// What tells launches over `columns` apart.
  [[nodiscard]] auto launch(std::size_t columns) const {
    const LaunchChoice& choice = result.choice;
    return std::tuple(choice.policy.rule == WorkGroupPolicy::Rule::driver, result.group,
                      effective_split(choice.split, result.group, columns), choice.work);
  }
};

EliminationBench::EliminationBench(Context& context, Index n, const EliminationOptions& options)
    : context_(context),
      options_(options),
      n_(n),
      profiling_queue_(context.context(), context.queue().getInfo<CL_QUEUE_DEVICE>(),
                       CL_QUEUE_PROFILING_ENABLE),
      sensors_(context),
      random_(static_cast<unsigned>(n)) {
  if (n < 2) throw UsageError("an elimination needs n of at least 2");
  if (std::ranges::find(elimination_kernels(), options.kernel) == elimination_kernels().end())
    throw UsageError(fmt::format("gauss.cl has no kernel {}", options.kernel));
  steps_ = spaced_steps(all_steps(), options.steps);
  const Defines defines = real_defines(options.type);
  ProgramStore& programs = context.programs();
  const bool whole = options.kernel == kWholeSolve;
  kernel_ = programs.kernel(kFile, whole ? "gauss_fwd" : options.kernel, defines);
  if (whole) {
    divide_ = programs.kernel(kFile, "gauss_fwd_pre", defines);
    prepare_ = programs.kernel(kFile, "gauss_bwd_prepare", defines);
    substitute_ = programs.kernel(kFile, "gauss_bwd", defines);
  }
  empty_ = programs.kernel("laboratory.cl", "lab_empty", defines);
  fill_ = programs.kernel("laboratory.cl", "lab_fill", defines);
  check_ = programs.kernel("laboratory.cl", "lab_check", defines);
  const std::string what = fmt::format("the {} system of n = {}", real_type_name(options.type), n);
  matrix_ = context.allocate(n * (n + 1) * bytes_of(options.type), what);
  x_ = context.allocate(n * bytes_of(options.type), what);
  pivots_ = context.allocate(n * sizeof(cl_ulong), what);
  mismatches_ = context.allocate(sizeof(cl_uint), "a counter");
  std::vector<cl_ulong> last(n, n - 1);  // every row is exchanged with the last
  context.queue().enqueueWriteBuffer(pivots_, CL_TRUE, 0, n * sizeof(cl_ulong), last.data());
  context.queue().enqueueFillBuffer(x_, cl_uchar{0}, 0, n * bytes_of(options.type));
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
                    fixed_policy(helper_group(context_.profile())), SplitMode::automatic);
  launcher.launch(fill_, range_2d({n_ + 1, n_}));
}

EliminationBench::Launchers EliminationBench::launchers_of(const LaunchChoice& choice,
                                                           const cl::CommandQueue& queue) const {
  return {{context_.profile(), queue, choice.policy, choice.split, n_ + 1},
          {context_.profile(), queue, {WorkGroupPolicy::Rule::driver, 0}, SplitMode::automatic}};
}

Kernel& EliminationBench::kernel_of(const LaunchChoice& choice) {
  if (choice.work != LaunchWork::kernel) return empty_;
  if (choice.split != SplitMode::non_uniform) return kernel_;
  if (!non_uniform_)
    non_uniform_ = non_uniform_kernel(context_, kernel_.name, real_defines(options_.type));
  return *non_uniform_;
}

NdRange EliminationBench::forward_range(std::size_t step) const {
  if (options_.ndrange == NdRangeMode::fixed) return range_2d({n_ + 1, n_});
  return range_2d({n_ - step, n_ - step - 1}, {step + 1, step + 1});
}

void EliminationBench::run_steps(Launchers& launchers, Kernel& kernel, LaunchWork work,
                                 std::span<const std::size_t> steps) {
  const bool fixed = options_.ndrange == NdRangeMode::fixed;
  Launcher& launcher = launchers.sized;
  const cl_ulong ld{n_ + 1}, n{n_}, one{1};
  const auto over = [&](const auto& set_step, const auto& range) {
    for (const std::size_t k : steps) {
      set_step(cl_ulong{k});
      launcher.launch(kernel, range(k));
    }
  };
  const std::string& name = options_.kernel;
  if (work != LaunchWork::kernel) {
    kernel.set_arguments(matrix_);
    over([](cl_ulong) {},
         [&](Index k) { return work == LaunchWork::nothing ? forward_range(k) : range_1d(1); });
  } else if (name == kWholeSolve) {
    run_solve(launchers, kernel, steps);
  } else if (name == "gauss_fwd") {
    kernel.set_arguments(matrix_, ld, cl_ulong{0});
    over([&](cl_ulong k) { kernel.set_arguments_from(2, k); },
         [&](Index k) { return forward_range(k); });
  } else if (name == "gauss_fwd_pre") {
    kernel.set_arguments(matrix_, ld, cl_ulong{0}, n);
    over([&](cl_ulong k) { kernel.set_arguments_from(2, k); },
         [&](Index k) { return fixed ? range_1d(n_) : range_1d(n_ - k - 1, k + 1); });
  } else if (name == "gauss_swap") {
    kernel.set_arguments(matrix_, ld, cl_ulong{0}, pivots_);
    over([&](cl_ulong k) { kernel.set_arguments_from(2, k); },
         [&](Index k) { return fixed ? range_1d(n_ + 1) : range_1d(n_ + 1 - k, k); });
  } else if (name == "gauss_bwd_prepare") {
    kernel.set_arguments(matrix_, ld, n, cl_ulong{0}, x_, one);
    over([&](cl_ulong k) { kernel.set_arguments_from(3, k); }, [](Index) { return range_1d(1); });
  } else if (name == "gauss_bwd") {
    kernel.set_arguments(matrix_, ld, n, cl_ulong{0}, x_, one);
    over([&](cl_ulong k) { kernel.set_arguments_from(3, k); },
         [&](Index k) {
           return range_2d({fixed ? n_ : k + 1, 1});
         });
  } else {  // gauss_pivot: one group
    const std::size_t local = launcher.local_size_for(kernel);
    if (local == 0) throw DeviceLimit("gauss_pivot is one group: the driver has no choice");
    kernel.set_arguments(matrix_, ld, n, cl_ulong{0}, pivots_,
                         cl::Local(local * bytes_of(options_.type)),
                         cl::Local(local * sizeof(cl_ulong)));
    for (const std::size_t k : steps) {
      kernel.set_arguments_from(3, cl_ulong{k});
      launcher.launch_group(kernel, local);
    }
  }
}

/// The steps forward, then the same steps backward.
void EliminationBench::run_solve(Launchers& launchers, Kernel& forward,
                                 std::span<const std::size_t> steps) {
  const bool fixed = options_.ndrange == NdRangeMode::fixed;
  const cl_ulong ld{n_ + 1}, n{n_}, one{1};
  divide_->set_arguments(matrix_, ld, cl_ulong{0}, n);
  forward.set_arguments(matrix_, ld, cl_ulong{0});
  prepare_->set_arguments(matrix_, ld, n, cl_ulong{0}, x_, one);
  substitute_->set_arguments(matrix_, ld, n, cl_ulong{0}, x_, one);
  for (const std::size_t k : steps) {
    divide_->set_arguments_from(2, cl_ulong{k});
    launchers.driver.launch(*divide_, fixed ? range_1d(n_) : range_1d(n_ - k - 1, k + 1));
    forward.set_arguments_from(2, cl_ulong{k});
    launchers.sized.launch(forward, forward_range(k));
  }
  for (const std::size_t k : steps) {
    prepare_->set_arguments_from(3, cl_ulong{k});
    launchers.driver.launch(*prepare_, range_1d(1));
    substitute_->set_arguments_from(3, cl_ulong{k});
    launchers.driver.launch(*substitute_, range_1d(fixed ? n_ : k + 1));
  }
}

/// Asks which groups the driver makes of what is left to it. The matrix is filled anew afterwards.
void EliminationBench::note_driver_choice(Contender& contender) {
  EliminationResultOf& result = contender.result;
  const bool forward = options_.kernel == "gauss_fwd" || options_.kernel == kWholeSolve;
  if (!forward || !contender.works()) return;
  NdRange range = forward_range(0);
  if (result.choice.policy.rule != WorkGroupPolicy::Rule::driver) {
    if (result.choice.split != SplitMode::exact) return;
    const Split split = split_range(range.size[0], result.group);
    if (split.remainder == 0) return;
    range.offset[0] += split.main;
    range.size[0] = split.remainder;
  }
  result.chosen = driver_group(context_, options_.type, matrix_, n_ + 1, range);
  kernel_.set_arguments(matrix_, cl_ulong{n_ + 1}, cl_ulong{0});
  result.suggested = suggested_group(context_, kernel_, range);
}

/// Checks three steps, and learns from them how long a repetition will take.
void EliminationBench::prepare(Contender& contender) {
  const cl::CommandQueue& queue = context_.queue();
  Kernel& kernel = kernel_of(contender.result.choice);
  contender.result.build_options = options_of(kernel);
  Launchers launchers = launchers_of(contender.result.choice, queue);
  contender.result.group = launchers.sized.local_size_for(kernel);
  const std::vector<std::size_t> checked{0, (n_ - 1) / 2, n_ - 2};
  const bool forward = options_.kernel == "gauss_fwd" && contender.works();
  if (!forward && contender.works())
    require_gauss_kernels(context_, options_.type, contender.result.choice.policy);
  note_driver_choice(contender);

  fill(false);
  queue.enqueueFillBuffer(mismatches_, cl_uint{0}, 0, sizeof(cl_uint));
  queue.finish();
  const auto start = std::chrono::steady_clock::now();
  run_steps(launchers, kernel, contender.result.choice.work, checked);
  queue.finish();
  const double step_s = seconds_since(start) / static_cast<double>(checked.size());

  cl_uint mismatches = 0;
  if (forward) {
    check_.set_arguments(matrix_, cl_ulong{n_ + 1}, cl_ulong{checked[0]}, cl_ulong{checked[1]},
                         cl_ulong{checked[2]}, mismatches_);
    Launcher helper(context_.profile(), queue, fixed_policy(helper_group(context_.profile())),
                    SplitMode::automatic);
    helper.launch(check_, range_2d({n_ + 1, n_}));
    queue.enqueueReadBuffer(mismatches_, CL_TRUE, 0, sizeof mismatches, &mismatches);
  }

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

/// Round 0 warms up.
void EliminationBench::time_once(Contender& contender, std::size_t round) {
  fill(true);
  context_.queue().finish();
  EliminationResultOf& result = contender.result;
  Launchers launchers = launchers_of(result.choice, context_.queue());
  Kernel& kernel = kernel_of(result.choice);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t pass = 0; pass < contender.passes; ++pass)
    run_steps(launchers, kernel, result.choice.work, steps_);
  context_.queue().finish();
  const double pass_s = seconds_since(start) / static_cast<double>(contender.passes);
  result.main_launches = launchers.sized.main_launches() / contender.passes;
  result.remainder_launches = launchers.sized.remainder_launches() / contender.passes;
  if (round > 0) {
    result.outcome.times_ns.push_back(1e9 * pass_s * scale());
    result.outcome.rounds.push_back(round);
    result.outcome.conditions.push_back(sensors_.read());
  } else if (estimated()) {
    contender.passes = passes_for(pass_s, kShortestPass, kMostPassesOfStep);
  }
}

void EliminationBench::time_on_device(Contender& contender, std::size_t round) {
  fill(true);
  context_.queue().finish();
  EliminationResultOf& result = contender.result;
  Launchers launchers = launchers_of(result.choice, profiling_queue_);
  run_steps(launchers, kernel_of(result.choice), result.choice.work, steps_);
  profiling_queue_.finish();
  double ns = 0;
  for (Launcher* launcher : {&launchers.sized, &launchers.driver})
    for (const LaunchRecord& record : launcher->records())
      ns += static_cast<double>(record.time_ns.value_or(0));
  if (!(ns > 0)) return;  // a driver whose events carry no times
  result.device_outcome.times_ns.push_back(ns * scale());
  result.device_outcome.rounds.push_back(round);
  result.device_outcome.conditions.push_back(sensors_.read());
}

void EliminationBench::attempt(Contender& contender, const std::function<void()>& between,
                               const std::function<void()>& action) {
  if (!contender.ok()) return;
  if (between) between();
  const Outcome failure = guarded([&] {
    action();
    return contender.result.outcome;
  });
  if (failure.status != Status::ok) contender.result.outcome = failure;
}

/// The first that runs and is no size left to the driver, which may be a hundred times as slow as
/// all others, once more.
void EliminationBench::add_control(std::vector<Contender>& contenders) const {
  const auto may = [](const Contender& one) { return one.ok() && one.works(); };
  if (std::ranges::count_if(contenders, may) < 2) return;
  auto twin = std::ranges::find_if(
      contenders, [&](const Contender& one) { return may(one) && one.result.group > 1; });
  if (twin == contenders.end()) twin = std::ranges::find_if(contenders, may);
  contenders.push_back(*twin);
}

EliminationResults EliminationBench::measure(std::span<const LaunchChoice> choices,
                                             const std::function<void()>& between) {
  std::vector<Contender> contenders;
  std::vector<std::size_t> places;  // of each choice among the contenders
  contenders.reserve(choices.size() + 1);
  for (const LaunchChoice& choice : choices) {
    Contender one;
    one.result.choice = choice;
    attempt(one, {}, [&] {
      one.result.group =
          launchers_of(choice, context_.queue()).sized.local_size_for(kernel_of(choice));
    });
    const auto same = std::ranges::find_if(contenders, [&](const Contender& other) {
      return one.ok() && other.ok() && other.launch(n_ + 1) == one.launch(n_ + 1);
    });
    places.push_back(static_cast<std::size_t>(same - contenders.begin()));
    if (same == contenders.end()) contenders.push_back(std::move(one));
  }
  for (Contender& one : contenders) attempt(one, between, [&] { prepare(one); });
  const std::size_t different = contenders.size();
  add_control(contenders);

  const auto round = [&](const auto& time) {
    std::vector<Contender*> turn;
    for (Contender& one : contenders) turn.push_back(&one);
    std::ranges::shuffle(turn, random_);
    for (Contender* one : turn) attempt(*one, between, [&] { time(*one); });
  };
  for (std::size_t r = 0; r < options_.warmups + options_.repetitions; ++r)
    round([&](Contender& one) {
      time_once(one, r < options_.warmups ? 0 : r - options_.warmups + 1);
    });
  for (std::size_t r = 1; r <= options_.device_repetitions; ++r)
    round([&](Contender& one) { time_on_device(one, r); });

  EliminationResults results;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    results.choices.push_back(contenders[places[i]].result);
    results.choices.back().choice = choices[i];
  }
  if (contenders.size() > different) results.control = std::move(contenders.back().result);
  return results;
}

}  // namespace clgauss::tune
