#include "io/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Collects the problems of a file, with their places.
class Problems {
 public:
  void add(TextProblem problem) {
    binary_ = binary_ || !problem.is_text();
    if (++count_ <= kShown) shown_.push_back(std::move(problem));
  }
  [[nodiscard]] Index count() const { return count_; }
  /// Reading further is pointless: there are too many problems, or the file is binary.
  [[nodiscard]] bool enough() const { return count_ >= kMost || binary_; }
  /// The error of the first problem. Its text also lists the others.
  [[nodiscard]] FormatError error(const std::string& file) const {
    const TextProblem& first = shown_.front();
    std::string text = first.reason();
    for (const TextProblem& problem : std::span(shown_).subspan(1))
      text += fmt::format("\n{}", problem.what());
    if (count_ > kShown)
      text += fmt::format("\n... and {}{} more", enough() ? "at least " : "", count_ - kShown);
    return {file, first.line(), first.column(), text};
  }

 private:
  static constexpr Index kShown = 10, kMost = 10'000;

  std::vector<TextProblem> shown_;
  Index count_ = 0;
  bool binary_ = false;
};

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// The fields of a spreadsheet's line, without surrounding blanks and quotes.
std::vector<std::string_view> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  bool quoted = false;
  const auto add = [&](std::string_view field) {
    field = without_blanks(field);
    const bool in_quotes = field.size() >= 2 && field.front() == '"' && field.back() == '"';
    fields.push_back(in_quotes ? without_blanks(field.substr(1, field.size() - 2)) : field);
  };
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == delimiter && !quoted) {
      add(line.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  add(line.substr(begin));
  return fields;
}

/// `text` with its only comma turned into a decimal point. Empty if it has no comma or more than
/// one, or a point.
std::string with_point(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos || text.find_first_of(",.", comma + 1) != text.npos ||
      text.substr(0, comma).find('.') != text.npos)
    return {};
  std::string changed(text);
  changed[comma] = '.';
  return changed;
}

bool is_number(std::string_view text) {
  return parse_number(text).kind != NumberKind::malformed ||
         parse_number(with_point(text)).kind != NumberKind::malformed;
}

/// Whether the fields can be column names: there is at least one field, and none looks like a
/// number or a misspelt one.
bool are_names(std::span<const std::string_view> fields) {
  const auto may_be_name = [](std::string_view field) {
    const bool text = std::ranges::none_of(field, [](char c) { return c >= 0 && c < ' '; });
    return field.empty() ||
           (text && field.find_first_of("+-.0123456789") != 0 && !is_number(field));
  };
  return std::ranges::all_of(fields, may_be_name) &&
         !std::ranges::all_of(fields, [](std::string_view field) { return field.empty(); });
}

constexpr std::string_view decimal_comma_hint =
    " (if the commas are decimal commas, write points: 1.5, not 1,5)";

/// Lines that one core parses, and where their rows go.
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
  void skip_names();
  bool read_rest_in_parallel();
  [[nodiscard]] std::vector<Part> parts_of_rest() const;
  bool read_part(Part& part, Index cols, const std::atomic<bool>& stop);
  template <typename Take>
  void read_row(const Take& take);
  Index read_row_with_problems();
  double read_number();
  double read_any_number();
  double read_quoted();
  [[nodiscard]] std::optional<double> number_in(std::string_view text);
  void use(char decimal_mark, const char* at);
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
  std::size_t first_line_ = 0;  // line number of the first row
  Problems problems_;
  std::string names_;  // the line of column names, for a note about it
  std::array<std::optional<std::size_t>, 2>
      marks_{};  // where the first decimal comma and the first decimal point are
};

Content TableReader::read() {
  skip_names();
  while (!problems_.enough() && cursor_.skip_to_next_line_with_content()) {
    const Index before = problems_.count();
    const char* row_begin = cursor_.position();
    const Index found = read_row_with_problems();
    if (content_.rows == 0) {
      content_.cols = found;
      first_line_ = cursor_.line();
    } else if (found != content_.cols && problems_.count() == before) {
      problems_.add(cursor_.problem_at(
          row_begin, fmt::format("{} numbers expected, as in line {}, but {} found", content_.cols,
                                 first_line_, found)));
    }
    ++content_.rows;
    cursor_.finish_line();
    if (content_.rows == 1 && problems_.count() == 0) {
      if (read_rest_in_parallel()) break;
      reserve_all();
    }
  }
  if (problems_.count() > 0) throw problems_.error(input_.name());
  if (content_.rows == 0) {
    throw FormatError(input_.name(), 0, 0, "there are no numbers in the file");
  }
  cursor_.finish_progress();
  if (!names_.empty() && options_.note) options_.note(names_);
  return std::move(content_);
}

