#pragma once
/// Searches for the fastest launch of any kernel, and sets it beside the rules for the work-group
/// size.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/kernel_space.hpp"
#include "tuner/rows/result_folder.hpp"
#include "tuner/rows/t4.hpp"
#include "tuner/search/searcher.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

struct KernelTuningOptions {
  std::string strategy = default_strategy();
  std::uint64_t random_seed = 1;
  /// Another device's or size's: its best that the space has are tried first.
  std::optional<T4File> seeds = {};
  StopCondition stop = never();
  std::size_t repetitions = 5;
  double timeout_s = 10;   // a run that takes longer
  std::size_t rounds = 9;  // of the last comparison; up to four times as many where it is close
  std::function<bool()> interrupted = {};  // ends everything; what was tried stays
  /// Hears of each configuration tried.
  std::function<void(const Outcome& last, std::size_t tried, std::size_t size)> progress = {};
};

struct KernelTuning {
  std::size_t tried = 0, measured = 0,
              size = 0;  // configurations: all, those not in the folder before, of the space
  /// Of those tried, the ones that do not build, do not run, give wrong results or take too long.
  std::map<Status, std::size_t> failures;
  /// of the last comparison; of all tried where there was none; empty if nothing was tried
  std::optional<KernelLaunch> best;
  T4File record;  // every configuration tried, parameter by parameter
};

/// What an experiment's folder says of a task: its kernel, its sizes and its range.
[[nodiscard]] ExperimentInfo info_of(const KernelTask& task, const std::string& command,
                                     const DeviceProfile& device);

/// The task's rates of a launch that takes so long.
[[nodiscard]] std::vector<T4Measurement> rates_of(const KernelTask& task,
                                                  const KernelLaunch& launch, double time_ns);

/// A kernel that is ready to be tuned.
class KernelTuner {
 public:
  /// Throws as kernel_space() and KernelBench.
  KernelTuner(Context& context, const KernelTask& task);

  /// Searches until the stop condition is met or all was tried. Each configuration leaves its rows
  /// in `folder` when it was tried; what the folder holds is not measured again. Then the best, the
  /// next two and, where the work-group is not bound to parameters, what the driver and the rules
  /// choose with the best's macros - lcm, multiple, max, 256; each checked as all others - are
  /// timed interleaved; their rows have the part kFinalPart. Throws DeviceLimit if nothing can run.
  [[nodiscard]] KernelTuning run(const ExperimentInfo& info, ResultFolder& folder,
                                 const KernelTuningOptions& options);

  [[nodiscard]] const Space& space() const { return space_.space; }
  /// Whether results are compared with something else than the first of them.
  [[nodiscard]] bool has_reference() const { return bench_->has_reference(); }
  [[nodiscard]] const KernelTask& task() const { return bench_->task(); }

 private:
  KernelSpace space_;
  std::unique_ptr<KernelBench> bench_;
};

}  // namespace clgauss::tune
