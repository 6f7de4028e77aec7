#pragma once
/// How a kernel is launched: the work-group size (LCM rule or another policy), the split of a range
/// that the size does not divide, and a record of every launch.

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

/// The largest work-group size that is tried where nothing is known of the device's cores.
inline constexpr std::size_t kUnknownDeviceWorkGroup = 256;

/// What the LCM rule is computed from.
struct LcmRuleInput {
  std::optional<std::size_t> total_cores;  // empty: unknown
  std::size_t compute_units = 0;
  std::size_t preferred_multiple = 0;  // CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
  std::size_t work_group_limit = 0;    // CL_KERNEL_WORK_GROUP_SIZE
};

/// What the LCM rule says, as printed in the paper (`raw`) and as the device allows it (`clamped`).
struct LcmRule {
  std::optional<std::size_t> lcm;  // of preferred multiple and cores per compute unit
  /// the smallest multiple of `lcm` above total_cores; empty if the cores are unknown
  std::optional<std::size_t> raw;
  std::size_t clamped = 1;  // the size to use, 1 .. work_group_limit
  std::string reason;       // why clamped is what it is
};

/// The LCM rule (Baranov and Vlatskaya 2013): the smallest common multiple of the preferred
/// multiple and of the cores per compute unit that exceeds the total number of cores; 144 cores in
/// 3 compute units with multiple 32 give 192. `clamped` is the largest multiple of the LCM within
/// the limit (an H200's raw 17024 becomes 1024), else of the preferred multiple, else the limit.
/// Throws UsageError where a number is zero, there are fewer cores than compute units, or a
/// multiple does not fit 64 bits.
[[nodiscard]] LcmRule lcm_rule(const LcmRuleInput& input);

/// A range of `size` work-items cut for groups of `local`: floor(size / local) * local in the main
/// launch, the rest after it (formulas 6 and 7 of the paper).
struct Split {
  std::size_t main = 0;
  std::size_t remainder = 0;
};
[[nodiscard]] Split split_range(std::size_t size, std::size_t local);

/// The largest divisor of `range` that is at most `limit`, both at least 1: the largest group that
/// cuts the range evenly. It is 1 for a prime above the limit, but 2 for twice such a prime, and
/// small for many others.
[[nodiscard]] std::size_t largest_divisor(std::size_t range, std::size_t limit);

/// The size of Rule::fit, for one launch of whole groups beyond the end of the range: of the
/// multiples of `multiple` from five eighths of `limit` to it that which leaves the fewest
/// work-items beyond the end, the largest of several; a shorter range is one group. A launcher's
/// limit is 512, with which an H100 is fastest, and on a CPU the device's own: there a group of a
/// whole row is. What lies beyond the end costs time as a part of what lies within.
[[nodiscard]] std::size_t fitting_size(std::size_t range, std::size_t limit, std::size_t multiple);

/// How a range is launched. The numbers are the SPLIT of a TunedEntry.
enum class SplitMode {
  automatic = 0,    // as tuned; else of Rule::fit round_up, of others padded
  off = 1,          // a size that does not divide is refused, as OpenCL 1.x does
  padded = 2,       // main launch and, if anything is left, one whole group for the remainder
  exact = 3,        // main launch and one of just the remainder, whose groups the driver chooses
  round_up = 4,     // one launch of whole groups beyond the end: the kernel must return at once
                    // there
  non_uniform = 5,  // one launch whose last group is smaller: OpenCL 2.0 and devices that have it
  tall = 6  // one launch of groups of one column: of as many rows as the size and the range's rows
            // allow, a divisor of these; a range of one row is rounded up
};
/// "auto", "off", "padded", "exact", "round_up", "non_uniform" or "tall".
[[nodiscard]] std::string_view split_mode_name(SplitMode mode);

