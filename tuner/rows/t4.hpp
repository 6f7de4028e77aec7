#pragma once
/// Results in the T4 format of the auto-tuning community (AutoTuningAssociation), as other tuners
/// read and write them.

#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/outcome.hpp"
#include "tuner/rows/configuration.hpp"

namespace clgauss::tune {

/// What was measured, and by what. Empty where the file does not say.
struct T4Metadata {
  std::string compute_api = "OpenCL";
  std::string platform, device;
  std::string autotuner = "clgauss-tune";
};

/// A figure beside the time: {"gflops", 812.5, "Gflop/s"}.
struct T4Measurement {
  std::string name;
  double value = 0;
  std::string unit;
};

struct T4Result {
  Configuration configuration;
  /// T4 knows one word for device_limit and launch_error: read back as launch_error
  Outcome outcome;
  std::optional<double> time_ns;  // what was to be made small, usually the median; empty if not ok
  std::vector<T4Measurement> measurements;
};

struct T4File {
  T4Metadata metadata;
  std::vector<T4Result> results;
};

/// `file` as JSON of schema 1.1.0, times in milliseconds.
[[nodiscard]] std::string t4_text(const T4File& file);

/// t4_text() in a file that appears whole or not at all; a path that ends in .gz is compressed.
/// Throws FileError.
void write_t4(const std::string& path, const T4File& file);

/// Reads schema 1.0.0 and 1.1.0, compressed or not (by content). `time_ns` is the measurement
/// called "time" if there is one, else the median of the runtimes. Numbers that are no integers,
/// and truth values, become words. Throws FileError, FormatError, OutOfMemory for more text than is
/// parsed.
[[nodiscard]] T4File read_t4(const std::string& path);

}  // namespace clgauss::tune
