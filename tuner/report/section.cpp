#include "tuner/report/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "statistics.hpp"
#include "tuner/report/elimination_section.hpp"
#include "tuner/report/kernel_section.hpp"
#include "tuner/report/reproduction_sections.hpp"
#include "tuner/reproduce/bandwidth_rates.hpp"
#include "tuner/rows/measured.hpp"

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

namespace {

std::string noise_caution(const std::vector<Results>& results) {
  std::size_t known = 0, busy = 0;
  double most = 0;
  std::vector<double> floors;
  for (const Results& folder : results) {
    if (folder.info.host_cores > 0) ++known;
    busy += !load_doubt(folder.info.busy_cores, folder.info.host_cores).empty();
    most = std::max(most, folder.info.busy_cores);
    const Measured measured(folder.rows);
    for (const Measured::Control& control : measured.controls()) floors.push_back(control.floor);
  }
  const double floor = floors.empty() ? 0 : median(floors);
  if (busy == 0 && floor <= kMostNoise) return {};
  std::string text = "Noisy machine.";
  if (busy > 0)
    text +=
        fmt::format(" Other programs kept up to {:.2g} cores busy when {} of {} experiments began.",
                    most, busy, known);
  if (floor > kMostNoise)
    text += fmt::format(" Equal launches differ by {:.0f} % in the median.", 100 * floor);
  return text + " Small differences here mean nothing, and times are longer than on a quiet one.";
}

/// How many numbers "100:900:100,1012" lists; 0 where it is no such list.
std::size_t listed(std::string_view list) {
  std::size_t all = 0;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::array<std::size_t, 3> range{0, 0, 1};  // first, last, step
    std::size_t parts = 0;
    for (const char* at = list.data(); parts < range.size() && at < list.data() + comma; ++at) {
      const auto [end, error] = std::from_chars(at, list.data() + comma, range[parts]);
      if (error != std::errc{}) return 0;
      ++parts;
      at = end;
    }
    if (range[2] == 0 || (parts > 1 && range[1] < range[0])) return 0;
    all += parts > 1 ? (range[1] - range[0]) / range[2] + 1 : 1;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return all;
}

/// Which experiments within a budget have fewer n than their command asked for, and which sweep of
/// bandwidth fewer of its group sizes.
std::string cut_caution(const std::vector<Results>& results) {
  constexpr std::string_view option = "--sizes ";
  std::string cut;
  for (const Results& folder : results) {
    const std::string& command = folder.info.command;
    if (command.find("--budget") == std::string::npos) continue;
    const auto note = [&](std::size_t timed, std::size_t asked, const char* what) {
      if (timed < asked)
        cut += fmt::format("{} {} ({} of {} {})", cut.empty() ? "" : ",",
                           folder.folder.filename().string(), timed, asked, what);
    };
    std::set<std::size_t> sizes, locals;
    for (const Row& row : folder.rows) {
      sizes.insert(row.n);
      if (row.kernel == "sum_rows" && row.local >= kFirstLocal && row.local <= kLastLocal)
        locals.insert(row.local);
    }
    const std::size_t at = command.find(option);
    if (at != std::string::npos) {
      const std::string_view rest = std::string_view(command).substr(at + option.size());
      note(sizes.size(), listed(rest.substr(0, rest.find(' '))), "n");
    }
    if (!locals.empty() && command.find("--local ") == std::string::npos)
      note(locals.size(), kAllLocals, "group sizes");
  }
  return cut.empty() ? cut : "Ended by the time budget:" + cut + ".";
}

/// Whether eliminations were timed before the way of launching was a factor.
bool of_older_design(const std::vector<Results>& results) {
  return std::ranges::any_of(results, [](const Results& folder) {
    return folder.info.kernel == "gauss_fwd" &&
           std::ranges::any_of(folder.rows, [](const Row& row) {
             return row.status == Status::ok && row.repetitions > 1 && row.round == 0 &&
                    (row.rule == "driver" || row.main_launches > 0);
           });
  });
}

}  // namespace

std::vector<std::string> cautions(const std::vector<Results>& results) {
  std::vector<std::string> all;
  if (std::string noise = noise_caution(results); !noise.empty()) all.push_back(std::move(noise));
  if (std::string cut = cut_caution(results); !cut.empty()) all.push_back(std::move(cut));
  if (of_older_design(results))
    all.emplace_back(
        "Rows of an older design. What a size does not divide took two launches, so that below "
        "about n = 1100 sizes differ by their number of launches more than by themselves; rounds "
        "were not compared as pairs, and what the driver chose was not recorded.");
  return all;
}

}  // namespace clgauss::tune::report
