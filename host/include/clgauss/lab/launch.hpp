#pragma once
/// How a kernel is launched: the work-group size (LCM rule or another policy), how a range is split
/// that is not a multiple of the size, and a record of every launch.

#include <array>
#include <clgauss/device.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/opencl.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// The largest work-group size that is tried if nothing is known about the device's cores.
inline constexpr std::size_t kUnknownDeviceWorkGroup = 256;

/// The input of the LCM rule.
struct LcmRuleInput {
  std::optional<std::size_t> total_cores;  // empty: unknown
  std::size_t compute_units = 0;
  std::size_t preferred_multiple = 0;  // CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
  std::size_t work_group_limit = 0;    // CL_KERNEL_WORK_GROUP_SIZE
};

/// The result of the LCM rule, as printed in the paper (`raw`) and limited by the device
/// (`clamped`).
struct LcmRule {
  std::optional<std::size_t> lcm;  // of preferred multiple and cores per compute unit
  /// The smallest multiple of `lcm` above total_cores; empty if the cores are unknown.
  std::optional<std::size_t> raw;
  std::size_t clamped = 1;  // the size to use, 1 .. work_group_limit
  std::string reason;       // the reason for `clamped`
};

/// The LCM rule (Baranov and Vlatskaya 2013): the smallest common multiple of the preferred
/// multiple and of the cores per compute unit that exceeds the total number of cores. For example,
/// 144 cores in 3 compute units with multiple 32 give 192. `clamped` is the largest multiple of the
/// LCM within the limit (an H200's raw 17024 becomes 1024), else of the preferred multiple, else
/// the limit. Throws UsageError if a number is zero, there are fewer cores than compute units, or a
/// multiple does not fit into 64 bits.
[[nodiscard]] LcmRule lcm_rule(const LcmRuleInput& input);

/// A range of `size` work-items cut for groups of `local`: floor(size / local) * local in the main
/// launch, the rest after it (formulas 6 and 7 of Baranov and Vlatskaya 2013).
struct Split {
  std::size_t main = 0;
  std::size_t remainder = 0;
};
[[nodiscard]] Split split_range(std::size_t size, std::size_t local);

/// The largest divisor of `range` that is at most `limit`, both at least 1: the largest group that
/// cuts the range evenly. It is 1 for a prime above the limit, 2 for twice such a prime, and small
/// for many other ranges.
[[nodiscard]] std::size_t largest_divisor(std::size_t range, std::size_t limit);

/// The size of Rule::fit, for one launch of whole groups that extends beyond the end of the range.
/// Candidates are the multiples of `multiple` from five eighths of `limit` to `limit`. The result
/// is the one with the fewest work-items beyond the end; the largest if several tie. A shorter
/// range is one group. A launcher's limit is 512, the fastest on an H100; on a CPU it is the
/// device's own, so that a group can be a whole row. Work-items beyond the end cost as much time as
/// the others.
[[nodiscard]] std::size_t fitting_size(std::size_t range, std::size_t limit, std::size_t multiple);

/// How a range is launched. The numbers are those of SPLIT in a TunedEntry.
enum class SplitMode {
  automatic = 0,    // as tuned; else round_up for Rule::fit and padded for others
  off = 1,          // a size that does not divide the range is refused, as in OpenCL 1.x
  padded = 2,       // a main launch and, for a remainder, one whole group
  exact = 3,        // a main launch and one of just the remainder, whose groups the driver chooses
  round_up = 4,     // one launch of whole groups beyond the end: the kernel must return at once
                    // there
  non_uniform = 5,  // one launch whose last group is smaller: OpenCL 2.0 and devices that have it
  tall = 6  // one launch of groups of one column: of as many rows as the size and the range's rows
            // allow, a divisor of these; a range of one row is rounded up
};
/// "auto", "off", "padded", "exact", "round_up", "non_uniform" or "tall".
[[nodiscard]] std::string_view split_mode_name(SplitMode mode);

/// How the work-group size is chosen.
struct WorkGroupPolicy {
  enum class Rule {
    automatic,  // tuned if there is a tuned size, else fit; solve() resolves it
    tuned,      // the size that clgauss-tune stored; solve() resolves it
    driver,
    lcm,
    fit,  // fitting_size() of the longest range
    fixed
  };
  Rule rule = Rule::lcm;
  std::size_t size = 0;  // for Rule::fixed
};

/// Parses the values of `--local`: "auto", "tuned", "driver", "lcm", "fit" or a positive number.
/// Throws UsageError for anything else.
[[nodiscard]] WorkGroupPolicy parse_work_group_policy(std::string_view text);
/// The inverse of parse_work_group_policy(): "auto", "tuned", "driver", "lcm", "fit" or the number.
[[nodiscard]] std::string work_group_policy_name(const WorkGroupPolicy& policy);

