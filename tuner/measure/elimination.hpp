#pragma once
/// Times the kernels of the source, above all gauss_fwd whose work-group size it varies, step by
/// step over an augmented matrix.

#include <clgauss/context.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/real_type.hpp>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/conditions.hpp"
#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

struct EliminationOptions {
  RealType type = RealType::f64;
  NdRangeMode ndrange = NdRangeMode::fixed;
  std::size_t steps = 64;  // timed, evenly spaced; 0 = all
  std::size_t repetitions = 5, warmups = 1;
  std::size_t device_repetitions = 0;  // further ones, of which the device's own time is taken
  double timeout_s = 60;               // a repetition that is expected to take longer is not begun
  std::string kernel = "gauss_fwd";    // of elimination_kernels(): what is timed
};

/// What a launch does: the kernel's work, nothing in the same work-groups, or nothing in one
/// work-item.
enum class LaunchWork { kernel, nothing, one_item };

/// How the kernel is launched.
struct LaunchChoice {
  WorkGroupPolicy policy;
  SplitMode split = SplitMode::padded;
  LaunchWork work = LaunchWork::kernel;
};

/// One choice, and what came of it.
struct EliminationResultOf {
  LaunchChoice choice;
  std::size_t group = 0;  // work-items of a group as launched; 0 = left to the driver
  std::size_t main_launches = 0, remainder_launches = 0;  // of the timed steps, once
  std::string build_options;
  /// driver_group() and suggested_group() of the part of the first step's range that is left to the
  /// driver; empty where none is, and of kernels other than gauss_fwd
  std::string chosen, suggested;
  Outcome outcome;         // times of all n - 1 steps
  Outcome device_outcome;  // of the same, the sum of their events' times
};

/// What came of several choices that were timed interleaved.
struct EliminationResults {
  std::vector<EliminationResultOf> choices;  // in their order; equal launches share one measurement
  /// one of the launches once more, as if it were another
  std::optional<EliminationResultOf> control;
  /// By how much the control differs from its twin: noise_floor().
  [[nodiscard]] double floor() const;
};

/// Of the whole solve: the four kernels of Baranov and Vlatskaya (2013), without pivoting. As
/// theirs, only gauss_fwd has a work-group size; the others are left to the driver.
inline constexpr std::string_view kWholeSolve = "solve";

/// What can be timed: gauss_fwd, gauss_fwd_pre, gauss_bwd_prepare, gauss_bwd, gauss_pivot,
/// gauss_swap, of gauss.cl, and kWholeSolve.
[[nodiscard]] const std::vector<std::string>& elimination_kernels();

/// Operations of all n - 1 steps of `kernel`: two for each element that gauss_fwd or gauss_bwd
/// changes, one for each that the others divide, compare or exchange.
[[nodiscard]] double elimination_work(std::string_view kernel, Index n);

/// The elimination of one n-by-(n + 1) matrix that lies on the device.
///
/// An elimination by the source's fixed NDRange takes up to an hour where the work-group size is
/// bad; every step of it is the same launch over less work. So `steps` evenly spaced steps are
/// enqueued one after the other, as the elimination does, and their wall-clock time is scaled by (n
/// - 1) / steps. With n - 1 <= steps, or steps = 0, all steps are run. Before a size is timed,
/// three of its steps are checked element by element against numbers that another kernel computes;
/// the other kernels of gauss.cl are checked by a whole elimination and its residual.
///
/// Choices that come to the same launch - no group is larger than the n + 1 columns - share one
/// measurement. In every round all are run once, in a random order, and one of them twice: its twin
/// tells how much two times differ between which there is no difference. The number of rounds is
/// set beforehand: to go on until something separates would make chance into a verdict. Behind them
/// come rounds on a queue that takes the time of every launch by itself.
class EliminationBench {
 public:
  /// Throws OutOfMemory if the matrix does not fit the device, UsageError if n < 2 or for a kernel
  /// that there is not.
  EliminationBench(Context& context, Index n, const EliminationOptions& options);

  /// Steps that a repetition times.
  [[nodiscard]] std::size_t timed_steps() const { return steps_.size(); }
  [[nodiscard]] std::size_t all_steps() const { return n_ - 1; }
  [[nodiscard]] bool estimated() const { return timed_steps() < all_steps(); }

  /// One result for each choice, and the control where two launches or more run. `between` is
  /// called between launches and may throw to stop.
  [[nodiscard]] EliminationResults measure(std::span<const LaunchChoice> choices,
                                           const std::function<void()>& between = {});

 private:
  struct Contender;
  /// Of what has the size that is timed, and of a whole solve's other kernels.
  struct Launchers {
    Launcher sized, driver;
  };
  void fill(bool for_timing);
  [[nodiscard]] Launchers launchers_of(const LaunchChoice& choice,
                                       const cl::CommandQueue& queue) const;
  [[nodiscard]] double scale() const {
    return static_cast<double>(all_steps()) / static_cast<double>(timed_steps());
  }
  [[nodiscard]] Kernel& kernel_of(const LaunchChoice& choice);
  void run_steps(Launchers& launchers, Kernel& kernel, LaunchWork work,
                 std::span<const std::size_t> steps);
  void prepare(Contender& contender);
  void run_solve(Launchers& launchers, Kernel& forward, std::span<const std::size_t> steps);
  [[nodiscard]] NdRange forward_range(std::size_t step) const;
  void note_driver_choice(Contender& contender);
  void time_once(Contender& contender, std::size_t round);
  void time_on_device(Contender& contender, std::size_t round);
  void attempt(Contender& contender, const std::function<void()>& between,
               const std::function<void()>& action);
  void add_control(std::vector<Contender>& contenders) const;

  Context& context_;
  EliminationOptions options_;
  Index n_;
  std::vector<std::size_t> steps_;
  Kernel kernel_, fill_, check_, empty_;
  std::optional<Kernel> divide_, prepare_, substitute_;  // the others of a whole solve
  std::optional<Kernel> non_uniform_;  // the same, built for groups that do not divide
  cl::Buffer matrix_, x_, pivots_, mismatches_;
  cl::CommandQueue profiling_queue_;
  Sensors sensors_;
  std::mt19937 random_;  // the order of the turns
};

}  // namespace clgauss::tune
