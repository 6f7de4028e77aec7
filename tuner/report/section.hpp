#pragma once
/// What the report is made of: independent sections, each from the rows of one kind of experiment
/// on one device.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/report/figure.hpp"
#include "tuner/rows/result_folder.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::tune::report {

struct Section {
  std::string title;
  // Plain sentences, with `code` in back quotes; they open the device's part of the page.
  std::vector<std::string> verdict;
  std::vector<std::string> remarks = {};  // on how to read the tables, before them
  std::vector<Table> tables = {};         // after the verdict
  std::string html = {};                  // the figures
};

/// A kind of section, how its rows were measured (a few plain sentences, once a page), and how it
/// comes from all results of one device: none if its experiments are not among them.
struct SectionKind {
  std::string_view title;
  std::string_view method;
  std::vector<Section> (*build)(const std::vector<Results>& results, Illustrator& illustrator);
};

/// What to know before anything of a device is believed, a paragraph each: that the machine was
/// noisy - other programs kept its cores busy, or equal launches differ by much - and that rows are
/// of an older design. Empty where nothing is to be said.
[[nodiscard]] std::vector<std::string> cautions(const std::vector<Results>& results);

/// All kinds, in the order of the page. A new one adds its line here (section.cpp).
[[nodiscard]] const std::vector<SectionKind>& section_kinds();

/// The results of each device (name, platform and driver), in the order in which devices appear; a
/// folder with rows of several devices is divided.
[[nodiscard]] std::vector<std::vector<Results>> by_device(const std::vector<Results>& results);

/// What is known of the device of `results`: the profile of a folder that was made for it, else
/// only its name.
[[nodiscard]] const DeviceProfile& profile_of(const std::vector<Results>& results);

/// All points of `experiment` and `kernel` (any if empty) among `results`.
[[nodiscard]] std::vector<Point> points_of_experiment(const std::vector<Results>& results,
                                                      std::string_view experiment,
                                                      std::string_view kernel = {});

}  // namespace clgauss::tune::report
