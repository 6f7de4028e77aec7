#pragma once
/// What an experiment says of itself, in its file and in every row.

#include <clgauss/device.hpp>
#include <string>

#include "tuner/rows/row.hpp"

namespace clgauss::tune {

/// What an experiment is and where it ran: what experiment.json holds.
struct ExperimentInfo {
  std::string experiment;  // sweep, outliers, rules ..
  std::string kernel, type, variant;
  std::string command;  // as it was typed
  DeviceProfile device;
  std::string host = {};  // host_text(); empty: not recorded
  /// when it began: cores that other programs kept busy, of how many
  double busy_cores = 0;
  unsigned host_cores = 0;
};

/// What the machine that an experiment runs on says of itself now; takes a fifth of a second.
void note_host(ExperimentInfo& info);

/// The text of experiment.json.
[[nodiscard]] std::string info_text(const ExperimentInfo& info);
/// Reads it; throws FormatError, naming `file`.
[[nodiscard]] ExperimentInfo parse_info(const std::string& text, const std::string& file);

/// The fields of a row that every row of an experiment on this device has.
[[nodiscard]] Row row_for(const ExperimentInfo& info);

}  // namespace clgauss::tune
