#include "tuner/rows/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <clgauss/error.hpp>
#include <map>

#include "tuner/rows/csv.hpp"

namespace clgauss::tune {

namespace {

/// One column: its name, and how it is written and read. A reader returns whether it understood the field.
struct Column {
  std::string_view name;
  std::string (*write)(const Row&);
  bool (*read)(std::string_view, Row&);
};

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  if (text.empty()) return number == Number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

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

bool read_schema(std::string_view text, Row& /*row*/) {
  int schema = 0;
  return read_number(text, schema) && schema == kRowSchema;
}

bool read_status(std::string_view text, Row& row) {
  const auto status = parse_status(text);
  row.status = status.value_or(Status::ok);
  return status.has_value();
}

constexpr std::array<Column, 26> kColumns{{
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
    text_column<&Row::parameters>("parameters"),
    number_column<&Row::main_launches>("main_launches"),
    number_column<&Row::remainder_launches>("remainder_launches"),
    text_column<&Row::build_options>("build_options"),
    {"status", [](const Row& row) { return std::string(status_name(row.status)); }, read_status},
    {"repetition", [](const Row& row) { return std::to_string(row.repetition); },
     [](std::string_view text, Row& row) { return read_number(text, row.repetition); }},
    number_column<&Row::repetitions>("repetitions"),
    {"time_ns",
     [](const Row& row) {
       return row.time_ns > 0 ? fmt::format("{:.1f}", row.time_ns) : std::string();
     },
     [](std::string_view text, Row& row) { return read_number(text, row.time_ns); }},
    {"estimated", [](const Row& row) { return std::string(row.estimated ? "1" : "0"); },
     [](std::string_view text, Row& row) {
       row.estimated = text == "1";
       return text == "0" || text == "1";
     }},
    number_column<&Row::steps>("steps"),
    number_column<&Row::all_steps>("all_steps"),
    number_column<&Row::work>("work"),
}};

/// `detail` is the last column, so that a table that is cut at the screen's edge loses the least.
constexpr Column kDetail = text_column<&Row::detail>("detail");

/// The fields of one line; quotes are taken off.
std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

Row parse_row(std::string_view line, const std::string& file, std::size_t number) {
  const std::vector<std::string> fields = split_csv(line);
  if (fields.size() != kColumns.size() + 1)
    throw FormatError(file, number, 0,
                      fmt::format("{} fields, a row has {}", fields.size(), kColumns.size() + 1));
  Row row;
  row.repetitions = 0;
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    if (!kColumns[i].read(fields[i], row))
      throw FormatError(file, number, 0,
                        fmt::format("'{}' is no value for the column {} of schema {}", fields[i],
                                    kColumns[i].name, kRowSchema));
  kDetail.read(fields.back(), row);
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

std::string row_header() {
  std::string line;
  for (const Column& column : kColumns) line += std::string(column.name) + ',';
  return line + std::string(kDetail.name);
}

std::string row_line(const Row& row) {
  std::string line;
  for (const Column& column : kColumns) line += csv_field(column.write(row)) + ',';
  return line + csv_field(kDetail.write(row)) + '\n';
}

std::vector<Row> parse_rows(std::string_view text, const std::string& file) {
  std::vector<Row> rows;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (number == 1) {
      if (line != row_header())
        throw FormatError(file, 1, 0, "this is not the header of clgauss-tune's rows");
    } else {
      rows.push_back(parse_row(line, file, number));
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
  copy.repetitions = outcome.times_ns.size();
  for (const double time_ns : outcome.times_ns) {
    copy.repetition = rows.size();
    copy.time_ns = time_ns;
    rows.push_back(copy);
  }
  return rows;
}

std::vector<Point> group_rows(const std::vector<Row>& rows) {
  std::vector<Point> points;
  std::map<std::string, std::size_t> places;
  for (const Row& row : rows) {
    const auto [place, is_new] = places.try_emplace(row.key(), points.size());
    if (is_new) points.push_back({row, {}});
    if (row.status == Status::ok && row.time_ns > 0)
      points[place->second].times_ns.push_back(row.time_ns);
  }
  return points;
}

}  // namespace clgauss::tune
