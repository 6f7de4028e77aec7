#pragma once
/// Builds, checks and times any kernel, as a task describes it.

#include <array>
#include <clgauss/context.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/kernel/kernel_task.hpp"
#include "tuner/measure/timing.hpp"
#include "tuner/rows/configuration.hpp"

namespace clgauss::tune {

/// How the kernel is built and launched.
struct KernelLaunch {
  Configuration macros;
  std::vector<std::size_t> local;  // one a dimension; empty: left to the driver

  /// Work-items of a group; 0 = left to the driver.
  [[nodiscard]] std::size_t group() const;
  bool operator==(const KernelLaunch&) const = default;
};

/// "LOCAL=16x8 TILE=4", as in the rows.
[[nodiscard]] std::string text_of(const KernelLaunch& launch);

/// What a launch covers, in work-items. Throws UsageError for sizes that cannot be, DeviceLimit for
/// a group that does not divide them where the range is not to be rounded up.
[[nodiscard]] std::vector<std::size_t> global_of(const KernelTask& task,
                                                 const KernelLaunch& launch);

/// Work-items of a group, in expressions.
inline constexpr std::array<const char*, 3> kLocalNames{"LOCAL_X", "LOCAL_Y", "LOCAL_Z"};

/// The names that expressions may use: sizes, and the macros that are numbers.
[[nodiscard]] Variables variables_of(const KernelTask& task, const Configuration& macros);
/// These and, unless the driver chooses them, LOCAL_X, LOCAL_Y and LOCAL_Z.
[[nodiscard]] Variables variables_of(const KernelTask& task, const KernelLaunch& launch);
/// Whether it depends on the work-group.
[[nodiscard]] bool names_local(const Expression& expression);
/// Whether the range or an argument depends on the work-group, so that no driver can choose it.
[[nodiscard]] bool needs_local(const KernelTask& task);

/// Why the device takes no work-group of `local` from any kernel; empty if it may.
[[nodiscard]] std::string exceeded_limit(const DeviceProfile& device,
                                         std::span<const std::size_t> local);

/// The arguments of a task on the device.
class KernelBench {
 public:
  /// Builds the kernel with `first`, compares its signature with the task's arguments, and makes
  /// the reference. Throws BuildError, with the log; UsageError for arguments that do not fit,
  /// DimensionError for a reference of another length, FileError, OutOfMemory.
  KernelBench(Context& context, KernelTask task, const KernelLaunch& first);

  /// Builds, launches and checks `launch`, and times it by the wall clock: a median of
  /// `limits.repetitions` times, each of as many passes as take 2 ms. Where the task has no
  /// reference, the first result is that of all that follow. Never throws for what one
  /// configuration can fail by.
  [[nodiscard]] Outcome measure(const KernelLaunch& launch, const RunLimits& limits = {});

  /// A launch that measure() found to work, ready to be timed interleaved with others: nanoseconds
  /// of one pass.
  [[nodiscard]] std::function<double()> timed(const KernelLaunch& launch);

  [[nodiscard]] const KernelTask& task() const { return task_; }
  /// What the kernel says of itself when built with `launch`'s macros: its limit and preferred
  /// multiple.
  [[nodiscard]] Kernel kernel_of(const KernelLaunch& launch);
  /// Whether results are compared with something else than the first of them.
  [[nodiscard]] bool has_reference() const { return has_reference_; }

 private:
  struct Ready;
  struct Operand {
    std::size_t bytes = 0;
    bool output = false;
    cl::Buffer buffer, original;  // `original` of outputs alone
  };
  /// One an argument. A launch keeps those that it was prepared with: a kernel does not, and for
  /// the next launch they may be of another size.
  using Operands = std::vector<std::shared_ptr<Operand>>;
  struct Expected {
    std::size_t argument = 0;
    std::vector<double> values;
    double tolerance = 0;  // of the largest of them
  };

  [[nodiscard]] Kernel build(const std::filesystem::path& file, const std::string& name,
                             const KernelLaunch& launch);
  void match_signature(const Kernel& kernel);
  [[nodiscard]] std::vector<double> contents_of(std::size_t argument, std::size_t count) const;
  void hold(std::size_t argument, const Variables& variables);
  void set_arguments(Kernel& kernel, const Variables& variables);
  [[nodiscard]] Ready prepare(const KernelLaunch& launch);
  [[nodiscard]] double run(Ready& ready);
  void restore(const Operands& operands);
  [[nodiscard]] std::vector<double> result_of(std::size_t argument) const;
  [[nodiscard]] std::string overrun();
  [[nodiscard]] std::string fault();
  void make_reference(const KernelLaunch& first);
  [[nodiscard]] std::vector<std::size_t> compared() const;
  [[nodiscard]] std::size_t compared_argument(const std::string& name) const;
  [[nodiscard]] std::vector<double> expected_numbers(const Reference::Expected& expected,
                                                     std::size_t argument,
                                                     const Variables& variables) const;
  void expect_of_kernel(const std::string& other, const KernelLaunch& first);
  void expect(std::size_t argument, std::vector<double> values, std::optional<double> tolerance);
  [[nodiscard]] std::string called(std::size_t argument) const;

  Context& context_;
  KernelTask task_;
  Operands operands_;  // of the launch prepared last
  std::vector<Expected> expected_;
  bool has_reference_ = false;
};

}  // namespace clgauss::tune
