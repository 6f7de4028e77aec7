#include "io/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "io/memory.hpp"
#include "io/number.hpp"
#include "io/number_writer.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view decimal_comma_hint =
    " (if the commas are decimal commas, write points: 1.5, not 1,5)";

class TableReader {
 public:
  TableReader(const Input& input, const ReadOptions& options, const Dialect& dialect)
      : input_(input), dialect_(dialect), cursor_(input, options, dialect.characters) {}

  Content read();

 private:
  void read_row();
  double read_number();
  void pass_delimiter();
  void reserve_all();
  [[nodiscard]] std::string_view field() const;
  [[nodiscard]] std::string hint(std::string_view field) const;
  [[noreturn]] void fail_field() const { cursor_.fail_no_number(field(), hint(field())); }

  const Input& input_;
  const Dialect& dialect_;
  TextCursor cursor_;
  Content content_;
  std::size_t first_line_ = 0;  // where the first row stands
};

Content TableReader::read() {
  while (cursor_.skip_to_next_line_with_content()) {
    const std::size_t before = content_.values.size();
    const char* row_begin = cursor_.position();
    read_row();
    const Index found = content_.values.size() - before;
    if (content_.rows == 0) {
      content_.cols = found;
      first_line_ = cursor_.line();
      reserve_all();
    } else if (found != content_.cols) {
      cursor_.fail_at(row_begin, fmt::format("{} numbers expected, as in line {}, but {} found",
                                             content_.cols, first_line_, found));
    }
    ++content_.rows;
    cursor_.finish_line();
  }
  if (content_.rows == 0) {
    throw FormatError(input_.name(), 0, 0, "there are no numbers in the file");
  }
  cursor_.finish_progress();
  return std::move(content_);
}

void TableReader::read_row() {
  while (true) {
    content_.values.push_back(read_number());
    if (cursor_.skip_to_content()) {
      return;
    }
    if (dialect_.delimiter != 0) {
      pass_delimiter();
    }
  }
}

double TableReader::read_number() {
  double value = 0;
  if (cursor_.read_plain_number(value)) {
    return value;
  }
  if (dialect_.delimiter != 0 && cursor_.peek() == dialect_.delimiter) {
    cursor_.fail("the field is empty: write 0 if that is meant");
  }
  const std::optional<double> unusual = cursor_.unusual_number();
  if (!unusual) {
    fail_field();
  }
  return *unusual;
}

void TableReader::pass_delimiter() {
  if (cursor_.peek() != dialect_.delimiter) {
    const bool tab = dialect_.delimiter == '\t';
    cursor_.fail(fmt::format("{} stands where the next {} should be{}", in_quotes(field()),
                             tab ? "tab" : in_quotes({&dialect_.delimiter, 1}),
                             dialect_.delimiter == ',' ? decimal_comma_hint : ""));
  }
  cursor_.advance();
  if (cursor_.skip_to_content()) {
    cursor_.fail(
        "the last field of the line is empty: write 0 if that is meant, or remove the "
        "delimiter before it");
  }
}

/// Reserves for as many rows as there are lines left, so that a large matrix is never moved; no
/// more than the bytes left can hold, for a number and what follows it take two.
void TableReader::reserve_all() {
  const std::string_view rest(cursor_.position(), cursor_.bytes_left());
  const auto lines = static_cast<Index>(std::count(rest.begin(), rest.end(), '\n'));
  const Index most = content_.cols + rest.size() / 2;
  const Index rows = std::min(lines, most / content_.cols) + 1;
  require_memory(input_.name(), rows, content_.cols);
  content_.values.reserve(rows * content_.cols);
}

/// The characters from here to the next delimiter, comment or end of the line, without blanks
/// around them.
std::string_view TableReader::field() const {
  if (dialect_.delimiter == 0) {
    return cursor_.token();
  }
  const std::string_view rest = cursor_.rest_of_line();
  const auto* end = std::find_if(rest.begin(), rest.end(), [this](char c) {
    return c == dialect_.delimiter || dialect_.characters.comment(c);
  });
  while (end != rest.begin() && (dialect_.characters.blank(end[-1]) || end[-1] == '\r')) {
    --end;
  }
  return {rest.begin(), end};
}

/// What may be meant by a field that is not a number.
std::string TableReader::hint(std::string_view field) const {
  std::string with_point(field);
  const std::size_t comma = with_point.find(',');
  if (comma != std::string::npos && comma + 1 < field.size()) {
    with_point[comma] = '.';
    if (parse_number(with_point).kind != NumberKind::malformed) {
      return fmt::format(": it has a decimal comma, write {}{}", with_point,
                         dialect_.delimiter == 0 ? " (or read it as csv if the file is CSV)" : "");
    }
  }
  if (dialect_.delimiter == ',' && field.find_first_of(" \t") != std::string_view::npos) {
    return std::string(decimal_comma_hint);
  }
  if (dialect_.delimiter == 0 && field.find_first_of(",;") != std::string_view::npos) {
    return " (if the file is CSV, read it as csv)";
  }
  const bool in_double_quotes = field.size() > 2 && field.front() == '"' && field.back() == '"';
  if (in_double_quotes &&
      parse_number(field.substr(1, field.size() - 2)).kind == NumberKind::finite) {
    return " (remove the quotes)";
  }
  const bool like_a_name = field.find_first_of("+-.0123456789") != 0;
  if (dialect_.names_columns && content_.rows == 0 && like_a_name) {
    return " (remove a line of column names, or begin it with '#')";
  }
  return "";
}

}  // namespace

Content read_table(const Input& input, const ReadOptions& options, const Dialect& dialect) {
  return TableReader(input, options, dialect).read();
}

void write_table(OutputFile& file, const Matrix& matrix, char delimiter,
                 const WriteOptions& options) {
  if (matrix.empty()) {
    return;  // perhaps 10^18 rows of nothing
  }
  NumberWriter writer(file, options);
  for (Index i = 0; i < matrix.rows(); ++i) {
    const std::span<const double> row = matrix.row(i);
    for (Index j = 0; j < row.size(); ++j) {
      writer.number(row[j], j + 1 < row.size() ? delimiter : '\n');
    }
  }
  writer.flush();
}

}  // namespace clgauss::io
