#pragma once
/// Times the kernels of the source, above all gauss_fwd whose work-group size it varies, step by
/// step over an augmented matrix.

#include <chrono>
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

#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

struct EliminationOptions {
  RealType type = RealType::f64;
  NdRangeMode ndrange = NdRangeMode::fixed;
  std::size_t steps = 64;  // timed, evenly spaced; 0 = all
  std::size_t repetitions = 5, warmups = 1;
  std::size_t duels = 0;  // further repetitions, at most, of those that may be the fastest
  std::optional<std::chrono::steady_clock::time_point> settle_until;  // no such repetition after it
  double timeout_s = 60;             // a repetition that is expected to take longer is not begun
  std::string kernel = "gauss_fwd";  // of gauss.cl: what is timed
};

/// How the kernel is launched.
struct LaunchChoice {
  WorkGroupPolicy policy;
  SplitMode split = SplitMode::automatic;
};

/// One choice, and what came of it.
struct EliminationResultOf {
  LaunchChoice choice;
  std::size_t group = 0;  // work-items of a group as launched; 0 = left to the driver
  std::size_t main_launches = 0, remainder_launches = 0;  // of the timed steps, once
  std::string build_options;
  Outcome outcome;  // times of all n - 1 steps
};

/// What came of several choices that were timed in turns.
struct EliminationResults {
  std::vector<EliminationResultOf> choices;  // in their order; equal launches share one measurement
  /// one of the launches once more, as if it were another
  std::optional<EliminationResultOf> control;
  /// By how much the control differs from its twin: noise_floor().
  [[nodiscard]] double floor() const;
};

/// The kernels of gauss.cl that can be timed: gauss_fwd, gauss_fwd_pre, gauss_bwd_prepare,
/// gauss_bwd, gauss_pivot, gauss_swap.
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
/// tells how much two times differ between which there is no difference. At last those that may be
/// the fastest are run again and again, until they separate or `duels` rounds are over.
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
  void fill(bool for_timing);
  [[nodiscard]] Launcher launcher_of(const LaunchChoice& choice) const;
  [[nodiscard]] Kernel& kernel_of(const LaunchChoice& choice);
  void run_steps(Launcher& launcher, Kernel& kernel, std::span<const std::size_t> steps);
  void prepare(Contender& contender);
  void time_once(Contender& contender, bool keep);
  void attempt(Contender& contender, const std::function<void()>& between,
               const std::function<void()>& action);
  void settle(std::vector<Contender>& contenders, const std::function<void()>& between);

  Context& context_;
  EliminationOptions options_;
  Index n_;
  std::vector<std::size_t> steps_;
  Kernel kernel_, fill_, check_;
  std::optional<Kernel> non_uniform_;  // the same, built for groups that do not divide
  cl::Buffer matrix_, x_, pivots_, mismatches_;
  std::mt19937 random_;  // the order of the turns
};

}  // namespace clgauss::tune
