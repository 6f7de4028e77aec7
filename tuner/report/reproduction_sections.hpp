#pragma once
/// The report on the documents whose matrix products and memory walks `clgauss-tune reproduce` runs
/// again.

#include <string_view>
#include <vector>

#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

inline constexpr std::string_view kProductsTitle = "Matrix products of three documents";
inline constexpr std::string_view kProductsMethod =
    "C = A B in f32 by the kernels of Vatutin, Martynov and Titov (2013), of Lopatin (2023) and of "
    "Zhao. A and B hold random integers of -2 to 2, so that C is exact; every result is checked by "
    "C x = A (B x) before it is timed. Times are medians of wall-clock time, short kernels "
    "repeated until the wait at the end does not count. Loops on the CPU that would take long are "
    "estimated from some of their rows. What carries over between machines are ratios.";

inline constexpr std::string_view kBandwidthTitle = "Memory bandwidth";
inline constexpr std::string_view kBandwidthMethod =
    "Tutubalin (2007) sums a square array of floats: each work-group takes whole rows (or "
    "columns), "
    "its work-items every next element. Each sum is checked against the array's, each write by "
    "summing what was written. The time of an empty launch of the same range is taken off.";

/// One section an experiment that was run on the device.
[[nodiscard]] std::vector<Section> product_sections(const std::vector<Results>& results,
                                                    Illustrator& illustrator);
[[nodiscard]] std::vector<Section> bandwidth_sections(const std::vector<Results>& results,
                                                      Illustrator& illustrator);

}  // namespace clgauss::tune::report
