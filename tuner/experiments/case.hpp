#pragma once
/// What kernel sweeps and reproductions are made of: configurations that leave rows.

#include <functional>
#include <vector>

#include "tuner/experiments/experiment.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// One configuration: the rows it leaves, one a part that is timed, and how each is made ready to
/// be timed.
struct Case {
  std::vector<Row> rows;
  std::function<std::vector<Prepared>()> prepare;  // one a row, in their order
};

/// A case of one row.
[[nodiscard]] Case single_case(Row row, std::function<Prepared()> prepare);

/// The same once more, as an A/A control. It belongs behind its twin.
[[nodiscard]] Case control_of(Case one);

/// Measures the cases that the folder does not hold, in blocks: up to 32 neighbours of one n are
/// prepared, then timed in `rounds`, in each of them once, in another random order, so that what a
/// machine does meanwhile meets all of a block alike. A block takes no more once its rounds are
/// expected to take a minute, or what is left of the budget; a control always joins its twin. The
/// rows of a block are written when it is over; what was timed before something throws is written
/// too, and measured again by who goes on. What a case fails by becomes the status of its rows.
ExperimentSummary run_cases(ResultFolder& folder, std::vector<Case> cases, std::size_t rounds,
                            const ExperimentLimits& limits, const ExperimentProgress& progress);

}  // namespace clgauss::tune
