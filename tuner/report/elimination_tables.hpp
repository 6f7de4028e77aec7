#pragma once
/// Tables of the work-group sizes of the elimination, as the terminal and the page show them alike.

#include "tuner/report/elimination_data.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::tune::report {

/// The largest divisor of a range from which on a driver's groups are work for a compute unit.
inline constexpr std::size_t kSmallDivisor = 32;

/// At each n what each rule and each way to launch costs: its time over the best, with its
/// interval, and the sizes statistically tied with the best. Where the LCM rule's size is not
/// `rule_local`, the row says so: the cores were counted otherwise there.
[[nodiscard]] Table rules_table(const ByN& rules, std::optional<std::size_t> rule_local = {});

/// At each n the driver's time, the rule's and the largest divisor's; empty for more n than a
/// reader takes in, of which distribution_table() tells.
[[nodiscard]] Table outliers_table(const ByN& outliers, std::size_t limit);

/// Over all n, and by the largest divisor of n + 1 within `limit`: at how many n the driver is
/// faster than the LCM rule, as fast, slower, and the quantiles of driver / rule and rule / best.
[[nodiscard]] Table distribution_table(const ByN& outliers, std::size_t limit);

/// At each n the best size, the sizes statistically tied with it, and the worst.
[[nodiscard]] Table sweep_table(const ByN& sweep);

/// The other kernels of the elimination: what the size is worth there.
[[nodiscard]] Table other_kernels_table(const std::map<std::string, ByN>& kernels);

/// "+12 [11, 13] %", "x 173 [170, 176]", "tie": a ratio of times as what it costs. A single run is
/// called one.
[[nodiscard]] std::string cost_words(const Estimate& ratio, Order order);

/// What the driver chose for itself, wall-clock and device's time of it and of the best, and what a
/// launch costs that does nothing. No rows where none of that was recorded.
[[nodiscard]] Table launches_table(const ByN& rules);

/// The whole solve: the driver's own and the fastest of each way of launching.
[[nodiscard]] Table solve_table(const ByN& solve);

/// Figures 3 to 6 of the source, the authors' times beside these: the best size at each n, and what
/// others cost over it.
[[nodiscard]] Table published_table(const ByN& sweep);

}  // namespace clgauss::tune::report
