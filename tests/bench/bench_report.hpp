#pragma once
/// Where the figures go: a table on standard output, and CSV files that grow from run to run.

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench_measure.hpp"

namespace clgauss::bench {

/// A CSV file to which rows are added: with a header if it is new. Throws FileError where it cannot
/// be opened or written, or holds other columns.
class CsvFile {
 public:
  CsvFile(const std::string& path, const std::string& header);
  void append(const std::vector<std::string>& fields);

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Files are opened at once, so that a place that cannot be written is found before the work.
class Report {
 public:
  /// `prints`: the table goes to standard output.
  Report(std::string device, const std::optional<std::string>& csv,
         const std::optional<std::string>& samples, bool prints);

  /// One row a contestant; the first measurement is clgauss's, to which the ratios refer.
  void add(const ProblemSize& size, const std::vector<Measurement>& measurements);

  /// Every row, as an array of objects.
  [[nodiscard]] const nlohmann::ordered_json& rows() const { return rows_; }

  /// True once a row had an error that is not within its bound.
  [[nodiscard]] bool any_wrong() const { return any_wrong_; }

 private:
  void add_samples(const ProblemSize& size, const Measurement& measurement);

  std::string device_;
  std::string run_;  // when this run started, UTC: tells runs in one file apart
  std::optional<CsvFile> csv_, samples_;
  bool prints_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
  bool any_wrong_ = false;
};

}  // namespace clgauss::bench
