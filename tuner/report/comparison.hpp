#pragma once
/// One run against another: what a new driver, device or version changes, configuration by
/// configuration.

#include <string>
#include <vector>

#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

/// A run, by the name that its folder was given.
struct Run {
  std::string name;
  std::vector<Results> results;
};

/// A section for each device of both runs: how many configurations are faster, the same and slower
/// in `later`, by kinds of experiment, and those that differ most. Devices are told by their names;
/// of two runs with one device each these are compared. Throws FileError where no configuration has
/// times in both.
[[nodiscard]] std::vector<Section> comparison_sections(const Run& earlier, const Run& later,
                                                       Illustrator& illustrator);

}  // namespace clgauss::tune::report
