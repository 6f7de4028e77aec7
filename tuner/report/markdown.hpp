#pragma once
/// The report as Markdown, for pages beside the source: verdicts and tables, without figures.

#include <string>
#include <vector>

#include "tuner/report/comparison.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune::report {

/// The results of `results` as page() has them, without figures. Throws FileError if there are no
/// rows.
[[nodiscard]] std::string markdown(const std::vector<Results>& results, const std::string& title);

/// What differs between two runs. Throws FileError where they have nothing in common.
[[nodiscard]] std::string comparison_markdown(const Run& earlier, const Run& later,
                                              const std::string& title);

}  // namespace clgauss::tune::report
