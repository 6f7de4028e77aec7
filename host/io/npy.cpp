// NumPy .npy, versions 1 to 3: a signature, a Python dict as text, and the numbers as in memory.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <clgauss/error.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

#include "io/exact.hpp"
#include "io/formats.hpp"
#include "io/memory.hpp"
#include "io/number.hpp"
#include "io/progress.hpp"
#include "parallel.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view signature = "\x93NUMPY";

struct Header {
  std::string dtype;
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// Parses {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, with its keys in any order.
class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view text) : file_(file), rest_(text) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      parse_item();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) {
      damaged(in_quotes(rest_) + " follows its closing brace");
    }
    if (!has_dtype_ || !has_order_ || !has_shape_) {
      damaged("descr, fortran_order or shape is missing");
    }
    return header_;
  }

 private:
  void parse_item() {
    const std::string_view key = string();
    expect(':');
    if (key == "descr") {
      skip_blanks();
      if (!rest_.starts_with('\'') && !rest_.starts_with('"')) {
        throw FormatError(file_, 0, 0,
                          "arrays of records are not read: save a plain array of float64");
      }
      header_.dtype = string();
      has_dtype_ = true;
    } else if (key == "fortran_order") {
      header_.fortran_order = truth();
      has_order_ = true;
    } else if (key == "shape") {
      header_.shape = tuple();
      has_shape_ = true;
    } else {
      damaged(in_quotes(key) + " is not a known key");
    }
  }

  std::string_view string() {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
      damaged("a string is missing");
    }
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool truth() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    damaged("fortran_order is neither True nor False");
  }

  std::vector<Index> tuple() {
    std::vector<Index> numbers;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index number = 0;
      const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (read.ec != std::errc{}) {
        damaged("the shape is not a tuple of numbers that fit 64 bits");
      }
      numbers.push_back(number);
      rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
      accept('L');  // Python 2 wrote long integers like this
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }
  bool accept(char c) {
    skip_blanks();
    const bool here = rest_.starts_with(c);
    rest_.remove_prefix(here ? 1 : 0);
    return here;
  }
  void expect(char c) {
    if (!accept(c)) {
      damaged(fmt::format("'{}' is missing", c));
    }
  }
  [[noreturn]] void damaged(const std::string& reason) const {
    throw FormatError(file_, 0, 0, "the .npy header is damaged: " + reason);
  }

  const std::string& file_;
  std::string_view rest_;
  Header header_;
  bool has_dtype_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

class NpyReader {
 public:
  NpyReader(const Input& input, const ReadOptions& options, Index most_dimensions,
            Numbers numbers = Numbers::real)
      : file_(input.name()),
        bytes_(input.bytes()),
        most_dimensions_(most_dimensions),
        numbers_(numbers),
        allow_nonfinite_(options.allow_nonfinite),
        progress_(options.progress, input.name(), bytes_.size()) {}

  Array read();
  /// Whether the numbers are complex.
  [[nodiscard]] bool complex() const { return parts_ == 2; }

 private:
  std::string_view split_header();
  void apply_type(const std::string& dtype);
  void apply_shape();
  void check_length() const;
  template <typename Number>
  [[nodiscard]] Number load(Index i) const;
  void convert_as(const std::string& dtype);
  template <typename Number>
  void convert();
  template <typename Number>
  void convert_row_major(Index first, Index last);
  template <typename Number>
  void convert_columns();
  template <typename Integer>
  void refuse_inexact() const;
  [[nodiscard]] Index column_index(Index row, Index col) const;
  [[nodiscard]] std::string place_text(Index i) const;
  void refuse_nonfinite() const;
  [[noreturn]] void fail(const std::string& reason) const {
    throw FormatError(file_, 0, 0, reason);
  }

  const std::string& file_;
  std::string_view bytes_;  // after the header: the data
  Index most_dimensions_;
  Numbers numbers_;
  bool allow_nonfinite_;
  Progress progress_;
  std::size_t number_bytes_ = 0;
  bool swap_ = false;     // the byte order differs from this machine's
  bool fortran_ = false;  // the first index varies fastest
  Array array_;
  Index parts_ = 1;            // 2 for complex numbers
  Index rows_ = 0, cols_ = 0;  // the first extent, and the product of the others and of parts_
  std::atomic<Index> nonfinite_ = std::numeric_limits<Index>::max();  // the first one
};

Array NpyReader::read() {
  const Header header = HeaderParser(file_, split_header()).parse();
  apply_type(header.dtype);
  array_.shape = header.shape;
  apply_shape();
  check_length();
  require_memory(file_, rows_, cols_);
  array_.values.resize(rows_ * cols_);
  fortran_ = header.fortran_order;
  convert_as(header.dtype);
  refuse_nonfinite();
  progress_.finish();
  return std::move(array_);
}

