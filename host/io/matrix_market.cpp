// Matrix Market files: array (dense, column-major) and coordinate (row, column, value), with real,
// integer and, if the caller accepts them, complex numbers.
// https://math.nist.gov/MatrixMarket/formats.html

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "io/ascii.hpp"
#include "io/formats.hpp"
#include "io/memory.hpp"
#include "io/number.hpp"
#include "io/number_writer.hpp"
#include "io/text_cursor.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view banner = "%%matrixmarket";
constexpr CharacterClass characters("%", "");

enum class Layout { array, coordinate };
enum class Symmetry { general, symmetric, skew, hermitian };

/// An entry; `im` is 0 for real numbers.
struct Entry {
  double re = 0, im = 0;
};

class MatrixMarketReader {
 public:
  MatrixMarketReader(const Input& input, const ReadOptions& options, Numbers numbers)
      : file_(input.name()),
        numbers_(numbers),
        allow_nonfinite_(options.allow_nonfinite),
        cursor_(input, options, characters) {}

  Content read();

 private:
  void read_banner();
  void read_banner_word(std::size_t position, std::string_view word);
  void read_size();
  [[nodiscard]] Index promised_array_entries() const;
  void refuse_implausible_size() const;
  void read_array();
  void read_coordinates();
  void add_entry(Index row, Index col, Entry value, const char* at);
  void next_entry(Index done);
  Index read_index(std::string_view what, Index most);
  Entry read_value();
  double read_part();
  void finish_entry(std::string_view expected);

  /// Doubles per element: 2 for complex numbers.
  [[nodiscard]] Index parts() const { return content_.complex ? 2 : 1; }
  double* at(Index row, Index col) {
    return &content_.values[(row * content_.cols + col) * parts()];
  }
  [[nodiscard]] Entry get(Index row, Index col) {
    const double* const place = at(row, col);
    return {place[0], content_.complex ? place[1] : 0};
  }
  /// Sets element (row, col) and the element that follows from it by symmetry.
  void set(Index row, Index col, Entry value);
  void refuse_hermitian_diagonal(Index row, Index col, Entry value, const char* at) const;

  const std::string& file_;
  Numbers numbers_;
  bool allow_nonfinite_;
  TextCursor cursor_;
  Layout layout_ = Layout::array;
  Symmetry symmetry_ = Symmetry::general;
  bool integers_ = false;
  Index entries_ = 0;  // according to the header
  Content content_;
};

Content MatrixMarketReader::read() {
  read_banner();
  read_size();
  refuse_implausible_size();
  require_memory(file_, content_.rows, content_.cols * parts());
  content_.values.assign(content_.rows * content_.cols * parts(), 0.0);
  cursor_.finish_line();
  if (layout_ == Layout::array) {
    read_array();
  } else {
    read_coordinates();
  }
  if (cursor_.skip_to_next_line_with_content()) {
    cursor_.fail(fmt::format("more entries than the {} that the header promises", entries_));
  }
  cursor_.finish_progress();
  return std::move(content_);
}

void MatrixMarketReader::read_banner() {
  constexpr std::string_view blanks = " \t\r";
  std::string_view line = cursor_.rest_of_line();
  std::size_t words = 0;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) {
      break;
    }
    const std::string_view word = line.substr(0, line.find_first_of(blanks));
    read_banner_word(words++, word);
    line.remove_prefix(word.size());
  }
  if (words != 5) {
    cursor_.fail(
        "the header has 5 words: %%MatrixMarket matrix, array or coordinate, real or integer, "
        "and general, symmetric or skew-symmetric");
  }
  while (!cursor_.at_end() && cursor_.peek() != '\n') {
    cursor_.advance();
  }
}

void MatrixMarketReader::read_banner_word(std::size_t position, std::string_view word) {
  const std::string name = lowercase(word);
  const auto refuse = [&](const std::string& reason) { cursor_.fail_at(word.data(), reason); };
  if (position == 0 && name != banner) {
    refuse(
        "the file does not begin with %%MatrixMarket (plain numbers are read as the format text)");
  } else if (position == 1 && name != "matrix") {
    refuse(in_quotes(word) + " is not read, only 'matrix'");
  } else if (position == 2) {
    if (name != "array" && name != "coordinate") {
      refuse(in_quotes(word) + " is neither 'array' nor 'coordinate'");
    }
    layout_ = name == "array" ? Layout::array : Layout::coordinate;
  } else if (position == 3) {
    if (name == "pattern") {
      refuse("a 'pattern' matrix has no values, only 'real' and 'integer' are read");
    }
    content_.complex = name == "complex" && numbers_ == Numbers::any;
    if (name != "real" && name != "integer" && !content_.complex) {
      refuse(in_quotes(word) + " numbers are not read" +
             (name == "complex"
                  ? " here, where a real matrix is needed (solve takes complex systems)"
                  : ", only 'real', 'integer' and 'complex'"));
    }
    integers_ = name == "integer";
  } else if (position == 4) {
    const bool hermitian = name == "hermitian" && content_.complex;
    if (name != "general" && name != "symmetric" && name != "skew-symmetric" && !hermitian) {
      refuse(
          in_quotes(word) + " is not read, only 'general', 'symmetric' and 'skew-symmetric'" +
          (content_.complex || name == "hermitian" ? ", and 'hermitian' of complex numbers" : ""));
    }
    symmetry_ = name == "general"     ? Symmetry::general
                : name == "symmetric" ? Symmetry::symmetric
                : hermitian           ? Symmetry::hermitian
                                      : Symmetry::skew;
  }
}

