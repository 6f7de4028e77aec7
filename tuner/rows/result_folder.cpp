#include "tuner/rows/result_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <iterator>
#include <map>
#include <system_error>

#include "file_content.hpp"
#include "statistics.hpp"
#include "tuner/rows/t4.hpp"

namespace clgauss::tune {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRows = "rows.csv";
constexpr const char* kT4 = "rows.json";
constexpr const char* kExperiment = "experiment.json";

[[noreturn]] void fail(const fs::path& path) {
  throw FileError(path.string(), std::generic_category().message(errno));
}

ExperimentInfo read_info(const fs::path& path) {
  return parse_info(file_content(path), path.string());
}

/// Throws UsageError naming the first thing in which the folder's experiment differs.
void require_same(const fs::path& folder, const ExperimentInfo& there,
                  const ExperimentInfo& wanted) {
  const auto compare = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b)
      throw UsageError(fmt::format(
          "{} holds another experiment ({} '{}', not '{}'); choose another folder, or --append",
          folder.string(), what, a, b));
  };
  compare("experiment", there.experiment, wanted.experiment);
  compare("device", there.device.name, wanted.device.name);
  compare("driver", there.device.driver_version, wanted.device.driver_version);
  compare("kernel", there.kernel, wanted.kernel);
  compare("type", there.type, wanted.type);
  compare("variant", there.variant, wanted.variant);
}

/// What was chosen, as in Row::key(), and what came of it. Other tools know `local` 0 as the
/// driver's choice by the rule.
T4Result t4_result(const Point& point) {
  const Row& row = point.row;
  T4Result result{{}, {row.status, row.detail, point.times_ns}, {}, {}};
  for (const auto& [name, word] : {std::pair("kernel", &row.kernel),
                                   {"type", &row.type},
                                   {"variant", &row.variant},
                                   {"part", &row.part},
                                   {"rule", &row.rule},
                                   {"parameters", &row.parameters}})
    if (!word->empty()) result.configuration.emplace_back(name, *word);
  const auto number = [&](const char* name, std::size_t value) {
    result.configuration.emplace_back(name, static_cast<std::int64_t>(value));
  };
  number("n", row.n);
  number("local", row.local);
  if (row.estimated) number("steps", row.steps);
  if (point.times_ns.empty()) return result;
  result.time_ns = median(point.times_ns);
  if (row.work > 0)  // operations or bytes
    result.measurements.push_back({"work_rate", row.work / *result.time_ns, "1e9/s"});
  if (row.high_ns > 0) {
    result.measurements.push_back({"time_low_95", row.low_ns / 1e6, "ms"});
    result.measurements.push_back({"time_high_95", row.high_ns / 1e6, "ms"});
  }
  return result;
}

/// Without the configurations whose repetitions are not all there.
std::vector<Row> complete(const std::vector<Row>& rows) {
  std::map<std::string, std::size_t> counts;
  for (const Row& row : rows) ++counts[row.key()];
  std::vector<Row> kept;
  std::ranges::copy_if(rows, std::back_inserter(kept),
                       [&](const Row& row) { return counts[row.key()] >= row.repetitions; });
  return kept;
}

}  // namespace

ResultFolder::ResultFolder(fs::path folder, const ExperimentInfo& info, bool append)
    : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw FileError(folder_.string(), error.message());
  if (fs::exists(folder_ / kExperiment)) {
    if (!append) require_same(folder_, read_info(folder_ / kExperiment), info);
  } else {
    if (fs::exists(folder_ / kRows) && !append)
      throw UsageError(
          fmt::format("{} holds rows without saying of what; choose another folder, or --append",
                      folder_.string()));
    write_whole(folder_ / kExperiment, info_text(info));
  }
  read_rows();
  file_ = std::fopen((folder_ / kRows).c_str(), "ab");
  if (file_ == nullptr) fail(folder_ / kRows);
}

ResultFolder::~ResultFolder() {
  if (file_ != nullptr) std::fclose(file_);
}

void ResultFolder::read_rows() {
  const fs::path path = folder_ / kRows;
  std::string text = fs::exists(path) ? file_content(path) : std::string();
  const std::string whole = text;
  text.resize(text.rfind('\n') + 1);  // npos + 1 = 0: a last line without its end was cut off
  rows_ = complete(parse_rows(text, path.string()));
  std::string repaired = row_header() + '\n';
  for (const Row& row : rows_) {
    repaired += row_line(row);
    keys_.insert(row.key());
  }
  if (repaired != whole) write_whole(path, repaired);
}

void ResultFolder::append(std::span<const Row> rows) {
  std::string lines;
  for (const Row& row : rows) {
    lines += row_line(row);
    keys_.insert(row.key());
    rows_.push_back(row);
  }
  if (std::fwrite(lines.data(), 1, lines.size(), file_) != lines.size() || std::fflush(file_) != 0)
    fail(folder_ / kRows);
}

void ResultFolder::write_t4() const {
  T4File file;
  if (!rows_.empty()) {
    file.metadata.platform = rows_.front().platform;
    file.metadata.device = rows_.front().device;
  }
  for (const Point& point : group_rows(rows_))
    if (point.row.status != Status::ok ||
        !point.times_ns.empty())  // T4 knows no success without a time
      file.results.push_back(t4_result(point));
  tune::write_t4((folder_ / kT4).string(), file);
}

std::vector<Point> points_of(const ResultFolder& folder, const std::vector<Row>& rows) {
  std::map<std::string, Point> known;
  for (Point& point : group_rows(folder.rows())) known.emplace(point.row.key(), std::move(point));
  std::vector<Point> points;
  for (const Row& row : rows)
    if (const auto found = known.find(row.key()); found != known.end())
      points.push_back(found->second);
  return points;
}

std::vector<Results> read_results(const fs::path& folder) {
  std::vector<Results> all;
  std::error_code error;
  const auto consider = [&](const fs::path& place) {
    if (!fs::exists(place / kRows) || !fs::exists(place / kExperiment)) return;
    std::string text = file_content(place / kRows);
    text.resize(text.rfind('\n') + 1);
    all.push_back(
        {place, read_info(place / kExperiment), parse_rows(text, (place / kRows).string())});
  };
  consider(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.is_directory()) consider(entry.path());
  if (error) throw FileError(folder.string(), error.message());
  if (all.empty())
    throw FileError(folder.string(),
                    "no results of clgauss-tune here (rows.csv beside experiment.json)");
  std::ranges::sort(all, {}, &Results::folder);
  return all;
}

}  // namespace clgauss::tune
