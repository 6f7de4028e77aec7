#include "io/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <clgauss/error.hpp>
#include <span>
#include <vector>

#include "io/memory.hpp"
#include "io/number.hpp"
#include "io/number_writer.hpp"
#include "parallel.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view decimal_comma_hint =
    " (if the commas are decimal commas, write points: 1.5, not 1,5)";

/// Lines that one core parses, and where their rows belong.
struct Part {
  std::string_view text;
  Index lines = 0;
  double* out = nullptr;
  Index rows = 0;
};

class TableReader {
 public:
  TableReader(const Input& input, const ReadOptions& options, const Dialect& dialect)
      : input_(input),
        options_(options),
        dialect_(dialect),
        cursor_(input, options, dialect.characters) {}
  TableReader(const Input& input, const ReadOptions& options, const Dialect& dialect,
              std::string_view part)
      : input_(input),
        options_(options),
        dialect_(dialect),
        cursor_(input, options, dialect.characters, part) {}

  Content read();

 private:
  bool read_rest_in_parallel();
  [[nodiscard]] std::vector<Part> parts_of_rest() const;
  bool read_part(Part& part, Index cols, const std::atomic<bool>& stop);
  template <typename Take>
  void read_row(const Take& take);
  double read_number();
  void pass_delimiter();
  void reserve_all();
  [[nodiscard]] std::string_view field() const;
  [[nodiscard]] std::string hint(std::string_view field) const;
  [[noreturn]] void fail_field() const { cursor_.fail_no_number(field(), hint(field())); }

  const Input& input_;
  const ReadOptions& options_;
  const Dialect& dialect_;
  TextCursor cursor_;
  Content content_;
  std::size_t first_line_ = 0;  // where the first row stands
};

Content TableReader::read() {
  const auto keep = [this](double value) { content_.values.push_back(value); };
  while (cursor_.skip_to_next_line_with_content()) {
    const std::size_t before = content_.values.size();
    const char* row_begin = cursor_.position();
    read_row(keep);
    const Index found = content_.values.size() - before;
    if (content_.rows == 0) {
      content_.cols = found;
      first_line_ = cursor_.line();
    } else if (found != content_.cols) {
      cursor_.fail_at(row_begin, fmt::format("{} numbers expected, as in line {}, but {} found",
                                             content_.cols, first_line_, found));
    }
    ++content_.rows;
    cursor_.finish_line();
    if (content_.rows == 1) {
      if (read_rest_in_parallel()) break;
      reserve_all();
    }
  }
  if (content_.rows == 0) {
    throw FormatError(input_.name(), 0, 0, "there are no numbers in the file");
  }
  cursor_.finish_progress();
  return std::move(content_);
}

/// The rows behind the first one by all cores, if there are many and none of them is at fault. Else false, and nothing has
/// changed: who reads them one after the other knows which line to blame.
bool TableReader::read_rest_in_parallel() {
  std::vector<Part> parts = parts_of_rest();
  if (parts.size() < 2) return false;
  in_parallel(parts.size(), 1, [&](Index first, Index last) {
    for (Part& part : std::span(parts).subspan(first, last - first))
      part.lines = static_cast<Index>(std::count(part.text.begin(), part.text.end(), '\n')) + 1;
  });
  const Index cols = content_.cols;
  Index lines = 0;
  for (const Part& part : parts) {
    if (part.lines * cols > cols + part.text.size() / 2) return false;  // mostly blank lines
    lines += part.lines;
  }
  require_memory(input_.name(), 1 + lines, cols);
  content_.values.resize((1 + lines) * cols);
  double* out = content_.values.data() + cols;
  for (Part& part : parts) {
    part.out = out;
    out += part.lines * cols;
  }
  std::atomic<bool> stop = false;
  in_parallel(parts.size(), 1, [&](Index first, Index last) {
    ReadOptions options = options_;
    if (first > 0) options.progress = {};  // the caller's thread alone tells it
    try {
      for (Index p = first; p < last && !stop; ++p)
        if (!TableReader(input_, options, dialect_, parts[p].text).read_part(parts[p], cols, stop))
          stop = true;
    } catch (const FormatError&) {
      stop = true;
    } catch (...) {  // of the progress
      stop = true;
      throw;
    }
  });
  if (stop) {
    content_.values.resize(cols);
    return false;
  }
  double* end = content_.values.data() + cols;
  for (const Part& part : parts) {  // together, where lines had no numbers
    end = part.out == end ? end + part.rows * cols
                          : std::copy(part.out, part.out + part.rows * cols, end);
    content_.rows += part.rows;
  }
  content_.values.resize(content_.rows * cols);
  return true;
}

/// What is left, in parts that begin with a line.
std::vector<Part> TableReader::parts_of_rest() const {
  constexpr std::size_t kBytesOfPart = std::size_t{1} << 20U;
  std::string_view rest(cursor_.position(), cursor_.bytes_left());
  std::vector<Part> parts;
  for (Index left = parts_of(rest.size(), kBytesOfPart); !rest.empty(); --left) {
    const std::size_t newline = left == 1 ? rest.npos : rest.find('\n', rest.size() / left);
    const std::size_t end = newline == rest.npos ? rest.size() : newline + 1;
    parts.push_back({rest.substr(0, end)});
    rest.remove_prefix(end);
  }
  return parts;
}

/// Whether all lines of this reader's part have `cols` numbers.
bool TableReader::read_part(Part& part, Index cols, const std::atomic<bool>& stop) {
  double* out = part.out;
  for (; cursor_.skip_to_next_line_with_content(); ++part.rows) {
    if (stop) return false;
    const double* const row_end = out + cols;
    Index found = 0;
    read_row([&](double value) {
      if (out != row_end) *out++ = value;
      ++found;
    });
    if (found != cols) return false;
    cursor_.finish_line();
  }
  return true;
}

/// Gives the numbers of a line to `take`.
template <typename Take>
void TableReader::read_row(const Take& take) {
  while (true) {
    take(read_number());
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