void MatrixMarketReader::read_size() {
  if (!cursor_.skip_to_next_line_with_content()) {
    cursor_.fail("the file ends before the line with the size");
  }
  content_.rows = cursor_.whole_number("a number of rows");
  cursor_.skip_blanks();
  content_.cols = cursor_.whole_number("a number of columns");
  cursor_.skip_blanks();
  if (layout_ == Layout::coordinate) {
    entries_ = cursor_.whole_number("a number of entries");
  }
  if (!cursor_.skip_to_content()) {
    cursor_.fail(in_quotes(cursor_.token()) + " is one number too many: the size is " +
                 (layout_ == Layout::array ? "rows and columns" : "rows, columns and entries"));
  }
  if (symmetry_ != Symmetry::general && content_.rows != content_.cols) {
    cursor_.fail(
        fmt::format("{} x {} is not square and cannot be symmetric", content_.rows, content_.cols));
  }
  if (layout_ == Layout::array) {
    entries_ = promised_array_entries();
  }
}

Index MatrixMarketReader::promised_array_entries() const {
  const Index n = content_.rows;
  if (!dense_bytes(n,
                   content_.cols)) {  // an excessive size is refused before allocation
    return std::numeric_limits<Index>::max();
  }
  switch (symmetry_) {
    case Symmetry::symmetric:
    case Symmetry::hermitian:
      return n * (n + 1) / 2;
    case Symmetry::skew:
      return n == 0 ? 0 : n * (n - 1) / 2;
    case Symmetry::general:
      break;
  }
  return n * content_.cols;
}

/// Refuses sizes that the rest of the file cannot contain, before anything is allocated.
void MatrixMarketReader::refuse_implausible_size() const {
  const Index shortest_entry =  // "1\n" and "1 1 1\n", for complex numbers " 0" more
      (layout_ == Layout::array ? 2 : 6) + 2 * (parts() - 1);
  const Index bytes = cursor_.bytes_left();
  if (entries_ > bytes / shortest_entry) {
    cursor_.fail(
        fmt::format("the header promises {} x {} with {} entries, the {} bytes after it "
                    "hold fewer",
                    content_.rows, content_.cols, entries_, bytes));
  }
  if (layout_ == Layout::coordinate && entries_ < content_.rows &&
      !fits_memory(content_.rows, content_.cols * parts())) {
    cursor_.fail(
        fmt::format("the header promises {} x {} with only {} entries: rows without any, "
                    "and too large for this machine's memory as a dense matrix",
                    content_.rows, content_.cols, entries_));
  }
}

void MatrixMarketReader::read_array() {
  Index done = 0;
  for (Index col = 0; col < content_.cols && done < entries_; ++col) {
    const Index first_row = symmetry_ == Symmetry::general ? 0
                            : symmetry_ == Symmetry::skew  ? col + 1
                                                           : col;
    for (Index row = first_row; row < content_.rows; ++row) {
      next_entry(done++);
      const char* begin = cursor_.position();
      const Entry value = read_value();
      refuse_hermitian_diagonal(row, col, value, begin);
      finish_entry("one number a line, column by column");
      set(row, col, value);
    }
  }
}

void MatrixMarketReader::read_coordinates() {
  for (Index done = 0; done < entries_; ++done) {
    next_entry(done);
    const char* begin = cursor_.position();
    const Index row = read_index("row", content_.rows);
    const Index col = read_index("column", content_.cols);
    const Entry value = read_value();
    add_entry(row - 1, col - 1, value, begin);
    finish_entry("row, column and value");
  }
}

void MatrixMarketReader::set(Index row, Index col, Entry value) {
  const auto put = [this](double* place, double re, double im) {
    place[0] = re;
    if (content_.complex) place[1] = im;
  };
  put(at(row, col), value.re, value.im);
  if (symmetry_ == Symmetry::general || row == col) return;
  const double sign = symmetry_ == Symmetry::skew ? -1 : 1;
  put(at(col, row), sign * value.re,
      symmetry_ == Symmetry::hermitian ? -value.im : sign * value.im);
}

