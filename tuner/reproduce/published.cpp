#include "tuner/reproduce/published.hpp"

#include <algorithm>
#include <charconv>
#include <clgauss/error.hpp>
#include <map>

#include "embed/embedded.hpp"
#include "tuner/rows/csv.hpp"

namespace clgauss::tune::published {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw FormatError("data/published", 0, 0, what);
}

/// A rung's name here, by that of the file.
std::string rung_of(const std::string& variant) {
  static const std::map<std::string, std::string> names{{"cpu", "cpu_naive"},
                                                        {"gpu_naive", "naive"},
                                                        {"gpu_buffered_column", "buffered_column"},
                                                        {"gpu_buffered_row", "buffered_row"},
                                                        {"gpu_blocked", "blocked"},
                                                        {"gpu_blocked_unroll4", "blocked_4"}};
  return names.at(variant);
}

struct LadderTime {
  std::string machine, rung;
  std::size_t n = 0, block = 0;
  double seconds = 0;
};

std::size_t count_of(const std::optional<double>& number) {
  return static_cast<std::size_t>(number.value_or(0));
}

/// Tables 1 to 6; what stands in several of them is the same there.
const std::vector<LadderTime>& ladder() {
  static const std::vector<LadderTime> times = [] {
    std::vector<LadderTime> all;
    for (const char* file :
         {"vatutin_tables_1_2.csv", "vatutin_tables_3_4.csv", "vatutin_tables_5_6.csv"})
      for (const Record& record : records(file)) {
        const bool blocks = std::string_view(file) == "vatutin_tables_5_6.csv";
        all.push_back(
            {record.text("machine"), rung_of(record.text("variant")), count_of(record.number("n")),
             blocks ? count_of(record.number("block_size")) : 0, record.number("time_s").value()});
      }
    return all;
  }();
  return times;
}

/// "32x1" is a group of a row for kernel_1, and for the others the side of their tiles.
std::string configuration_of(const Record& record) {
  const std::string& config = record.text("config");
  return record.text("kernel") == "kernel_1" ? config : config.substr(0, config.find('x'));
}

}  // namespace

const std::string& Record::text(std::string_view column) const {
  const auto found = std::ranges::find(names_, column);
  if (found == names_.end()) refuse("no column " + std::string(column));
  return fields_[static_cast<std::size_t>(found - names_.begin())];
}

std::optional<double> Record::number(std::string_view column) const {
  const std::string& field = text(column);
  if (field.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size())
    refuse(field + " is no number in the column " + std::string(column));
  return value;
}

std::vector<Record> records(const std::string& name) {
  const auto file = embedded_published().find(name);
  if (file == embedded_published().end()) refuse("no file " + name);
  std::vector<Record> all;
  std::vector<std::string> names;
  std::string_view text = file->second;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> fields = split_csv(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (names.empty()) {
      names = std::move(fields);
    } else {
      if (fields.size() != names.size()) refuse(name + ": a line has other columns than its head");
      all.emplace_back(names, std::move(fields));
    }
  }
  return all;
}

std::optional<double> ladder_seconds(std::string_view rung, std::size_t n, std::size_t block,
                                     std::string_view machine) {
  for (const LadderTime& time : ladder())
    if (time.machine == machine && time.rung == rung && time.n == n && time.block == block)
      return time.seconds;
  return std::nullopt;
}

std::optional<KernelTime> kernel_time(std::string_view kernel, std::string_view configuration) {
  static const std::vector<KernelTime> times = [] {
    std::vector<KernelTime> all;
    for (const Record& record : records("lopatin_table_1.csv"))
      all.push_back({record.text("kernel") == "cpu" ? "cpu_naive" : record.text("kernel"),
                     configuration_of(record), record.number("time_ms").value(),
                     record.number("stderr_ms").value_or(0), record.number("speedup").value(),
                     record.number("speedup_stderr").value_or(0)});
    return all;
  }();
  const auto found = std::ranges::find_if(times, [&](const KernelTime& time) {
    return time.kernel == kernel && time.configuration == configuration;
  });
  return found == times.end() ? std::nullopt : std::optional<KernelTime>(*found);
}

double bandwidth_peak() {
  return records("tutubalin_table_1.csv").front().number("theoretical_peak_gb_per_s").value();
}

double bandwidth_gb_per_s(bool by_columns, unsigned width) {
  for (const Record& record : records("tutubalin_table_1.csv"))
    if (record.text("type") == (width == 4 ? "float4" : "float") &&
        record.text("order") == (by_columns ? "columns" : "rows"))
      return record.number("gb_per_s").value();
  refuse("no such rate in tutubalin_table_1.csv");
}

std::string steps_claim(std::string_view version) {
  for (const Record& record : records("zhao_claims.csv"))
    if (record.text("version") == version) return record.text("claim");
  return {};
}

double steps_best_cpu_seconds() {
  for (const Record& record : records("zhao_claims.csv"))
    if (const auto seconds = record.number("time_s")) return *seconds;
  refuse("no time in zhao_claims.csv");
}

Elimination elimination() {
  const Record record = records("baranov_claims.csv").front();
  const auto count = [&](const char* column) { return count_of(record.number(column)); };
  return {record.text("device"),       count("total_cores"), count("compute_units"),
          count("preferred_multiple"), count("lcm_rule"),    count("measured_best")};
}

std::map<std::size_t, std::map<std::size_t, double>> elimination_times() {
  std::map<std::size_t, std::map<std::size_t, double>> times;
  for (const Record& record : records("baranov_times.csv"))
    times[static_cast<std::size_t>(record.number("n").value_or(0))]
         [static_cast<std::size_t>(record.number("local").value_or(0))] =
             record.number("median_ms").value_or(0);
  return times;
}

}  // namespace clgauss::tune::published
