#pragma once
/// The report on `clgauss-tune kernel`: a kernel's best launch beside what rules and driver choose.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/report/section.hpp"
#include "tuner/rows/contest_result.hpp"

namespace clgauss::tune::report {

inline constexpr std::string_view kKernelTitle = "Kernels that were tuned";

inline constexpr std::string_view kKernelMethod =
    "A search tries launches of the kernel - work-group sizes and macros jointly. Every one is "
    "built and checked against the reference before it is timed by the wall clock, its outputs "
    "restored before each run; runs of under 2 ms are repeated within one time. At the end the "
    "best ones, the driver's own work-group size and those of the rules (lcm, the kernel's "
    "preferred multiple, its largest, 256; along the first dimension, with the macros of the best) "
    "are timed interleaved in a random order. One launch is timed twice as a control; differences "
    "smaller than the control's are treated as noise. Those that may be the fastest go on until "
    "they separate.";

/// The launches that were timed interleaved at the end.
[[nodiscard]] ContestResult last_comparison(const std::vector<Point>& points);

/// A kernel's rows: what was compared at the end, the ten best that were tried, and what failed by
/// what.
[[nodiscard]] std::vector<Table> kernel_tables(const std::vector<Point>& points);
/// What is found, in a few sentences; where equal launches differ by more than kMostNoise one of
/// them says that the winner may be chance.
[[nodiscard]] std::vector<std::string> kernel_verdict(const std::vector<Point>& points);

/// One section for each kernel, with its sizes.
[[nodiscard]] std::vector<Section> kernel_sections(const std::vector<Results>& results,
                                                   Illustrator& illustrator);

}  // namespace clgauss::tune::report