/// Work-items with the global ids offset .. offset + size - 1 in each of `dims` dimensions.
struct NdRange {
  unsigned dims = 1;
  std::array<std::size_t, 2> size{0, 1};
  std::array<std::size_t, 2> offset{0, 0};
};
[[nodiscard]] NdRange range_1d(std::size_t size, std::size_t offset = 0);
[[nodiscard]] NdRange range_2d(std::array<std::size_t, 2> size,
                               std::array<std::size_t, 2> offset = {0, 0});

/// One enqueued launch, as it was performed: the range of a remainder is a whole group.
struct LaunchRecord {
  std::string kernel;
  NdRange range;
  std::size_t local = 0;       // work-items a group in the first dimension; 0 = left to the driver
  std::size_t local_rows = 1;  // and in the second
  bool remainder = false;
  std::optional<std::uint64_t>
      time_ns;  // from the event, if the queue was opened with profiling enabled
};

/// The one place where kernels are enqueued, in order; it does not wait. With cl::NullRange for
/// `local`, the driver chooses. Throws DeviceLimit if `local` is above the kernel's work-group
/// limit, and cl::Error.
void enqueue_kernel(const cl::CommandQueue& queue, const Kernel& kernel, const cl::NDRange& global,
                    const cl::NDRange& local = cl::NullRange,
                    const cl::NDRange& offset = cl::NullRange, cl::Event* event = nullptr);

/// Enqueues kernels on one queue with a policy's work-group size and records each launch, for
/// experiments with that size. It never waits for the device.
class Launcher {
 public:
  /// `device` provides the limits and the cores; it must outlive the launcher. No group is larger
  /// than `longest`, the longest range that will be launched, because work-items beyond it only
  /// cost time (PoCL, n = 1012: groups of 4096 take 4 times as long as one of 1013). Throws
  /// UsageError for the policies automatic and tuned, which do not state a size.
  Launcher(const DeviceProfile& device, const cl::CommandQueue& queue, WorkGroupPolicy policy,
           SplitMode split, std::size_t longest = std::numeric_limits<std::size_t>::max());

  /// The rule's result for this kernel on this device.
  [[nodiscard]] LcmRule rule_for(const Kernel& kernel) const;
  /// The work-group size that the policy gives this kernel; 0 = left to the driver.
  [[nodiscard]] std::size_t local_size_for(const Kernel& kernel) const;

  /// Launches `kernel` over `range` with the policy's size; the first dimension is split. A padded
  /// remainder is one whole group in that dimension: drivers that compile anew for every group size
  /// (PoCL) would take seconds for many small remainders. The kernel itself must return at once
  /// beyond the end of the range. An empty range launches nothing. Throws DeviceLimit, naming the
  /// limit, if the size exceeds it, or if the size does not divide the range and SplitMode is off.
  void launch(const Kernel& kernel, const NdRange& range);

  /// Launches one work-group of `local` work-items, for a kernel that needs exactly one.
  void launch_group(const Kernel& kernel, std::size_t local);

  [[nodiscard]] const WorkGroupPolicy& policy() const noexcept { return policy_; }
  [[nodiscard]] SplitMode split() const noexcept { return split_; }
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

  /// All launches so far. Event times are filled in once the queue has finished.
  [[nodiscard]] const std::vector<LaunchRecord>& records();
  [[nodiscard]] std::size_t main_launches() const noexcept { return main_launches_; }
  [[nodiscard]] std::size_t remainder_launches() const noexcept {
    return records_.size() - main_launches_;
  }

 private:
  [[nodiscard]] std::size_t limit_of(const Kernel& kernel) const;
  void check_limits(const Kernel& kernel, std::size_t local) const;
  void launch_tall(const Kernel& kernel, const NdRange& range, std::size_t local);
  void launch_rounded_up(const Kernel& kernel, NdRange range, std::size_t local);
  /// `local` work-items per group in each dimension; {0, 0} leaves them to the driver.
  void enqueue(const Kernel& kernel, const NdRange& range, std::array<std::size_t, 2> local,
               bool remainder);

  const DeviceProfile& device_;
  cl::CommandQueue queue_;
  WorkGroupPolicy policy_;
  SplitMode split_;
  std::size_t longest_;
  bool profiling_;
  std::vector<LaunchRecord> records_;
  std::vector<cl::Event> events_;  // parallel to records_, with profiling only
  std::size_t main_launches_ = 0;
};

}  // namespace clgauss
