#pragma once
/// What the experiments on the source's kernel are made of: work-group sizes that compete at one n.

#include <clgauss/context.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/experiments/experiment.hpp"
#include "tuner/measure/elimination.hpp"

namespace clgauss::tune {

/// One way to launch and the rule that it comes from.
struct Candidate {
  std::string rule;  // a rule of rule_candidates(), tuned, or fixed
  LaunchChoice choice;
};
/// Groups of `size`, "fixed"; 0 leaves it to the driver.
[[nodiscard]] Candidate fixed_candidate(std::size_t size);

/// Candidates that are timed interleaved.
struct Contest {
  Index n = 0;
  std::vector<Candidate> candidates;
};

/// What the rules say for gauss_fwd on this device at this n:
///   driver     left to it
///   lcm        the LCM rule, cut to what the device allows
///   lcm_raw    as the source prints it; a device may refuse it. Only where the cores are known
///   lcm_lanes  the same with the lanes of a CPU's vectors as its cores
///   multiple   the kernel's preferred multiple
///   max        the largest that the kernel allows
///   192, 256   the source's own best, and what many programs take
///   divisor    the largest divisor of n + 1 that is allowed
///   fit        fitting_size(), rounded up: what a solve takes where nothing is tuned
[[nodiscard]] std::vector<Candidate> rule_candidates(Context& context, RealType type, Index n);
/// The one of `rules` named `rule`, which must be there.
[[nodiscard]] const Candidate& candidate_of(const std::vector<Candidate>& rules,
                                            std::string_view rule);
/// A design whose factors are the work-group size and the way of launching what it does not
/// divide.
struct LaunchDesign {
  std::vector<std::size_t> locals;
  std::vector<SplitMode> splits{SplitMode::padded};
  /// and launches that do nothing: of one work-item, and over the whole range in groups of 1 and of
  /// kUnknownDeviceWorkGroup
  bool empty = false;
};
/// Every size in every way, "fixed", then the empty launches, "empty".
[[nodiscard]] std::vector<Candidate> design_candidates(Context& context, RealType type,
                                                       const LaunchDesign& design);

/// What is tuned for this size and may be used; empty if nothing is.
[[nodiscard]] std::optional<Candidate> tuned_candidate(const Context& context, RealType type,
                                                       Index n);

/// Measures what the folder does not hold yet; each contest's rows are written when it is over,
/// with those of its control. A size that cannot run leaves a row that says why. Throws DeviceLimit
/// if none of all points is ok.
ExperimentSummary run_contests(Context& context, ResultFolder& folder, const ExperimentInfo& info,
                               const EliminationOptions& options,
                               const std::vector<Contest>& contests, const ExperimentLimits& limits,
                               const ExperimentProgress& progress);

/// The points of the folder that belong to each of `contests`, in their order, controls last.
[[nodiscard]] std::vector<std::vector<Point>> points_of(const ResultFolder& folder,
                                                        const ExperimentInfo& info,
                                                        const EliminationOptions& options,
                                                        const std::vector<Contest>& contests);

/// Seconds that the contests will take: three steps of one launch by the LCM rule are timed at the
/// largest n, the others are taken to cost in proportion to their work. A driver that is left with
/// groups of one work-item costs more; what it may cost is bounded by the timeout.
[[nodiscard]] double expected_seconds(Context& context, const EliminationOptions& options,
                                      const std::vector<Contest>& contests);

/// The parameters of a row: "SPLIT=round_up"; empty for two launches of whole groups.
[[nodiscard]] std::string parameters_of(const LaunchChoice& choice);

/// "fixed" or "shrinking": the variant of a row.
[[nodiscard]] const char* ndrange_name(NdRangeMode mode);

}  // namespace clgauss::tune
