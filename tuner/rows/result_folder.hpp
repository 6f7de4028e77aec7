#pragma once
/// The folder that an experiment writes: rows.csv, which grows by what was timed together,
/// experiment.json, which says what it is, and at the end rows.json, the same results for other
/// tuners' tools.

#include <cstdio>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/rows/experiment_info.hpp"

namespace clgauss::tune {

/// A folder with the rows of one experiment on one device. One process writes it at a time.
class ResultFolder {
 public:
  /// Makes the folder, or goes on with what it holds: a last line that was cut off and
  /// configurations of which repetitions are missing are removed, to be measured again. Throws
  /// FileError; throws UsageError if it holds the rows of another experiment, device, kernel or
  /// type and `append` is not set.
  ResultFolder(std::filesystem::path folder, const ExperimentInfo& info, bool append);
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  ~ResultFolder();

  /// Whether the configuration of `row` is there already.
  [[nodiscard]] bool has(const Row& row) const { return keys_.contains(row.key()); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  /// Writes the rows of whole configurations, and flushes.
  void append(std::span<const Row> rows);

  /// Writes all rows to rows.json, in the T4 format.
  void write_t4() const;

 private:
  void read_rows();

  std::filesystem::path folder_;
  std::vector<Row> rows_;
  std::set<std::string> keys_;
  std::FILE* file_ = nullptr;
};

/// The points of the folder that are of the configurations of `rows`, in their order; those that it
/// does not hold are left out.
[[nodiscard]] std::vector<Point> points_of(const ResultFolder& folder,
                                           const std::vector<Row>& rows);

/// What a folder with results holds.
struct Results {
  std::filesystem::path folder;
  ExperimentInfo info;
  std::vector<Row> rows;
};

/// The results in `folder` and the folders below it, in the order of their paths. Throws FileError
/// if there are none, FormatError for a file that is damaged before its last line.
[[nodiscard]] std::vector<Results> read_results(const std::filesystem::path& folder);

}  // namespace clgauss::tune