/// Returns the header's text and leaves the data in bytes_.
std::string_view NpyReader::split_header() {
  if (!is_npy(bytes_)) {
    fail("the file does not begin with the signature of .npy");
  }
  const auto byte = [this](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes_[i]));
  };
  constexpr std::size_t version_end = signature.size() + 2;
  const std::size_t version = bytes_.size() < version_end ? 0 : byte(signature.size());
  if (version < 1 || version > 3) {
    fail("versions 1 to 3 of .npy are read, this is another one or the header is cut off");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t text_begin = version_end + length_bytes;
  std::size_t length = 0;
  for (std::size_t i = text_begin; i > version_end && bytes_.size() >= text_begin; --i) {
    length = length << 8 | byte(i - 1);  // little-endian
  }
  if (bytes_.size() < text_begin || length > bytes_.size() - text_begin) {
    fail("the .npy header is cut off");
  }
  const std::string_view text = bytes_.substr(text_begin, length);
  bytes_.remove_prefix(text_begin + length);
  return text;
}

void NpyReader::apply_type(const std::string& dtype) {
  constexpr std::array kinds = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
  const std::string_view kind = std::string_view(dtype).substr(dtype.empty() ? 0 : 1);
  const bool complex = numbers_ == Numbers::any && (kind == "c8" || kind == "c16");
  if (dtype.find_first_of("<>=|") != 0 ||
      (std::ranges::find(kinds, kind) == kinds.end() && !complex)) {
    fail("dtype " + in_quotes(dtype) +
         " is not read, only floats and integers of up to 64 bits: save the array with "
         ".astype('float64')" +
         (kind.starts_with('c')
              ? " (it is complex: solve takes complex systems, .real leaves its real part)"
              : ""));
  }
  constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
  number_bytes_ = complex && kind == "c8" ? sizeof(float)
                  : complex               ? sizeof(double)
                                          : static_cast<std::size_t>(kind[1] - '0');
  parts_ = complex ? 2 : 1;
  swap_ = (dtype[0] == '<' || dtype[0] == '>') && dtype[0] != native;
}

void NpyReader::convert_as(const std::string& dtype) {
  const std::string_view kind = std::string_view(dtype).substr(1);
  if (kind == "f8" || kind == "c16") return convert<double>();
  if (kind == "f4" || kind == "c8") return convert<float>();
  if (kind == "i8") return convert<std::int64_t>();
  if (kind == "u8") return convert<std::uint64_t>();
  if (kind == "i4") return convert<std::int32_t>();
  if (kind == "u4") return convert<std::uint32_t>();
  if (kind == "i2") return convert<std::int16_t>();
  if (kind == "u2") return convert<std::uint16_t>();
  if (kind == "i1") return convert<std::int8_t>();
  convert<std::uint8_t>();  // also b1
}

void NpyReader::apply_shape() {
  const std::vector<Index>& shape = array_.shape;
  if (shape.empty() || shape.size() > most_dimensions_) {
    fail(fmt::format("the array has {} dimensions, only {} are read{}", shape.size(),
                     most_dimensions_ == 2 ? "1 and 2" : "1 to 3",
                     shape.size() == 3 ? "; a batch of small systems is solved as such" : ""));
  }
  rows_ = shape[0];
  cols_ = parts_;
  for (Index d = 1; d < shape.size(); ++d) {
    if (!dense_bytes(cols_, shape[d])) {
      fail("the shape has more elements than fit 64 bits");
    }
    cols_ *= shape[d];
  }
}

void NpyReader::check_length() const {
  const std::optional<Index> dense = dense_bytes(rows_, cols_);
  if (!dense || *dense / sizeof(double) * number_bytes_ != bytes_.size()) {
    fail(
        fmt::format("{} x {} numbers of {} bytes are promised, {} bytes follow the header: the "
                    "file is cut off or damaged",
                    rows_, cols_ / parts_, number_bytes_ * parts_, bytes_.size()));
  }
}

template <typename Number>
Number NpyReader::load(Index i) const {
  std::array<char, sizeof(Number)> raw;
  std::memcpy(raw.data(), bytes_.data() + i * sizeof(Number), sizeof(Number));
  if (swap_) {
    std::reverse(raw.begin(), raw.end());
  }
  return std::bit_cast<Number>(raw);
}

template <typename Number>
void NpyReader::convert() {
  if (array_.values.empty()) {
    return;  // a shape such as (10^18, 0) would loop for long
  }
  if constexpr (std::integral<Number> && sizeof(Number) == sizeof(std::uint64_t)) {
    refuse_inexact<Number>();
  }
  if (fortran_) {
    convert_columns<Number>();
    return;
  }
  // kBlock: elements between progress reports, and per start of threads. kStep: elements that stay
  // in a core's cache until they are checked.
  constexpr Index kBlock = Index{1} << 23U, kStep = Index{1} << 15U;
  for (Index begin = 0; begin < array_.values.size(); begin += kBlock) {
    const Index count = std::min(kBlock, array_.values.size() - begin);
    in_parallel(count, kElementsPerThread, [&](Index first, Index last) {
      for (Index at = begin + first; at < begin + last; at += kStep)
        convert_row_major<Number>(at, std::min(at + kStep, begin + last));
    });
    progress_.at((begin + count) * sizeof(Number));
  }
}

