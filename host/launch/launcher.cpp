#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

cl::NDRange to_cl(unsigned dims, const std::array<std::size_t, 2>& extent) {
  return dims == 1 ? cl::NDRange(extent[0]) : cl::NDRange(extent[0], extent[1]);
}

/// The split mode that `automatic` stands for under this policy.
SplitMode split_of(const WorkGroupPolicy& policy, SplitMode split) {
  if (split != SplitMode::automatic) return split;
  return policy.rule == WorkGroupPolicy::Rule::fit ? SplitMode::round_up : SplitMode::padded;
}

/// Work-items of a group under Rule::fit on devices other than CPUs.
constexpr std::size_t kMostFitting = 512;

bool queue_has_profiling(const cl::CommandQueue& queue) {
  return (queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0;
}

}  // namespace

Launcher::Launcher(const DeviceProfile& device, const cl::CommandQueue& queue,
                   WorkGroupPolicy policy, SplitMode split, std::size_t longest) try
    : device_(device),
      queue_(queue),
      policy_(policy),
      split_(split_of(policy, split)),
      longest_(longest),
      profiling_(queue_has_profiling(queue_)) {
  if (policy.rule == WorkGroupPolicy::Rule::automatic ||
      policy.rule == WorkGroupPolicy::Rule::tuned)
    throw UsageError("a launcher needs a work-group size or a rule that gives one, not '" +
                     work_group_policy_name(policy) + "'");
} catch (const cl::Error& error) {
  throw_opencl_error(error.what(), error.err());
}

LcmRule Launcher::rule_for(const Kernel& kernel) const {
  return lcm_rule({device_.total_cores(), device_.compute_units, kernel.preferred_multiple,
                   kernel.work_group_limit});
}

std::size_t Launcher::local_size_for(const Kernel& kernel) const {
  if (policy_.rule == WorkGroupPolicy::Rule::lcm)
    return std::min(rule_for(kernel).clamped, longest_);
  if (policy_.rule == WorkGroupPolicy::Rule::fit)
    return fitting_size(longest_,
                        device_.type == DeviceType::cpu ? limit_of(kernel)
                                                        : std::min(limit_of(kernel), kMostFitting),
                        kernel.preferred_multiple);
  if (policy_.rule != WorkGroupPolicy::Rule::fixed) return 0;
  check_limits(kernel, policy_.size);
  return std::min(policy_.size, longest_);
}

std::size_t Launcher::limit_of(const Kernel& kernel) const {
  return std::min(
      {device_.max_work_group_size, device_.max_work_item_sizes[0], kernel.work_group_limit});
}

void Launcher::check_limits(const Kernel& kernel, std::size_t local) const {
  const auto refuse = [&](const char* limit, std::size_t value) {
    throw DeviceLimit(
        fmt::format("{}: work-group size {} is above {} = {} on {}; choose a smaller one",
                    kernel.name, local, limit, value, device_.name));
  };
  if (local > device_.max_work_group_size)
    refuse("CL_DEVICE_MAX_WORK_GROUP_SIZE", device_.max_work_group_size);
  if (local > device_.max_work_item_sizes[0])
    refuse("CL_DEVICE_MAX_WORK_ITEM_SIZES[0]", device_.max_work_item_sizes[0]);
  if (local > kernel.work_group_limit) refuse("CL_KERNEL_WORK_GROUP_SIZE", kernel.work_group_limit);
}

void Launcher::launch_tall(const Kernel& kernel, const NdRange& range, std::size_t local) {
  const std::size_t rows = largest_divisor(range.size[1], local);
  if (rows > device_.max_work_item_sizes[1])
    throw DeviceLimit(
        fmt::format("{}: groups of {} rows are above CL_DEVICE_MAX_WORK_ITEM_SIZES[1] = {} on {}",
                    kernel.name, rows, device_.max_work_item_sizes[1], device_.name));
  enqueue(kernel, range, {1, rows}, false);
}

void Launcher::launch_rounded_up(const Kernel& kernel, NdRange range, std::size_t local) {
  range.size[0] = (range.size[0] + local - 1) / local * local;
  enqueue(kernel, range, {local, 1}, false);
}

void Launcher::launch(const Kernel& kernel, const NdRange& range) {
  if (range.size[0] == 0 || range.size[1] == 0) return;
  const std::size_t local = local_size_for(kernel);
  if (local == 0) return enqueue(kernel, range, {0, 0}, false);
  check_limits(kernel, local);
  if (split_ == SplitMode::tall && range.size[1] > 1) return launch_tall(kernel, range, local);
  if (split_ == SplitMode::round_up || split_ == SplitMode::tall)
    return launch_rounded_up(kernel, range, local);
  if (split_ == SplitMode::non_uniform) return enqueue(kernel, range, {local, 1}, false);
  const Split split = split_range(range.size[0], local);
  if (split_ == SplitMode::off && split.remainder != 0)
    throw DeviceLimit(
        fmt::format("{}: work-group size {} does not divide the range of {} work-items; use "
                    "split it, or choose a size that divides it",
                    kernel.name, local, range.size[0]));
  if (split.main > 0) {
    NdRange main = range;
    main.size[0] = split.main;
    enqueue(kernel, main, {local, 1}, false);
  }
  if (split.remainder > 0) {
    const bool exact = split_ == SplitMode::exact;
    NdRange rest = range;
    rest.size[0] = exact ? split.remainder : local;
    rest.offset[0] += split.main;
    enqueue(kernel, rest, {exact ? 0 : local, 1}, true);
  }
}

void Launcher::launch_group(const Kernel& kernel, std::size_t local) {
  check_limits(kernel, local);
  enqueue(kernel, range_1d(local), {local, 1}, false);
}

void Launcher::enqueue(const Kernel& kernel, const NdRange& range, std::array<std::size_t, 2> local,
                       bool remainder) {
  const cl::NDRange local_range = local[0] == 0 ? cl::NullRange : to_cl(range.dims, local);
  cl::Event event;
  translate_opencl_errors([&] {
    enqueue_kernel(queue_, kernel, to_cl(range.dims, range.size), local_range,
                   to_cl(range.dims, range.offset), profiling_ ? &event : nullptr);
  });
  records_.push_back(
      {kernel.name, range, local[0], local[0] == 0 ? 1 : local[1], remainder, std::nullopt});
  if (profiling_) events_.push_back(std::move(event));
  if (!remainder) ++main_launches_;
}

const std::vector<LaunchRecord>& Launcher::records() {
  translate_opencl_errors([&] {
    for (std::size_t i = 0; i < events_.size(); ++i)
      records_[i].time_ns = events_[i].getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                            events_[i].getProfilingInfo<CL_PROFILING_COMMAND_START>();
  });
  return records_;
}

}  // namespace clgauss
