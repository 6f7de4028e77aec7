#pragma once
/// Times the kernel whose work-group size the source varies: gauss_fwd, step by step over an augmented matrix.

#include <clgauss/context.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/real_type.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

struct EliminationOptions {
  RealType type = RealType::f64;
  NdRangeMode ndrange = NdRangeMode::fixed;
  std::size_t steps = 64;  // timed, evenly spaced; 0 = all
  std::size_t repetitions = 5, warmups = 1;
  double timeout_s = 60;  // a repetition that is expected to take longer is not begun
};

/// One work-group size, and what came of it.
struct EliminationResultOf {
  WorkGroupPolicy policy;
  std::size_t local = 0;                                  // 0 = left to the driver
  std::size_t main_launches = 0, remainder_launches = 0;  // of the timed steps, once
  std::string build_options;
  Outcome outcome;  // times of all n - 1 steps
};

/// The elimination of one n-by-(n + 1) matrix that lies on the device.
///
/// An elimination by the source's fixed NDRange takes up to an hour where the work-group size is bad; every step of it is the
/// same launch over less work. So `steps` evenly spaced steps are enqueued one after the other, as the elimination does, and their
/// wall-clock time is scaled by (n - 1) / steps. With n - 1 <= steps, or steps = 0, all steps are run. Before a size is timed, three
/// of its steps are checked element by element against numbers that another kernel computes.
class EliminationBench {
 public:
  /// Throws OutOfMemory if the matrix does not fit the device, UsageError if n < 2.
  EliminationBench(Context& context, Index n, const EliminationOptions& options);

  /// Steps that a repetition times.
  [[nodiscard]] std::size_t timed_steps() const { return steps_.size(); }
  [[nodiscard]] std::size_t all_steps() const { return n_ - 1; }
  [[nodiscard]] bool estimated() const { return timed_steps() < all_steps(); }

  /// One result for each policy, in their order. Repetitions are taken in turns over the policies, A B C A B C. `between` is
  /// called between launches of different policies and may throw to stop.
  [[nodiscard]] std::vector<EliminationResultOf> measure(std::span<const WorkGroupPolicy> policies,
                                                         const std::function<void()>& between = {});

 private:
  struct Contender;
  void fill(bool for_timing);
  void run_steps(Launcher& launcher, std::span<const std::size_t> steps);
  void prepare(Contender& contender);
  void time_once(Contender& contender, bool keep);

  Context& context_;
  EliminationOptions options_;
  Index n_;
  std::vector<std::size_t> steps_;
  Kernel forward_, fill_, check_;
  cl::Buffer matrix_, mismatches_;
};

}  // namespace clgauss::tune
