#pragma once
/// What the experiments on the source's kernel are made of: work-group sizes that compete at one n.

#include <clgauss/context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/elimination.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune {

/// One work-group size and the rule that it comes from.
struct Candidate {
  std::string rule;  // driver, lcm, multiple, max, tuned, or fixed
  WorkGroupPolicy policy;
};

/// Candidates that are timed in turns.
struct Contest {
  Index n = 0;
  std::vector<Candidate> candidates;
};

/// What the rules say for gauss_fwd on this device: driver, lcm, multiple (the kernel's preferred multiple), max (its limit).
[[nodiscard]] std::vector<Candidate> rule_candidates(Context& context, RealType type);

/// What is tuned for this size and may be used; empty if nothing is.
[[nodiscard]] std::optional<Candidate> tuned_candidate(const Context& context, RealType type,
                                                       Index n);

/// Hears of the share that is done and of what is being measured. May throw to stop.
using ExperimentProgress = std::function<void(double fraction, const std::string& what)>;

struct ExperimentLimits {
  std::optional<double> budget_s;  // no contest is begun after it
};

struct ExperimentSummary {
  std::size_t points = 0;    // asked for
  std::size_t measured = 0;  // now; the rest was there already or is left
  std::size_t left = 0;      // because the budget was used up
};

/// Measures what the folder does not hold yet; each contest's rows are written when it is over. A size that cannot run leaves a row
/// that says why. Throws DeviceLimit if none of all points is ok.
ExperimentSummary run_contests(Context& context, ResultFolder& folder,
                               const ExperimentInfo& info, const EliminationOptions& options,
                               const std::vector<Contest>& contests, const ExperimentLimits& limits,
                               const ExperimentProgress& progress);

/// The points of the folder that are of the configurations of `rows`, in their order; those that it does not hold are left out.
[[nodiscard]] std::vector<Point> points_of(const ResultFolder& folder,
                                           const std::vector<Row>& rows);

/// Throws DeviceLimit, with the first detail, if there are points and none of them is ok.
void require_one_ok(const DeviceProfile& device, const std::vector<Point>& points);

/// The points of the folder that belong to each of `contests`, in their order.
[[nodiscard]] std::vector<std::vector<Point>> points_of(const ResultFolder& folder,
                                                        const ExperimentInfo& info,
                                                        const EliminationOptions& options,
                                                        const std::vector<Contest>& contests);

/// "fixed" or "shrinking": the variant of a row.
[[nodiscard]] const char* ndrange_name(NdRangeMode mode);

[[nodiscard]] bool is_prime(std::size_t number);

}  // namespace clgauss::tune
