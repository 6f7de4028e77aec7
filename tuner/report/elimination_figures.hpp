#pragma once
/// Figures 2 to 6 of Baranov and Vlatskaya (2013), and what the rules cost, from a user's times.

#include <optional>
#include <vector>

#include "tuner/report/elimination_data.hpp"
#include "tuner/report/figure.hpp"

namespace clgauss::tune::report {

/// Figure 2, time against n by the driver's default and by the LCM rule: one for each range of n in
/// the rows of `outliers`.
[[nodiscard]] std::vector<Figure> outliers_figures(const EliminationData& data);

/// Time against the work-group size; 3: n < 1000, 4: the same without size 1, 5: n >= 1000, 6: its
/// section 128..384. Empty where the sweeps have fewer than two such sizes, 3 also without size 1.
[[nodiscard]] std::optional<Figure> sweep_figure(const EliminationData& data, int number);

/// The sweeps' times over the best of each n beside those of the source's own device, where the
/// source has timed the n: from kLarge on, or below. Empty where it has timed none.
[[nodiscard]] std::optional<Figure> published_figure(const EliminationData& data, bool large);

/// What a size costs that is kept for all n of the sweeps: its time over the best of each n. Empty
/// unless two sizes above 1 were timed at each of several n.
[[nodiscard]] std::optional<Figure> one_size_figure(const EliminationData& data);

/// The time of each rule over the best, for each n. Empty without rows of `rules`.
[[nodiscard]] std::optional<Figure> rules_figure(const EliminationData& data);

/// Every launch of `rules` as a point: its groups, and its time over the best at its n, by the way
/// of launching.
[[nodiscard]] std::optional<Figure> launches_figure(const EliminationData& data);

}  // namespace clgauss::tune::report
