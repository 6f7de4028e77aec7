#include "tuner/kernel/kernel_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

namespace clgauss::tune {

namespace {

/// What is tried where nothing is said: powers of two up to what the device takes, whole ranges of
/// fewer work-items among them.
std::vector<Expression> powers_of_two(const DeviceProfile& device, std::size_t dimension) {
  std::vector<Expression> sizes;
  const std::size_t most =
      std::min(device.max_work_group_size, device.max_work_item_sizes[dimension]);
  for (std::size_t size = 1; size <= most; size *= 2) sizes.emplace_back(std::to_string(size));
  return sizes;
}

/// A size as a parameter's value: itself, or its text.
Value value_of(const Expression& size) {
  if (!size.names().empty()) return size.text();
  return static_cast<std::int64_t>(size.size({}));
}

/// The sizes of the group that a configuration of all parameters gives.
std::vector<std::size_t> local_of(const KernelTask& task, const KernelSpace& space,
                                  const Configuration& configuration) {
  const auto value = [&](std::string_view name) {
    return std::ranges::find(configuration, name, &std::pair<std::string, Value>::first)->second;
  };
  const Variables variables = variables_of(task, configuration);
  std::vector<std::size_t> local;
  for (std::size_t d = 0; d < space.local.size(); ++d) {
    const std::vector<Expression>& sizes = space.local[d];
    const auto chosen =
        sizes.size() == 1 ? sizes.begin()
                          : std::ranges::find_if(
                                sizes, [&, wanted = value(kLocalNames[d])](const Expression& one) {
                                  return value_of(one) == wanted;
                                });
    local.push_back(chosen->size(variables));
  }
  return local;
}

KernelLaunch launch_of(const KernelTask& task, const KernelSpace& space,
                       const Configuration& configuration) {
  KernelLaunch launch{{}, local_of(task, space, configuration)};
  std::ranges::copy_if(configuration, std::back_inserter(launch.macros), [&](const auto& one) {
    return std::ranges::find(task.parameters, one.first, &Parameter::name) != task.parameters.end();
  });
  return launch;
}

/// Why a launch is left out; a constraint's number, or one of these.
enum : std::size_t { kValid = 1000000, kDevice, kRange, kNoSize };

std::size_t excluded_by(const KernelTask& task, const DeviceProfile& device,
                        const KernelSpace& space, const Configuration& configuration) {
  KernelLaunch launch;
  try {
    launch = launch_of(task, space, configuration);
  } catch (const UsageError&) {
    return kNoSize;
  }
  const Variables variables = variables_of(task, launch);
  for (std::size_t c = 0; c < task.constraints.size(); ++c)
    if (task.constraints[c].value(variables) == 0) return c;
  if (!exceeded_limit(device, launch.local).empty()) return kDevice;
  try {
    static_cast<void>(global_of(task, launch));
  } catch (const DeviceLimit&) {
    return kRange;
  } catch (const UsageError&) {
    return kNoSize;
  }
  return kValid;
}

/// Throws UsageError for a name in a constraint or size that no parameter has.
void require_known_names(const KernelTask& task, const KernelSpace& space) {
  Variables known = task.sizes;
  for (const Parameter& parameter : task.parameters)
    if (parameter.values.front().index() == 0) known[parameter.name] = 1;
  const auto require = [&](const Expression& expression) {
    for (const std::string& name : expression.names())
      if (!known.contains(name)) static_cast<void>(expression.value(known));  // which says it
  };
  for (const auto& sizes : space.local)
    for (const Expression& size : sizes) require(size);
  for (std::size_t d = 0; d < task.dimensions(); ++d) known[kLocalNames[d]] = 1;
  for (const Expression& size : task.global) require(size);
  for (const KernelArgument& argument : task.arguments) require(argument.count);
  for (const Expression& constraint : task.constraints) require(constraint);
  for (const Rate& rate : task.rates) require(rate.amount);
}

}  // namespace

KernelLaunch KernelSpace::launch(const KernelTask& task, std::size_t configuration) const {
  return launch_of(task, *this, space.configuration(configuration));
}

KernelSpace kernel_space(const KernelTask& task, const DeviceProfile& device) {
  if (!task.local.empty() && task.local.size() != task.dimensions())
    throw UsageError(fmt::format("the work-group has {} dimensions, the range {}",
                                 task.local.size(), task.dimensions()));
  KernelSpace result{
      Space({{"none", {std::int64_t{0}}}}, [](const auto&) { return true; }), false, {}};
  std::vector<Parameter> all;
  for (std::size_t d = 0; d < task.dimensions(); ++d) {
    result.local.push_back(task.local.empty() ? powers_of_two(device, d) : task.local[d]);
    Parameter sizes{kLocalNames[d], {}};
    for (const Expression& size : result.local.back()) {
      sizes.values.push_back(value_of(size));
      result.local_is_bound = result.local_is_bound || !size.names().empty();
    }
    if (sizes.values.size() > 1) all.push_back(std::move(sizes));
  }
  for (const Parameter& parameter : task.parameters) {
    if (std::ranges::find(all, parameter.name, &Parameter::name) != all.end())
      throw UsageError(fmt::format("the parameter {} is given twice", parameter.name));
    all.push_back(parameter);
  }
  require_known_names(task, result);
  if (all.empty()) all.push_back({"LOCAL_X", {value_of(result.local.front().front())}});

  std::map<std::size_t, std::size_t> excluded;
  Configuration configuration;
  for (const Parameter& parameter : all) configuration.emplace_back(parameter.name, Value());
  const auto valid = [&](const Space::Point& point) {
    for (std::size_t p = 0; p < point.size(); ++p)
      configuration[p].second = all[p].values[point[p]];
    const std::size_t why = excluded_by(task, device, result, configuration);
    if (why != kValid) ++excluded[why];
    return why == kValid;
  };
  try {
    result.space = Space(all, valid);
  } catch (const UsageError& error) {
    if (excluded.empty()) throw;
    std::string text = "no configuration is valid:";
    for (const auto& [why, count] : excluded)
      text +=
          fmt::format("\n  {} excluded by {}", count,
                      why == kDevice  ? fmt::format("the limits of {}", device.name)
                      : why == kRange ? "a range that the work-group does not divide (--round-up x)"
                      : why == kNoSize ? "sizes that are no whole numbers from 1 on"
                                       : "the constraint " + task.constraints[why].text());
    throw UsageError(text);
  }
  return result;
}

}  // namespace clgauss::tune
