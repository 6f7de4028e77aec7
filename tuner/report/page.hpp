#pragma once
/// The whole report: one HTML page without anything from elsewhere.

#include <string>
#include <vector>

#include "tuner/report/comparison.hpp"
#include "tuner/report/figure.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune::report {

/// The page on `results`: what the work-group size is worth on each device, the devices side by
/// side, and device by device the verdict, the device, the experiments and the commands that made
/// the rows. The same results make the same page. Throws FileError if there is not one row.
[[nodiscard]] std::string page(const std::vector<Results>& results, const std::string& title,
                               Illustrator& illustrator);

/// The page on what differs between two runs. Throws FileError where they have nothing in common.
[[nodiscard]] std::string comparison_page(const Run& earlier, const Run& later,
                                          const std::string& title, Illustrator& illustrator);

}  // namespace clgauss::tune::report
