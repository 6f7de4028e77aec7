#pragma once
/// All launches of a kernel among which a search chooses: work-group sizes and macros jointly.

#include <clgauss/device.hpp>

#include "tuner/kernel/kernel_bench.hpp"
#include "tuner/search/space.hpp"

namespace clgauss::tune {

struct KernelSpace {
  Space space;
  /// Whether the work-group is given by parameters, so that no rule or driver can have another.
  bool local_is_bound = false;
  /// Of each dimension its size, or where several are tried, the parameter that chooses among them.
  std::vector<std::vector<Expression>> local;

  [[nodiscard]] KernelLaunch launch(const KernelTask& task, std::size_t configuration) const;
};

/// LOCAL_X, LOCAL_Y and LOCAL_Z, where several sizes are tried, and the task's parameters. Valid is
/// what keeps the constraints, which may speak of LOCAL_X .. too, what the device may take, and
/// what divides the range (or may go beyond it). Throws UsageError for names that nothing explains,
/// and where nothing is valid: which constraint excludes how many. Of more than
/// 200,000 combinations no list is made.
[[nodiscard]] KernelSpace kernel_space(const KernelTask& task, const DeviceProfile& device);

}  // namespace clgauss::tune
