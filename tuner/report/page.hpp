#pragma once
/// The whole report: one HTML page without anything from elsewhere.

#include <string>
#include <vector>

#include "tuner/report/figure.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune::report {

/// The page on `results`, device by device: verdict, device, sections, and the commands that made the rows. The same results make
/// the same page. Throws FileError if there is not one row.
[[nodiscard]] std::string page(const std::vector<Results>& results, const std::string& title,
                               Illustrator& illustrator);

}  // namespace clgauss::tune::report
