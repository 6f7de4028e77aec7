#include "tuner/rows/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <clgauss/error.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <type_traits>

#include "tuner/measure/estimate.hpp"
#include "tuner/rows/csv.hpp"

namespace clgauss::tune {

namespace {

/// One column: its name, how it is written and read, and since which schema it is there. A reader
/// returns whether it understood the field.
struct Column {
  std::string_view name;
  std::string (*write)(const Row&);
  bool (*read)(std::string_view, Row&);
  int since = 1;
};

constexpr std::size_t kMostCount = std::size_t{1} << 40U;  // of anything that is counted
constexpr double kMostNs = 366 * 86400e9;

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  if (text.empty()) return number == Number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if constexpr (std::is_floating_point_v<Number>) return number >= 0 && std::isfinite(number);
  if constexpr (std::is_same_v<Number, std::size_t>) return number <= kMostCount;
  return true;
}

bool read_time(std::string_view text, double& ns) { return read_number(text, ns) && ns <= kMostNs; }

std::string write_time(double ns) { return ns > 0 ? fmt::format("{:.1f}", ns) : std::string(); }

template <typename Number>
std::string write_number(Number number) {
  return number == Number{} ? std::string() : fmt::format("{}", number);
}

template <std::string Row::*field>
constexpr Column text_column(std::string_view name) {
  return {name, [](const Row& row) { return row.*field; },
          [](std::string_view text, Row& row) {
            row.*field = text;
            return true;
          }};
}

template <auto field>
constexpr Column number_column(std::string_view name) {
  return {name, [](const Row& row) { return write_number(row.*field); },
          [](std::string_view text, Row& row) { return read_number(text, row.*field); }};
}

constexpr Column since(int schema, Column column) {
  column.since = schema;
  return column;
}

/// One of the Conditions.
template <double Conditions::*field>
constexpr Column condition_column(std::string_view name) {
  return {name,
          [](const Row& row) {
            const double value = row.conditions.*field;
            return value > 0 ? significant(value, 4) : std::string();
          },
          [](std::string_view text, Row& row) { return read_number(text, row.conditions.*field); },
          3};
}

bool read_schema(std::string_view text, Row& /*row*/) {
  int schema = 0;
  return read_number(text, schema) && schema >= 1 && schema <= kRowSchema;
}

bool read_status(std::string_view text, Row& row) {
  const auto status = parse_status(text);
  row.status = status.value_or(Status::ok);
  return status.has_value();
}

constexpr std::array<Column, 37> kColumns{{
    {"schema", [](const Row&) { return std::to_string(kRowSchema); }, read_schema},
    text_column<&Row::time>("time"),
    text_column<&Row::version>("version"),
    text_column<&Row::device>("device"),
    text_column<&Row::platform>("platform"),
    text_column<&Row::driver>("driver"),
    text_column<&Row::experiment>("experiment"),
    text_column<&Row::kernel>("kernel"),
    text_column<&Row::type>("type"),
    text_column<&Row::variant>("variant"),
    text_column<&Row::part>("part"),
    text_column<&Row::rule>("rule"),
    number_column<&Row::n>("n"),
    number_column<&Row::local>("local"),
    since(2, number_column<&Row::group>("group")),
    text_column<&Row::parameters>("parameters"),
    since(3, text_column<&Row::chosen>("chosen")),
    since(3, text_column<&Row::suggested>("suggested")),
    number_column<&Row::main_launches>("main_launches"),
    number_column<&Row::remainder_launches>("remainder_launches"),
    text_column<&Row::build_options>("build_options"),
    {"status", [](const Row& row) { return std::string(status_name(row.status)); }, read_status},
    {"repetition", [](const Row& row) { return std::to_string(row.repetition); },
     [](std::string_view text, Row& row) { return read_number(text, row.repetition); }},
    number_column<&Row::repetitions>("repetitions"),
    since(3, number_column<&Row::round>("round")),
    {"time_ns", [](const Row& row) { return write_time(row.time_ns); },
     [](std::string_view text, Row& row) { return read_time(text, row.time_ns); }},
    {"low_ns", [](const Row& row) { return write_time(row.low_ns); },
     [](std::string_view text, Row& row) { return read_time(text, row.low_ns); }, 2},
    {"high_ns", [](const Row& row) { return write_time(row.high_ns); },
     [](std::string_view text, Row& row) { return read_time(text, row.high_ns); }, 2},
    {"estimated", [](const Row& row) { return std::string(row.estimated ? "1" : "0"); },
     [](std::string_view text, Row& row) {
       row.estimated = text == "1";
       return text == "0" || text == "1";
     }},
    number_column<&Row::steps>("steps"),
    number_column<&Row::all_steps>("all_steps"),
    number_column<&Row::work>("work"),
    since(4, number_column<&Row::bytes>("bytes")),
    condition_column<&Conditions::clock_mhz>("clock_mhz"),
    condition_column<&Conditions::memory_clock_mhz>("memory_clock_mhz"),
    condition_column<&Conditions::temperature_c>("temperature_c"),
    condition_column<&Conditions::power_w>("power_w"),
}};

/// `detail` is the last column, so that a table that is cut at the screen's edge loses the least.
constexpr Column kDetail = text_column<&Row::detail>("detail");

/// The columns that files of `schema` have.
std::vector<Column> columns_of(int schema) {
  std::vector<Column> columns;
  std::ranges::copy_if(kColumns, std::back_inserter(columns),
                       [&](const Column& column) { return column.since <= schema; });
  columns.push_back(kDetail);
  return columns;
}

std::string header_of(int schema) {
  std::string line;
  for (const Column& column : columns_of(schema))
    line += (line.empty() ? "" : ",") + std::string(column.name);
  return line;
}

Row parse_row(std::string_view line, const std::vector<Column>& columns, const std::string& file,
              std::size_t number) {
  const std::vector<std::string> fields = split_csv(line);
  if (fields.size() != columns.size())
    throw FormatError(file, number, 0,
                      fmt::format("{} fields, a row has {}", fields.size(), columns.size()));
  Row row;
  row.repetitions = 0;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!columns[i].read(fields[i], row))
      throw FormatError(
          file, number, 0,
          fmt::format("'{}' is no value for the column {}", fields[i], columns[i].name));
  return row;
}

}  // namespace

