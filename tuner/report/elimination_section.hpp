#pragma once
/// The report on Baranov and Vlatskaya (2013): their figures 2 to 6 and their rule, from the rows
/// of sweep, outliers and rules.

#include <string_view>
#include <vector>

#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

inline constexpr std::string_view kEliminationTitle = "Gauss elimination and the work-group size";

inline constexpr std::string_view kEliminationMethod =
    "The elimination of Baranov and Vlatskaya (2013) works on a matrix of n rows and n + 1 "
    "columns; "
    "in each of its n - 1 steps the kernel gauss_fwd, whose work-group size is varied here, "
    "updates "
    "what lies below and right of the pivot. A size that does not divide the range is launched in "
    "two parts, main and remainder; the driver's own choice has to divide it, and where n + 1 is "
    "prime and above the device's limit it is left with groups of one work-item. Before a size is "
    "timed, three of its steps are checked element by element. Where not all steps are timed but "
    "evenly spaced ones, their wall-clock time is scaled to all steps and called estimated. Every "
    "time is the median of its repetitions, interleaved where sizes compete; bars and bands "
    "reach "
    "from the least to the largest.";

/// One section for each type and NDRange mode that was timed on the device.
[[nodiscard]] std::vector<Section> elimination_sections(const std::vector<Results>& results,
                                                        Illustrator& illustrator);

}  // namespace clgauss::tune::report
