#include "tuner/report/section.hpp"

#include <algorithm>

#include "tuner/report/elimination_section.hpp"
#include "tuner/report/kernel_section.hpp"
#include "tuner/report/reproduction_sections.hpp"

namespace clgauss::tune::report {

const std::vector<SectionKind>& section_kinds() {
  static const std::vector<SectionKind> kinds{
      {kEliminationTitle, kEliminationMethod, elimination_sections},
      {kProductsTitle, kProductsMethod, product_sections},
      {kBandwidthTitle, kBandwidthMethod, bandwidth_sections},
      {kKernelTitle, kKernelMethod, kernel_sections},
  };
  return kinds;
}

std::vector<std::vector<Results>> by_device(const std::vector<Results>& results) {
  std::vector<std::vector<Results>> devices;
  const auto same = [](const DeviceProfile& device, const Row& row) {
    return device.name == row.device && device.platform_name == row.platform &&
           device.driver_version == row.driver;
  };
  // The part of `from` that holds rows of the device of `row`; its profile is known if the folder
  // is that device's.
  const auto part_for = [&](const Results& from, const Row& row) -> Results& {
    auto found = std::ranges::find_if(devices, [&](const std::vector<Results>& device) {
      return same(device.front().info.device, row);
    });
    if (found == devices.end()) found = devices.emplace(devices.end());
    if (found->empty() || found->back().folder != from.folder) {
      found->push_back({from.folder, from.info, {}});
      if (!same(from.info.device, row)) {
        DeviceProfile& profile = found->back().info.device = {};
        profile.name = row.device;
        profile.platform_name = row.platform;
        profile.driver_version = row.driver;
      }
    }
    return found->back();
  };
  for (const Results& folder : results)
    for (const Row& row : folder.rows) part_for(folder, row).rows.push_back(row);
  return devices;
}

const DeviceProfile& profile_of(const std::vector<Results>& results) {
  const auto known = std::ranges::find_if(
      results, [](const Results& folder) { return folder.info.device.compute_units > 0; });
  return (known != results.end() ? *known : results.front()).info.device;
}

std::vector<Point> points_of_experiment(const std::vector<Results>& results,
                                        std::string_view experiment, std::string_view kernel) {
  std::vector<Row> rows;
  for (const Results& folder : results)
    std::ranges::copy_if(folder.rows, std::back_inserter(rows), [&](const Row& row) {
      return row.experiment == experiment && (kernel.empty() || row.kernel == kernel);
    });
  return group_rows(rows);
}

}  // namespace clgauss::tune::report
