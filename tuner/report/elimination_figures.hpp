#pragma once
/// Figures 2 to 6 of Baranov and Vlatskaya (2013), and what the rules cost, from a user's times.

#include <optional>

#include "tuner/report/elimination_data.hpp"
#include "tuner/report/figure.hpp"

namespace clgauss::tune::report {

/// Time against n: the driver's default and the LCM rule. Empty without rows of `outliers`.
[[nodiscard]] std::optional<Figure> outliers_figure(const EliminationData& data);

/// Time against the work-group size; 3: n < 1000, 4: the same without size 1, 5: n >= 1000, 6: its section 128..384. Empty where the
/// sweeps have fewer than two such sizes, 3 also without size 1.
[[nodiscard]] std::optional<Figure> sweep_figure(const EliminationData& data, int number);

/// The time of each rule over the best, for each n. Empty without rows of `rules`.
[[nodiscard]] std::optional<Figure> rules_figure(const EliminationData& data);

}  // namespace clgauss::tune::report
