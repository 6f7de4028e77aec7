#include "tuner/kernel/kernel_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <map>
#include <memory>

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

using LocalSizes = std::vector<std::vector<Expression>>;  // as KernelSpace has them

/// The sizes of the group that a configuration of all parameters gives.
std::vector<std::size_t> local_of(const KernelTask& task, const LocalSizes& all,
                                  const Configuration& configuration) {
  const auto value = [&](std::string_view name) {
    return std::ranges::find(configuration, name, &std::pair<std::string, Value>::first)->second;
  };
  const Variables variables = variables_of(task, configuration);
  std::vector<std::size_t> local;
  for (std::size_t d = 0; d < all.size(); ++d) {
    const std::vector<Expression>& sizes = all[d];
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

KernelLaunch launch_of(const KernelTask& task, const LocalSizes& local,
                       const Configuration& configuration) {
  KernelLaunch launch{{}, local_of(task, local, configuration)};
  std::ranges::copy_if(configuration, std::back_inserter(launch.macros), [&](const auto& one) {
    return std::ranges::find(task.parameters, one.first, &Parameter::name) != task.parameters.end();
  });
  return launch;
}

/// Combinations of which a list is made: what takes a second or two.
constexpr std::uint64_t kMostListed = 200'000;

/// Why a launch is left out; a constraint's number, or one of these.
enum : std::size_t { kValid = 1000000, kDevice, kRange, kNoSize };

std::size_t excluded_by(const KernelTask& task, const DeviceProfile& device,
                        const LocalSizes& local, const Configuration& configuration) {
  KernelLaunch launch;
  try {
    launch = launch_of(task, local, configuration);
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

using Exclusions = std::map<std::size_t, std::size_t>;  // how many by what

/// Throws the UsageError that nothing is valid.
[[noreturn]] void throw_exclusions(const KernelTask& task, const DeviceProfile& device,
                                   const Exclusions& excluded) {
  std::string text = "no configuration is valid:";
  for (const auto& [why, count] : excluded)
    text +=
        fmt::format("\n  {} excluded by {}", count,
                    why == kDevice   ? fmt::format("the limits of {}", device.name)
                    : why == kRange  ? "a range that the work-group does not divide (--round-up x)"
                    : why == kNoSize ? "sizes that are no whole numbers from 1 on"
                                     : "the constraint " + task.constraints[why].text());
  throw UsageError(text);
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
  for (const LaunchRate& rate : task.rates) require(rate.amount);
}

}  // namespace

KernelLaunch KernelSpace::launch(const KernelTask& task, std::size_t configuration) const {
  return launch_of(task, local, space.configuration(configuration));
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

  // An unlisted space asks later, so that all that is asked lives as long.
  const auto excluded = std::make_shared<Exclusions>();
  const auto valid = [task, device, local = result.local, all,
                      excluded](const Space::Point& point) {
    Configuration configuration;
    for (std::size_t p = 0; p < point.size(); ++p)
      configuration.emplace_back(all[p].name, all[p].values[point[p]]);
    const std::size_t why = excluded_by(task, device, local, configuration);
    if (why != kValid) ++(*excluded)[why];
    return why == kValid;
  };
  if (combinations_of(all) > kMostListed) {
    result.space = Space::unlisted(all, valid);
    if (result.space.some(1).empty()) throw_exclusions(task, device, *excluded);
    return result;
  }
  try {
    result.space = Space(all, valid);
  } catch (const UsageError&) {
    if (excluded->empty()) throw;
    throw_exclusions(task, device, *excluded);
  }
  return result;
}

}  // namespace clgauss::tune
