#pragma once
/// What kernel sweeps and reproductions are made of: configurations that leave rows.

#include <functional>
#include <vector>

#include "tuner/experiments/experiment.hpp"

namespace clgauss::tune {

/// One configuration: the rows it leaves, one a part that is timed, and how their outcomes come about.
struct Case {
  std::vector<Row> rows;
  std::function<std::vector<Outcome>()> measure;  // one outcome a row, in their order
};

/// A case of one row.
[[nodiscard]] Case single_case(Row row, std::function<Outcome()> measure);

/// The same once more, as an A/A control.
[[nodiscard]] Case control_of(Case one);

/// Measures the cases that the folder does not hold and writes the rows of each when it is over; up to 32 neighbours of one n in a
/// random order, the same each time, so that what a machine does meanwhile meets contestants by chance. What a case fails by becomes
/// the status of its rows.
ExperimentSummary run_cases(ResultFolder& folder, std::vector<Case> cases,
                            const ExperimentLimits& limits, const ExperimentProgress& progress);

}  // namespace clgauss::tune