/// Skips a first line of column names. It must have as many fields as the next line, none of them
/// like a number, and the next line must hold numbers.
void TableReader::skip_names() {
  if (!dialect_.of_spreadsheets || !cursor_.skip_to_next_line_with_content()) return;
  const std::string_view line = cursor_.rest_of_line();
  const auto names = fields_of(line, dialect_.delimiter);
  if (!are_names(names)) return;
  const std::string_view behind(line.end(), cursor_.bytes_left() - line.size());
  const auto numbers = fields_of(first_line_with_content(behind, "#"), dialect_.delimiter);
  if (numbers.size() != names.size() || std::ranges::none_of(numbers, is_number)) return;
  names_ = fmt::format("{}: line {} names the columns ({}) and is skipped", input_.name(),
                       cursor_.line(), in_quotes(line.substr(0, line.find('\r'))));
  cursor_.skip_rest_of_line();
  cursor_.finish_line();
}

/// Reads the rows after the first one on all cores, if there are many and none has an error.
/// Otherwise returns false and changes nothing; reading sequentially then finds the line with the
/// error.
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
  std::array<std::atomic<bool>, 2> seen = {marks_[0].has_value(), marks_[1].has_value()};
  in_parallel(parts.size(), 1, [&](Index first, Index last) {
    ReadOptions options = options_;
    if (first > 0) options.progress = {};  // only the caller's thread reports progress
    try {
      for (Index p = first; p < last && !stop; ++p) {
        TableReader reader(input_, options, dialect_, parts[p].text);
        if (!reader.read_part(parts[p], cols, stop)) stop = true;
        for (Index mark = 0; mark < marks_.size(); ++mark)
          if (reader.marks_[mark]) seen[mark] = true;
      }
    } catch (const FormatError&) {
      stop = true;
    } catch (...) {  // from the progress callback
      stop = true;
      throw;
    }
  });
  if (stop || (seen[0] && seen[1])) {
    content_.values.resize(cols);
    return false;
  }
  double* end = content_.values.data() + cols;
  for (const Part& part : parts) {  // closes the gaps left by lines without numbers
    end = part.out == end ? end + part.rows * cols
                          : std::copy(part.out, part.out + part.rows * cols, end);
    content_.rows += part.rows;
  }
  content_.values.resize(content_.rows * cols);
  return true;
}

/// The rest of the file, in parts that begin at a line's start.
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

/// Reads a part. True if each of its lines has `cols` numbers.
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

/// Passes the numbers of a line to `take`.
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

/// Returns the number of fields in the line. Errors are added to the problems; values are kept only
/// while there are none.
Index TableReader::read_row_with_problems() {
  Index found = 0;
  const auto attempt = [this](const auto& step) {
    try {
      step();
    } catch (const TextProblem& problem) {
      problems_.add(problem);
      if (!problem.is_text())
        cursor_.skip_rest_of_line();
      else
        cursor_.advance(field().size());
    }
  };
  while (true) {
    attempt([&] {
      const double value = read_number();
      if (problems_.count() == 0) content_.values.push_back(value);
    });
    ++found;
    while (true) {  // to the next field
      if (cursor_.skip_to_content()) return found;
      if (dialect_.delimiter == 0 || problems_.enough()) break;
      const char* const begin = cursor_.position();
      bool passed = false;
      attempt([&] {
        pass_delimiter();
        passed = true;
      });
      if (passed) break;
      if (cursor_.position() == begin) cursor_.advance();  // a misplaced carriage return
    }
  }
}

double TableReader::read_number() {
  const char* const begin = cursor_.position();
  const double value = read_any_number();
  if (value < 0 && !options_.allow_negative) cursor_.fail_at(begin, negative_text(value));
  return value;
}

double TableReader::read_any_number() {
  double value = 0;
  const char* const begin = cursor_.position();
  if (cursor_.read_plain_number(value)) {
    if (dialect_.decimal_commas && std::find(begin, cursor_.position(), '.') != cursor_.position())
      use('.', begin);
    return value;
  }
  if (dialect_.delimiter != 0 && cursor_.peek() == dialect_.delimiter) {
    cursor_.fail("the field is empty: write 0 if that is meant");
  }
  if (dialect_.of_spreadsheets && cursor_.peek() == '"') return read_quoted();
  const std::string_view text = cursor_.token();
  const std::optional<double> number = number_in(text);
  if (!number) fail_field();
  cursor_.advance(text.size());
  return *number;
}

