#pragma once
/// The laboratory's rows as the model sees them.

#include <array>
#include <clgauss/device.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/explain/model.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune {

/// One configuration that was measured.
struct Observed {
  Row row;                   // of its first repetition
  std::size_t x = 1, y = 1;  // work-items of its groups; of an elimination that of the main launch
  Observation observation;   // the median of its repetitions
};

/// The steps of an elimination of n unknowns by gauss_fwd with groups of `local`; 0: groups that
/// the driver chose. Empty where these are not known.
[[nodiscard]] std::optional<std::vector<Step>> elimination_steps(const Row& row,
                                                                 std::size_t max_group);

/// What the model knows of `results`: rows of gauss.cl's kernels over the whole matrix, of launches
/// that do nothing, and of probes; wall-clock times that are ok, controls left out.
[[nodiscard]] std::vector<Observed> observations_of(const std::vector<Results>& results);

/// The same of `rows` that are yet to be measured: their times are 0.
[[nodiscard]] std::vector<Observed> unmeasured(const std::vector<Row>& rows,
                                               const ExperimentInfo& info);

/// `x` and `y` of "253x4"; empty for other text.
[[nodiscard]] std::optional<std::array<std::size_t, 2>> parse_group(const std::string& text);

}  // namespace clgauss::tune
