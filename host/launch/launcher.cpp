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

bool queue_has_profiling(const cl::CommandQueue& queue) {
  return (queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_PROFILING_ENABLE) != 0;
}

}  // namespace

Launcher::Launcher(const DeviceProfile& device, const cl::CommandQueue& queue,
                   WorkGroupPolicy policy, SplitMode split, std::size_t longest) try
    : device_(device),
      queue_(queue),
      policy_(policy),
      split_(split),
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
  if (policy_.rule != WorkGroupPolicy::Rule::fixed) return 0;
  check_limits(kernel, policy_.size);
  return std::min(policy_.size, longest_);
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

void Launcher::launch(const Kernel& kernel, const NdRange& range) {
  if (range.size[0] == 0 || range.size[1] == 0) return;
  const std::size_t local = local_size_for(kernel);
  if (local == 0) {
    enqueue(kernel, range, 0, false);
    return;
  }
  check_limits(kernel, local);
  const Split split = split_range(range.size[0], local);
  if (split.remainder != 0 && split_ == SplitMode::round_up) {
    NdRange whole = range;
    whole.size[0] = split.main + local;
    enqueue(kernel, whole, local, false);
    return;
  }
  if (split_ == SplitMode::non_uniform) {
    enqueue(kernel, range, local, false);
    return;
  }
  if (split_ == SplitMode::off && split.remainder != 0)
    throw DeviceLimit(
        fmt::format("{}: work-group size {} does not divide the range of {} work-items; use "
                    "split it, or choose a size that divides it",
                    kernel.name, local, range.size[0]));
  if (split.main > 0) {
    NdRange main = range;
    main.size[0] = split.main;
    enqueue(kernel, main, local, false);
  }
  if (split.remainder > 0) {
    NdRange rest = range;
    rest.size[0] = local;
    rest.offset[0] += split.main;
    enqueue(kernel, rest, local, true);
  }
}

void Launcher::launch_group(const Kernel& kernel, std::size_t local) {
  check_limits(kernel, local);
  enqueue(kernel, range_1d(local), local, false);
}

void Launcher::enqueue(const Kernel& kernel, const NdRange& range, std::size_t local,
                       bool remainder) {
  const cl::NDRange local_range = local == 0 ? cl::NullRange : to_cl(range.dims, {local, 1});
  cl::Event event;
  translate_opencl_errors([&] {
    enqueue_kernel(queue_, kernel, to_cl(range.dims, range.size), local_range,
                   to_cl(range.dims, range.offset), profiling_ ? &event : nullptr);
  });
  records_.push_back({kernel.name, range, local, remainder, std::nullopt});
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