std::string Row::key() const {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", device, platform, driver, experiment,
                     kernel, type, variant, part, rule, n, local, parameters,
                     estimated ? steps : 0);
}

std::string description_of(const Row& row) {
  std::string text = row.kernel;
  if (!row.variant.empty()) text += ' ' + row.variant;
  if (row.n > 0) text += fmt::format(" n = {}", row.n);
  if (row.local > 0) text += fmt::format(" local size {}", row.local);
  return row.parameters.empty() ? text : text + ' ' + row.parameters;
}

std::string row_header() { return header_of(kRowSchema); }

std::string row_line(const Row& row) {
  std::string line;
  for (const Column& column : kColumns) line += csv_field(column.write(row)) + ',';
  return line + csv_field(kDetail.write(row)) + '\n';
}

std::vector<Row> parse_rows(std::string_view text, const std::string& file) {
  std::vector<Row> rows;
  std::vector<Column> columns;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (number == 1) {
      for (int schema = 1; schema <= kRowSchema; ++schema)
        if (line == header_of(schema)) columns = columns_of(schema);
      if (columns.empty())
        throw FormatError(file, 1, 0, "this is not the header of clgauss-tune's rows");
    } else {
      rows.push_back(parse_row(line, columns, file, number));
      if (columns.size() == columns_of(1).size()) rows.back().group = rows.back().local;
    }
  }
  return rows;
}

std::vector<Row> rows_of(const Row& row, const Outcome& outcome) {
  Row copy = row;
  copy.status = outcome.status;
  if (!outcome.detail.empty()) copy.detail = outcome.detail;
  if (outcome.times_ns.empty()) return {copy};
  std::vector<Row> rows;
  if (const Estimate times = estimate(outcome.times_ns); !times.single()) {
    copy.low_ns = times.low;
    copy.high_ns = times.high;
  }
  copy.repetitions = outcome.times_ns.size();
  for (const double time_ns : outcome.times_ns) {
    const std::size_t at = copy.repetition = rows.size();
    copy.time_ns = time_ns;
    if (at < outcome.rounds.size()) copy.round = outcome.rounds[at];
    if (at < outcome.conditions.size()) copy.conditions = outcome.conditions[at];
    rows.push_back(copy);
  }
  return rows;
}

std::vector<Point> group_rows(const std::vector<Row>& rows) {
  constexpr std::size_t most_rounds = 1U << 20U;
  std::vector<Point> points;
  std::map<std::string, std::size_t> places, contests;
  for (const Row& row : rows) {
    const auto [place, is_new] = places.try_emplace(row.key(), points.size());
    if (is_new) points.push_back({row, {}, {}});
    if (row.status != Status::ok || !(row.time_ns > 0)) continue;
    Point& point = points[place->second];
    const std::size_t contest = contests.try_emplace(row.time, contests.size()).first->second;
    if (row.round > 0 && point.rounds.size() == point.times_ns.size())
      point.rounds.push_back(contest * most_rounds + row.round);
    point.times_ns.push_back(row.time_ns);
  }
  for (Point& point : points)
    if (point.rounds.size() < point.times_ns.size() || !std::ranges::is_sorted(point.rounds))
      point.rounds.clear();
  return points;
}

}  // namespace clgauss::tune