/// Converts elements first .. last and records the first that is not finite.
template <typename Number>
void NpyReader::convert_row_major(Index first, Index last) {
  double* const out = array_.values.data();
  if (std::same_as<Number, double> && !swap_)
    std::memcpy(out + first, bytes_.data() + first * sizeof(double),
                (last - first) * sizeof(double));
  else
    for (Index i = first; i < last; ++i) out[i] = static_cast<double>(load<Number>(i));
  if (std::integral<Number> || allow_nonfinite_) return;
  const Index bad = first + first_nonfinite({out + first, last - first});
  if (bad == last) return;
  for (Index known = nonfinite_; bad < known && !nonfinite_.compare_exchange_weak(known, bad);) {
  }
}

template <typename Number>
void NpyReader::convert_columns() {
  constexpr Index width = 8;  // columns at a time, so that each cache line is written once
  for (Index left = 0; left < cols_; left += width) {
    const Index right = std::min(left + width, cols_);
    for (Index row = 0; row < rows_; ++row) {
      for (Index col = left; col < right; ++col) {
        array_.values[row * cols_ + col] =
            static_cast<double>(load<Number>(column_index(row, col)));
      }
    }
    progress_.at(right * rows_ * sizeof(Number));
  }
  if (!allow_nonfinite_) nonfinite_ = first_nonfinite(array_.values);
}

/// The position of an element in Fortran order. With three dimensions, a row of `cols_` elements is
/// a matrix whose columns are contiguous.
Index NpyReader::column_index(Index row, Index col) const {
  const Index number = col / parts_, last = array_.shape.size() == 3 ? array_.shape[2] : 1;
  const Index middle = cols_ / parts_ / last;
  return ((number % last * middle + number / last) * rows_ + row) * parts_ + col % parts_;
}

template <typename Integer>
void NpyReader::refuse_inexact() const {
  for (Index i = 0; i < array_.values.size(); ++i) {
    const auto value = load<Integer>(fortran_ ? column_index(i / cols_, i % cols_) : i);
    if (!is_exact(value))
      fail(place_text(i) + fmt::format(" {}, which no 64-bit float represents", value));
  }
}

/// The position of element `i` in C order, for messages such as "row 2, column 1 holds".
std::string NpyReader::place_text(Index i) const {
  if (array_.shape.size() == 3) {
    const Index last = array_.shape[2];
    return fmt::format("element [{}, {}, {}] is", i / cols_, i % cols_ / parts_ / last,
                       i / parts_ % last);
  }
  return fmt::format("row {}, column {} holds", i / cols_ + 1, i % cols_ / parts_ + 1);
}

void NpyReader::refuse_nonfinite() const {
  const Index i = nonfinite_;
  if (i >= array_.values.size()) return;
  fail(place_text(i) + fmt::format(" {} (--allow-nonfinite accepts it)", array_.values[i]));
}

}  // namespace

bool is_npy(std::string_view bytes) { return bytes.starts_with(signature); }

Content read_npy(const Input& input, const ReadOptions& options) {
  Array array = NpyReader(input, options, 2).read();
  return {array.shape[0], array.shape.size() == 2 ? array.shape[1] : 1, std::move(array.values)};
}

Content read_any_npy(const Input& input, const ReadOptions& options) {
  NpyReader reader(input, options, 2, Numbers::any);
  Array array = reader.read();
  return {array.shape[0], array.shape.size() == 2 ? array.shape[1] : 1, std::move(array.values),
          FileFormat::npy, reader.complex()};
}

Array read_npy_array(const Input& input, const ReadOptions& options) {
  NpyReader reader(input, options, 3, Numbers::any);
  Array array = reader.read();
  array.complex = reader.complex();
  return array;
}

std::string npy_header(std::span<const Index> shape, std::string_view dtype) {
  static_assert(std::endian::native == std::endian::little, "the doubles are written as they are");
  constexpr std::size_t alignment = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 dtype, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t before = signature.size() + 4;  // version and length: two bytes each
  text.append(alignment - 1 - (before + text.size()) % alignment, ' ');
  text += '\n';
  const std::array<char, 4> version_and_length = {1, 0, static_cast<char>(text.size() & 0xff),
                                                  static_cast<char>(text.size() >> 8)};
  return std::string(signature) +
         std::string(version_and_length.data(), version_and_length.size()) + text;
}

void write_npy_array(OutputFile& file, std::span<const Index> shape, std::span<const double> values,
                     bool complex) {
  file.write(npy_header(shape, complex ? "<c16" : "<f8"));
  file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void write_npy(OutputFile& file, const Matrix& matrix, const WriteOptions& /*options*/) {
  write_npy_array(file, std::array{matrix.rows(), matrix.cols()}, matrix.values());
}

void write_complex_npy(OutputFile& file, const Matrix& parts, const WriteOptions& /*options*/) {
  write_npy_array(file, std::array{parts.rows(), parts.cols() / 2}, parts.values(), true);
}

}  // namespace clgauss::io