void MatrixMarketReader::refuse_hermitian_diagonal(Index row, Index col, Entry value,
                                                   const char* begin) const {
  if (symmetry_ == Symmetry::hermitian && row == col && value.im != 0)
    cursor_.fail_at(begin, "the diagonal of a hermitian matrix is real");
}

void MatrixMarketReader::add_entry(Index row, Index col, Entry value, const char* begin) {
  if (symmetry_ == Symmetry::skew && row == col) {
    cursor_.fail_at(begin, "an entry on the diagonal, which is zero in a skew-symmetric matrix");
  }
  if (symmetry_ != Symmetry::general && row < col) {
    cursor_.fail_at(begin,
                    fmt::format("row {}, column {} lies above the diagonal: a symmetric file "
                                "holds the lower triangle only (write 'general' in the "
                                "header if both triangles are given)",
                                row + 1, col + 1));
  }
  refuse_hermitian_diagonal(row, col, value, begin);
  const Entry before = get(row, col),
              sum{before.re + value.re, before.im + value.im};  // duplicates are added
  if (!(std::isfinite(sum.re) && std::isfinite(sum.im)) && !allow_nonfinite_) {
    cursor_.fail_at(begin, fmt::format("the entries of row {}, column {} add up beyond the range "
                                       "of f64",
                                       row + 1, col + 1));
  }
  set(row, col, sum);
}

void MatrixMarketReader::next_entry(Index done) {
  if (!cursor_.skip_to_next_line_with_content()) {
    cursor_.fail(
        fmt::format("the header promises {} entries, the file ends after {}", entries_, done));
  }
}

Index MatrixMarketReader::read_index(std::string_view what, Index most) {
  const char* begin = cursor_.position();
  const Index index = cursor_.whole_number(fmt::format("a {} index", what));
  if (index == 0) {
    cursor_.fail_at(begin, fmt::format("{} 0: indices count from 1 in Matrix Market files", what));
  }
  if (index > most) {
    cursor_.fail_at(begin, fmt::format("{} {} is outside of the {} x {} matrix", what, index,
                                       content_.rows, content_.cols));
  }
  if (cursor_.skip_to_content()) {
    cursor_.fail("an entry is row, column and value, the line ends too early");
  }
  return index;
}

Entry MatrixMarketReader::read_value() {
  Entry value{read_part(), 0};
  if (!content_.complex) return value;
  if (cursor_.skip_to_content())
    cursor_.fail("a complex number is a real and an imaginary part, the line ends too early");
  value.im = read_part();
  return value;
}

double MatrixMarketReader::read_part() {
  const char* begin = cursor_.position();
  double value = 0;
  if (!cursor_.read_plain_number(value)) {
    const std::optional<double> unusual = cursor_.unusual_number();
    if (!unusual) {
      cursor_.fail_no_number(cursor_.token());
    }
    value = *unusual;
  }
  if (integers_ && std::isfinite(value) && value != std::trunc(value)) {
    cursor_.fail_at(begin, "not a whole number, though the header says 'integer'");
  }
  return value;
}

void MatrixMarketReader::finish_entry(std::string_view expected) {
  if (!cursor_.skip_to_content()) {
    cursor_.fail(fmt::format("{} is one number too many: expected is {}",
                             in_quotes(cursor_.token()), expected));
  }
}

}  // namespace

bool is_matrix_market(std::string_view bytes) {
  return lowercase(bytes.substr(0, banner.size())) == banner;
}

Content read_matrix_market(const Input& input, const ReadOptions& options) {
  return MatrixMarketReader(input, options, Numbers::real).read();
}

Content read_any_matrix_market(const Input& input, const ReadOptions& options) {
  return MatrixMarketReader(input, options, Numbers::any).read();
}

void write_matrix_market(OutputFile& file, const Matrix& matrix, const WriteOptions& options) {
  file.write(fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", matrix.rows(),
                         matrix.cols()));
  if (matrix.empty()) {
    return;  // there may be 10^18 empty columns
  }
  NumberWriter writer(file, options);
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      writer.number(matrix(i, j), '\n');
    }
  }
  writer.flush();
}

void write_complex_matrix_market(OutputFile& file, const Matrix& parts,
                                 const WriteOptions& options) {
  file.write(fmt::format("%%MatrixMarket matrix array complex general\n{} {}\n", parts.rows(),
                         parts.cols() / 2));
  NumberWriter writer(file, options);
  for (Index j = 0; j < parts.cols(); j += 2) {
    for (Index i = 0; i < parts.rows(); ++i) {
      writer.number(parts(i, j), ' ');
      writer.number(parts(i, j + 1), '\n');
    }
  }
  writer.flush();
}

}  // namespace clgauss::io