/// Where the work-group size comes from.
struct WorkGroupPolicy {
  enum class Rule {
    automatic,  // tuned where that is known, else fit; solve() resolves it
    tuned,      // as clgauss-tune stored it; solve() resolves it
    driver,
    lcm,
    fit,  // fitting_size() of the longest range
    fixed
  };
  Rule rule = Rule::lcm;
  std::size_t size = 0;  // of Rule::fixed
};

/// "auto", "tuned", "driver", "lcm", "fit" or a number above 0 (the values of `--local`). Throws
/// UsageError for anything else.
[[nodiscard]] WorkGroupPolicy parse_work_group_policy(std::string_view text);
/// "auto", "tuned", "driver", "lcm", "fit" or the number: what parse_work_group_policy reads.
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

/// One enqueued launch, as it was: the range of a remainder is a whole group.
struct LaunchRecord {
  std::string kernel;
  NdRange range;
  std::size_t local = 0;       // work-items a group in the first dimension; 0 = left to the driver
  std::size_t local_rows = 1;  // and in the second
  bool remainder = false;
  std::optional<std::uint64_t>
      time_ns;  // from the event, where the queue was opened with profiling
};

/// The one place where a kernel is enqueued, in order; nothing waits. With cl::NullRange for
/// `local` the driver chooses. Throws DeviceLimit where `local` is above the kernel's work-group
/// limit, and cl::Error.
void enqueue_kernel(const cl::CommandQueue& queue, const Kernel& kernel, const cl::NDRange& global,
                    const cl::NDRange& local = cl::NullRange,
                    const cl::NDRange& offset = cl::NullRange, cl::Event* event = nullptr);

/// Enqueues kernels on one queue with a policy's work-group size and keeps a record of each launch,
/// for experiments with that size. It never waits for the device.
class Launcher {
 public:
  /// `device` gives the limits and the cores; it must outlive the launcher. No group is larger than
  /// `longest`, the longest range that will be launched: work-items beyond it would only cost time
  /// (PoCL, n = 1012: groups of 4096 take 4 times as long as one of 1013). Throws UsageError for a
  /// policy that says where to look a size up, automatic or tuned, and not which it is.
  Launcher(const DeviceProfile& device, const cl::CommandQueue& queue, WorkGroupPolicy policy,
           SplitMode split, std::size_t longest = std::numeric_limits<std::size_t>::max());

  /// The rule's answer for this kernel on this device.
  [[nodiscard]] LcmRule rule_for(const Kernel& kernel) const;
  /// The work-group size that the policy gives this kernel; 0 = left to the driver.
  [[nodiscard]] std::size_t local_size_for(const Kernel& kernel) const;

  /// Launches `kernel` over `range` with the policy's size; the first dimension is the one that is
  /// split. A padded remainder is one whole group in that dimension, because drivers that
  /// compile for every group size anew (PoCL) would take seconds for many small remainders: the
  /// kernel itself must return at once where the range has ended. An empty range is no launch.
  /// Throws DeviceLimit, naming the limit, if the size is above it, or does not divide and
  /// SplitMode is off.
  void launch(const Kernel& kernel, const NdRange& range);

  /// Launches one work-group of `local` work-items, for a kernel that needs exactly one.
  void launch_group(const Kernel& kernel, std::size_t local);

  [[nodiscard]] const WorkGroupPolicy& policy() const noexcept { return policy_; }
  [[nodiscard]] SplitMode split() const noexcept { return split_; }

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
  /// `local` work-items a group in each dimension; {0, 0} leaves them to the driver.
  void enqueue(const Kernel& kernel, const NdRange& range, std::array<std::size_t, 2> local,
               bool remainder);

  const DeviceProfile& device_;
  cl::CommandQueue queue_;
  WorkGroupPolicy policy_;
  SplitMode split_;
  std::size_t longest_;
  bool profiling_;
  std::vector<LaunchRecord> records_;
  std::vector<cl::Event> events_;  // beside records_, with profiling only
  std::size_t main_launches_ = 0;
};

}  // namespace clgauss
