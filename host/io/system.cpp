#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <span>
#include <vector>

#include "io/formats.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

using io::Content;

std::string name_of(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string shape_of(Index rows, Index cols) { return fmt::format("{} x {}", rows, cols); }

std::span<const double> row_of(const Content& content, Index i) {
  return std::span<const double>(content.values).subspan(i * content.cols, content.cols);
}

/// Moves the first `cols` numbers of each row to the left, where they belong without the others. Each core moves some rows; those at
/// their end that the next one's first rows come to lie on are put aside before.
void keep_first_columns(Content& content, Index cols) {
  const Index rows = content.rows, gap = content.cols - cols;
  double* const values = content.values.data();
  struct Part {
    Index first, last, end_of_own;  // rows; those from end_of_own on are put aside
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
    // The next part's numbers begin at last * cols, which is in this row.
    const Index safe = p + 1 == count ? last : last * cols / content.cols;
    if (safe < first) {  // a part that is shorter than it moves: one core does it all
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

/// Parts [A | b], n rows of n + nrhs numbers. A stays where it is: beside it there is only b.
/// `by_word`: --rhs augmented was given.
System part_augmented(Content content, const std::string& path, bool by_word) {
  const Index n = content.rows;
  const std::string shape = name_of(path) + ": " + shape_of(n, content.cols);
  if (content.cols < n) {
    throw DimensionError(shape +
                         " has more rows than columns: a system [A | b] has n rows of n + 1 "
                         "numbers or more");
  }
  if (content.cols == n && n > 0) {
    throw DimensionError(shape +
                         " is a matrix without right-hand sides: give them (rhs) as a file, as "
                         "ones or as row-sums");
  }
  const Index nrhs = content.cols - n;
  if (content.format == FileFormat::matrix_market && nrhs > 1 && !by_word) {
    throw DimensionError(fmt::format(
        "{} is not square, and Matrix Market files mostly hold A alone: say so (rhs augmented) if "
        "its last {} columns are right-hand sides",
        shape, nrhs));
  }
  Matrix b(n, nrhs);
  for (Index i = 0; i < n; ++i) std::ranges::copy(row_of(content, i).subspan(n), b.row(i).begin());
  keep_first_columns(content, n);
  return {Matrix(n, n, std::move(content.values)), std::move(b)};
}

/// `content`, from the file `name`, as what belongs to `a`.
Matrix right_hand_side(Content content, const std::string& name, const Matrix& a,
                       const std::string& a_path) {
  const Index n = a.rows();
  if (content.rows == 1 && content.cols == n) {
    std::swap(content.rows, content.cols);
  }
  if (content.rows != n) {
    throw DimensionError(fmt::format(
        "{}: {} right-hand sides do not belong to the {} matrix of {}: {} rows are needed",
        name_of(name), shape_of(content.rows, content.cols), shape_of(n, n), name_of(a_path), n));
  }
  return {content.rows, content.cols, std::move(content.values)};
}

Matrix read_right_hand_side(const std::string& rhs, const Matrix& a, const std::string& a_path,
                            const ReadOptions& options) {
  const Index n = a.rows();
  if (rhs == "ones") {
    return {n, 1, Values(n, 1.0)};
  }
  if (rhs == "row-sums") {
    return row_sums(a);
  }
  ReadOptions rhs_options = options;
  rhs_options.format.reset();  // --format is about the matrix
  return right_hand_side(io::read_content(rhs, rhs_options, "b"), rhs, a, a_path);
}

void require_square(const Matrix& a, const std::string& path) {
  if (a.rows() == a.cols()) return;
  std::string message = name_of(path) + ": " + shape_of(a.rows(), a.cols()) +
                        " is not square: with rhs given the file holds A alone";
  if (a.cols() > a.rows()) {
    message += " (without rhs, the columns after A are the right-hand sides)";
  }
  throw DimensionError(message);
}

}  // namespace

System read_system(const std::string& path, const std::string& rhs, const ReadOptions& options) {
  if (path == "-" && rhs == "-") {
    throw UsageError("the matrix and the right-hand sides cannot both come from standard input");
  }
  if (rhs.empty()) {
    io::SystemContent content = io::read_system_content(path, options);
    if (!content.b) return part_augmented(std::move(content.a), path, false);
    Matrix a(content.a.rows, content.a.cols, std::move(content.a.values));
    if (a.rows() != a.cols())
      throw DimensionError(name_of(path) + ": A is " + shape_of(a.rows(), a.cols()) +
                           ", not square");
    Matrix b = right_hand_side(std::move(*content.b), path + ":b", a, path + ":A");
    return {std::move(a), std::move(b)};
  }
  if (io::is_augmented(rhs)) {
    return part_augmented(io::read_content(path, options, "A"), path, true);
  }
  Matrix a = read_matrix(path, options);
  require_square(a, path);
  Matrix b = read_right_hand_side(rhs, a, path, options);
  return {std::move(a), std::move(b)};
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
