#include <fmt/format.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <optional>
#include <span>
#include <vector>

#include "io/formats.hpp"
#include "io/input.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

using io::Content;
using io::name_of;

std::string shape_of(Index rows, Index cols) { return fmt::format("{} x {}", rows, cols); }

std::span<const double> row_of(const Content& content, Index i) {
  return std::span<const double>(content.values).subspan(i * content.cols, content.cols);
}

/// Removes all but the first `cols` numbers of each row, in place. Each core moves a range of rows.
/// Rows at the end of a range whose place the next range overwrites are copied aside first.
void keep_first_columns(Content& content, Index cols) {
  const Index rows = content.rows, gap = content.cols - cols;
  double* const values = content.values.data();
  struct Part {
    Index first, last, end_of_own;  // rows; those from end_of_own on are copied aside
    Values aside;
  };
  const auto move_rows = [&](const Part& part) {
    for (Index i = part.first; i < part.end_of_own; ++i)
      std::copy_n(values + i * content.cols, cols, values + i * cols);
    for (Index i = part.end_of_own, at = 0; i < part.last; ++i, at += cols)
      std::copy_n(part.aside.data() + at, cols, values + i * cols);
  };
  std::vector<Part> parts;
  const Index count = gap == 0 ? 0 : parts_of(rows, kElementsPerThread / content.cols + 1);
  for (Index p = 0, first = 0; p < count; ++p) {
    const Index last = rows * (p + 1) / count;
    // The next range's target begins at element last * cols, which lies in this row.
    const Index safe = p + 1 == count ? last : last * cols / content.cols;
    if (safe < first) {  // a range is shorter than its shift: one core moves all rows
      parts.assign(1, {0, rows, rows, {}});
      break;
    }
    parts.push_back({first, last, safe, {}});
    first = last;
  }
  for (Part& part : parts) {
    part.aside.resize((part.last - part.end_of_own) * cols);
    for (Index i = part.end_of_own, at = 0; i < part.last; ++i, at += cols)
      std::copy_n(values + i * content.cols, cols, part.aside.data() + at);
  }
  in_parallel(parts.size(), 1, [&](Index first, Index last) {
    for (; first < last; ++first) move_rows(parts[first]);
  });
  content.values.resize(rows * cols);
  content.cols = cols;
}

/// The number of columns of `content` after the n-by-n A. `by_word`: --rhs augmented was given.
Index right_hand_sides_of(const Content& content, const std::string& path, bool by_word) {
  const Index n = content.rows;
  const std::string shape = name_of(path) + ": " + shape_of(n, content.cols);
  if (content.cols < n) {
    throw DimensionError(shape +
                         " has more rows than columns: a system [A | b] has n rows of n + 1 "
                         "numbers or more; `clgauss lstsq` solves least squares");
  }
  if (content.cols == n && n > 0) {
    throw DimensionError(shape +
                         " is a matrix without right-hand sides: give them with --rhs, as a "
                         "file, ones or row-sums");
  }
  const Index nrhs = content.cols - n;
  if (content.format == FileFormat::matrix_market && nrhs > 1 && !by_word) {
    throw DimensionError(fmt::format(
        "{} is not square, and Matrix Market files mostly hold A alone: give --rhs augmented if "
        "its last {} columns are right-hand sides",
        shape, nrhs));
  }
  return nrhs;
}

/// Splits [A | b], n rows of n + nrhs numbers. A is compacted in place; only b needs extra memory.
System part_augmented(Content content, const std::string& path, bool by_word) {
  const Index n = content.rows, nrhs = right_hand_sides_of(content, path, by_word);
  Matrix b(n, nrhs);
  for (Index i = 0; i < n; ++i) std::ranges::copy(row_of(content, i).subspan(n), b.row(i).begin());
  keep_first_columns(content, n);
  return {Matrix(n, n, std::move(content.values)), std::move(b)};
}

ComplexSystem part_complex(const Content& content, const std::string& path, bool by_word) {
  const Index n = content.rows, nrhs = right_hand_sides_of(content, path, by_word);
  Matrix a(n, 2 * n), b(n, 2 * nrhs);
  for (Index i = 0; i < n; ++i) {
    const auto row = std::span<const double>(content.values).subspan(i * 2 * content.cols);
    std::ranges::copy(row.first(2 * n), a.row(i).begin());
    std::ranges::copy(row.subspan(2 * n, 2 * nrhs), b.row(i).begin());
  }
  return {ComplexMatrix(std::move(a)), ComplexMatrix(std::move(b))};
}

/// `content` of the file `name` as right-hand sides of the m-by-n A.
Content right_hand_side(Content content, const std::string& name, Index m, Index n,
                        const std::string& a_path) {
  if (content.rows == 1 && content.cols == m) {
    std::swap(content.rows, content.cols);
  }
  if (content.rows != m) {
    throw DimensionError(fmt::format(
        "{}: {} right-hand sides do not belong to the {} matrix of {}: {} rows are needed",
        name_of(name), shape_of(content.rows, content.cols), shape_of(m, n), name_of(a_path), m));
  }
  return content;
}

/// Reads the file `rhs` as right-hand sides of the m-by-n A.
Content read_right_hand_side(const std::string& rhs, Index m, Index n, const std::string& a_path,
                             ReadOptions options, io::Numbers numbers) {
  options.format.reset();  // --format applies to the matrix
  return right_hand_side(io::read_content(rhs, options, "b", numbers, "--rhs "), rhs, m, n, a_path);
}