/// A number in quotes, followed by a delimiter, blanks or the end of the line.
double TableReader::read_quoted() {
  const std::string_view rest = cursor_.rest_of_line();
  const std::size_t close = rest.find('"', 1);
  if (close == rest.npos) cursor_.fail("the quotes that begin here do not end in this line");
  const std::string_view text = without_blanks(rest.substr(1, close - 1));
  if (text.empty()) cursor_.fail("the field is empty: write 0 if that is meant");
  const std::optional<double> number = number_in(text);
  if (!number) fail_field();
  cursor_.advance(close + 1);
  return *number;
}

/// The value of `text`, which begins at the cursor, in this dialect.
std::optional<double> TableReader::number_in(std::string_view text) {
  if (const std::optional<double> number = cursor_.unusual_number_in(text)) {
    if (dialect_.decimal_commas && text.find('.') != text.npos) use('.', cursor_.position());
    return number;
  }
  if (!dialect_.decimal_commas) return std::nullopt;
  const std::string pointed = with_point(text);
  const std::optional<double> number =
      pointed.empty() ? std::nullopt : cursor_.unusual_number_in(pointed);
  if (number) use(',', cursor_.position());
  return number;
}

/// Records the decimal mark of the number at `at`. Throws FormatError if an earlier number had the
/// other mark.
void TableReader::use(char decimal_mark, const char* at) {
  const Index own = decimal_mark == ',' ? 0 : 1;
  if (const auto& other = marks_[1 - own])
    cursor_.fail_at(
        at, fmt::format("there is a {} in this number, and a {} in one of line {}: which one "
                        "separates thousands?",
                        own == 0 ? "comma" : "point", own == 0 ? "point" : "comma", *other));
  if (!marks_[own]) marks_[own] = cursor_.line();
}

void TableReader::pass_delimiter() {
  if (cursor_.peek() != dialect_.delimiter) {
    const bool tab = dialect_.delimiter == '\t';
    cursor_.fail(fmt::format("found {} where the next {} should be{}", in_quotes(field()),
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

/// Reserves memory for as many rows as there are lines left, so that a large matrix is never moved.
/// A number and its separator take at least two bytes, which limits the reservation.
void TableReader::reserve_all() {
  const std::string_view rest(cursor_.position(), cursor_.bytes_left());
  const auto lines = static_cast<Index>(std::count(rest.begin(), rest.end(), '\n'));
  const Index most = content_.cols + rest.size() / 2;
  const Index rows = std::min(lines, most / content_.cols) + 1;
  require_memory(input_.name(), rows, content_.cols);
  content_.values.reserve(rows * content_.cols);
}

/// The characters up to the next delimiter, comment or end of the line, without surrounding blanks.
std::string_view TableReader::field() const {
  if (dialect_.delimiter == 0) {
    return cursor_.token();
  }
  const std::string_view rest = cursor_.rest_of_line();
  const std::size_t close =
      dialect_.of_spreadsheets && rest.starts_with('"') ? rest.find('"', 1) : rest.npos;
  const auto* const begin = rest.begin() + (close == rest.npos ? 0 : close + 1);
  const auto* end = std::find_if(begin, rest.end(), [this](char c) {
    return c == dialect_.delimiter || dialect_.characters.comment(c);
  });
  while (end != rest.begin() && (dialect_.characters.blank(end[-1]) || end[-1] == '\r')) {
    --end;
  }
  return {rest.begin(), end};
}

/// A hint at what a field that is not a number may mean.
std::string TableReader::hint(std::string_view field) const {
  const bool in_double_quotes = field.size() > 2 && field.front() == '"' && field.back() == '"';
  const std::string_view inside = in_double_quotes ? field.substr(1, field.size() - 2) : field;
  const std::string pointed = with_point(inside);
  if (!inside.ends_with(',') && parse_number(pointed).kind != NumberKind::malformed) {
    if (in_double_quotes)
      return fmt::format(": its comma is a decimal comma or separates thousands, write {}",
                         pointed) +
             " if it is the first";
    return fmt::format(": it has a decimal comma, write {}{}", pointed,
                       dialect_.delimiter == 0 ? " (or read it as csv if the file is CSV)" : "");
  }
  if (dialect_.delimiter == ',' && field.find_first_of(" \t") != std::string_view::npos) {
    return std::string(decimal_comma_hint);
  }
  if (dialect_.delimiter == 0 && field.find_first_of(",;") != std::string_view::npos) {
    return " (if the file is CSV, read it as csv)";
  }
  if (in_double_quotes && parse_number(inside).kind == NumberKind::finite) {
    return " (remove the quotes)";
  }
  const bool like_a_name = field.find_first_of("+-.0123456789") != 0;
  if (dialect_.of_spreadsheets && content_.rows == 0 && like_a_name) {
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
    return;  // there may be 10^18 empty rows
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
