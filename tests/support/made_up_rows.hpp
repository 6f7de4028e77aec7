#pragma once
/// Rows of the laboratory that no device made.

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tuner/rows/result_folder.hpp"

namespace clgauss::test {

/// A work-group size by a rule and the time of the elimination with it; 0 ms: it was refused.
struct MadeUp {
  std::size_t n = 0;
  std::string rule;
  std::size_t local = 0;
  double ms = 0;
};

inline tune::ExperimentInfo made_up_experiment(const std::string& experiment,
                                               const std::string& device = "GeForce GT 555M") {
  tune::ExperimentInfo info{
      experiment, "gauss_fwd", "f64", "fixed", "clgauss-tune " + experiment + " <x>", {}};
  info.device.name = device;
  info.device.platform_name = "CUDA";
  info.device.driver_version = "1.0";
  info.device.compute_units = 3;
  info.device.cores.per_compute_unit = 48;
  info.device.preferred_multiple = 32;
  info.device.max_work_group_size = 1024;
  return info;
}

/// Three repetitions of each: the time, and 10 % less and more.
inline std::vector<tune::Row> made_up_rows(const tune::ExperimentInfo& info,
                                           const std::vector<MadeUp>& points) {
  std::vector<tune::Row> rows;
  for (const MadeUp& point : points) {
    tune::Row row = tune::row_for(info);
    row.time = "2026-01-02T03:04:05Z";
    row.rule = point.rule;
    row.n = point.n;
    row.local = row.group = point.local;
    row.steps = row.all_steps = point.n - 1;
    tune::Outcome outcome;
    if (point.ms > 0)
      outcome.times_ns = {point.ms * 1e6, point.ms * 0.9e6, point.ms * 1.1e6};
    else
      outcome = {tune::Status::device_limit, "larger than <the limit>", {}};
    for (const tune::Row& repetition : tune::rows_of(row, outcome)) rows.push_back(repetition);
  }
  return rows;
}

inline tune::Results made_up_results(const std::string& experiment,
                                     const std::vector<MadeUp>& points,
                                     const std::string& device = "GeForce GT 555M") {
  const tune::ExperimentInfo info = made_up_experiment(experiment, device);
  return {experiment + " of " + device, info, made_up_rows(info, points)};
}

}  // namespace clgauss::test