Matrix real_matrix(Content content) {
  return {content.rows, content.cols, std::move(content.values)};
}

bool is_file(const std::string& rhs) { return rhs != "ones" && rhs != "row-sums"; }

using AnySystem = std::variant<System, ComplexSystem>;

/// The system of A and b, complex if either is complex.
AnySystem joined(Content a, Content b) {
  if (a.complex || b.complex)
    return ComplexSystem{io::complex_matrix(std::move(a)), io::complex_matrix(std::move(b))};
  return System{real_matrix(std::move(a)), real_matrix(std::move(b))};
}

/// The right-hand side that the word `rhs` stands for.
Matrix right_hand_side_of(const std::string& rhs, const Matrix& a) {
  return rhs == "ones" ? Matrix(a.rows(), 1, Values(a.rows(), 1.0)) : row_sums(a);
}

ComplexMatrix right_hand_side_of(const std::string& rhs, const ComplexMatrix& a) {
  ComplexMatrix b(a.rows(), 1);
  for (Index i = 0; i < a.rows(); ++i) {
    std::complex<double> sum = rhs == "ones" ? 1 : 0;
    for (Index j = 0; j < a.cols() && rhs != "ones"; ++j) sum += a(i, j);
    b.set(i, 0, sum);
  }
  return b;
}

void require_square(const Content& a, const std::string& path) {
  if (a.rows == a.cols) return;
  std::string message = name_of(path) + ": " + shape_of(a.rows, a.cols) +
                        " is not square: with --rhs the file holds A alone";
  if (a.cols > a.rows) {
    message += " (without --rhs, the columns after A are the right-hand sides)";
  } else {
    message += "; `clgauss lstsq` solves least squares";
  }
  throw DimensionError(message);
}

AnySystem read(const std::string& path, const std::string& rhs, const ReadOptions& options,
               io::Numbers numbers) {
  if (path == "-" && rhs == "-") {
    throw UsageError("the matrix and the right-hand sides cannot both come from standard input");
  }
  if (rhs.empty()) {
    io::SystemContent content = io::read_system_content(path, options, numbers, " --rhs ");
    if (!content.b && content.a.complex) return part_complex(content.a, path, false);
    if (!content.b) return part_augmented(std::move(content.a), path, false);
    const Content& a = content.a;
    if (a.rows != a.cols)
      throw DimensionError(name_of(path) + ": A is " + shape_of(a.rows, a.cols) + ", not square");
    Content b = right_hand_side(std::move(*content.b), path + ":b", a.rows, a.cols, path + ":A");
    return joined(std::move(content.a), std::move(b));
  }
  if (io::is_augmented(rhs)) {
    Content content = io::read_content(path, options, "A", numbers);
    if (content.complex) return part_complex(content, path, true);
    return part_augmented(std::move(content), path, true);
  }
  Content a = io::read_content(path, options, "A", numbers);
  require_square(a, path);
  if (is_file(rhs)) {
    Content b = read_right_hand_side(rhs, a.rows, a.cols, path, options, numbers);
    return joined(std::move(a), std::move(b));
  }
  if (a.complex) {
    ComplexMatrix left = io::complex_matrix(std::move(a));
    ComplexMatrix right = right_hand_side_of(rhs, left);
    return ComplexSystem{std::move(left), std::move(right)};
  }
  Matrix left = real_matrix(std::move(a));
  Matrix right = right_hand_side_of(rhs, left);
  return System{std::move(left), std::move(right)};
}

}  // namespace

System read_system(const std::string& path, const std::string& rhs, const ReadOptions& options) {
  return std::get<System>(read(path, rhs, options, io::Numbers::real));
}

AnySystem read_any_system(const std::string& path, const std::string& rhs,
                          const ReadOptions& options) {
  return read(path, rhs, options, io::Numbers::any);
}

Matrix io::read_right_hand_sides(const std::string& rhs, const Matrix& a, const std::string& a_path,
                                 const ReadOptions& options) {
  if (!is_file(rhs)) return right_hand_side_of(rhs, a);
  return real_matrix(read_right_hand_side(rhs, a.rows(), a.cols(), a_path, options, Numbers::real));
}

std::string io::negative_text(double value) {
  return fmt::format("{} is below 0; a weight must be at least 0", value);
}

std::vector<double> io::read_weights(const std::string& path, const Matrix& a,
                                     const std::string& a_path, ReadOptions options) {
  options.format.reset();  // --format applies to the matrix
  options.allow_nonfinite = false;
  options.allow_negative = false;
  const Content content = read_content(path, options, "w", Numbers::real, "--weights ");
  if (std::min(content.rows, content.cols) != 1 || content.values.size() != a.rows())
    throw DimensionError(fmt::format(
        "{}: {} weights do not fit the {} matrix of {}: {} are needed, one for each row",
        name_of(path), shape_of(content.rows, content.cols), shape_of(a.rows(), a.cols()),
        name_of(a_path), a.rows()));
  return {content.values.begin(), content.values.end()};
}

ComplexMatrix io::complex_matrix(Content content) {
  if (content.complex)
    return ComplexMatrix(Matrix(content.rows, 2 * content.cols, std::move(content.values)));
  return ComplexMatrix::of_real(real_matrix(std::move(content)));
}

Matrix io::augmented(const System& system) {
  const auto& [a, b] = system;
  Matrix joined(a.rows(), a.cols() + b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    const auto end = std::ranges::copy(a.row(i), joined.row(i).begin()).out;
    std::ranges::copy(b.row(i), end);
  }
  return joined;
}

}  // namespace clgauss
