// Files so large that all cores read them: what they make of it is what one alone would.
#include <fmt/format.h>

#include <limits>

#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

/// The number in row i, column j: nine digits, and different everywhere.
double number(Index i, Index j) { return 1e6 + static_cast<double>(1000 * i + j) / 1000; }

/// Lines of a table from row `first` on, 10 bytes a number and more.
std::string lines(Index first, Index last, Index cols, char delimiter) {
  std::string text;
  for (Index i = first; i < last; ++i)
    for (Index j = 0; j < cols; ++j)
      text += fmt::format("{:.3f}{}", number(i, j), j + 1 < cols ? delimiter : '\n');
  return text;
}

bool is_right(const Matrix& matrix, Index rows, Index cols) {
  if (matrix.rows() != rows || matrix.cols() != cols) return false;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (matrix(i, j) != number(i, j)) return false;
  return true;
}

void save(const std::string& path, const Matrix& matrix) {
  OutputFile file(path);
  write_matrix(file, matrix, FileFormat::npy);
  file.commit();
}

constexpr Index kRows = 900, kCols = 501;  // 5 MB of text

}  // namespace

TEST_CASE("large files: text and CSV, with comments and blank lines anywhere") {
  const Files folder;
  const std::string plain = lines(0, kRows, kCols, ' ');
  CHECK(is_right(read_matrix(folder.file("plain.txt", plain)), kRows, kCols));
  CHECK(is_right(read_matrix(folder.file("a.csv", lines(0, kRows, kCols, ','))), kRows, kCols));
  std::string commented = "# a title\n\n" + lines(0, 1, kCols, ' ');
  for (Index i = 1; i < kRows; i += 29)
    commented += "\n# a part\r\n" + lines(i, std::min(kRows, i + 29), kCols, ' ');
  CHECK(is_right(read_matrix(folder.file("commented.txt", commented)), kRows, kCols));
  const std::string without_end = plain.substr(0, plain.size() - 1);
  CHECK(is_right(read_matrix(folder.file("open.txt", without_end)), kRows, kCols));
  const std::string mostly_blank = plain + std::string(8'000'000, '\n');
  CHECK(is_right(read_matrix(folder.file("blank.txt", mostly_blank)), kRows, kCols));
}

TEST_CASE("large files: the line at fault is named, wherever it stands") {
  const Files folder;
  for (const Index bad : {Index{3}, kRows / 2, kRows - 1}) {
    CAPTURE(bad);
    const std::string before = lines(0, bad, kCols, ' '), after = lines(bad + 1, kRows, kCols, ' ');
    const auto refused = [&](const std::string& line, const std::string& reason) {
      check_throws<FormatError>(
          [&] { (void)read_matrix(folder.file("bad.txt", before + line + after)); },
          fmt::format("bad.txt:{}", bad + 1));
      check_throws<FormatError>(
          [&] { (void)read_matrix(folder.file("bad.txt", before + line + after)); }, reason);
    };
    refused("1 2 3\n", "501 numbers expected, as in line 1, but 3 found");
    refused(lines(bad, bad + 1, kCols + 1, ' '), "but 502 found");
    refused("x " + lines(bad, bad + 1, kCols - 1, ' '), "'x'");
  }
}

TEST_CASE("large files: who reports progress may end the reading") {
  const Files folder;
  const std::string path = folder.file("a.txt", lines(0, 4 * kRows, kCols, ' '));
  ReadOptions options;
  double last = 0;
  options.progress = [&](std::string_view, double fraction) { last = fraction; };
  CHECK(is_right(read_matrix(path, options), 4 * kRows, kCols));
  CHECK(last == 1);
  options.progress = [](std::string_view, double) { throw UsageError("enough"); };
  check_throws<UsageError>([&] { (void)read_matrix(path, options); }, "enough");
}

TEST_CASE("large files: [A | b] is parted in place by all cores") {
  const Files folder;
  for (const Index nrhs : {1, 3, 400, 1500}) {
    CAPTURE(nrhs);
    constexpr Index kN = 700;
    const Index width = kN + nrhs;
    Matrix joined(kN, width);
    for (Index i = 0; i < kN; ++i)
      for (Index j = 0; j < width; ++j) joined(i, j) = number(i, j);
    save(folder.path("a.npy"), joined);
    const System system = read_system(folder.path("a.npy"), "");
    CHECK(is_right(system.a, kN, kN));
    REQUIRE(system.b.cols() == nrhs);
    bool right = true;
    for (Index i = 0; i < kN; ++i)
      for (Index c = 0; c < nrhs; ++c) right = right && system.b(i, c) == number(i, kN + c);
    CHECK(right);
  }
}

TEST_CASE("large files: the first number that is not finite is named") {
  const Files folder;
  constexpr Index kN = 1500;
  Matrix matrix(kN, kN);
  matrix(1203, 1499) = std::numeric_limits<double>::infinity();
  matrix(1204, 0) = std::numeric_limits<double>::quiet_NaN();
  save(folder.path("a.npy"), matrix);
  check_throws<FormatError>([&] { (void)read_matrix(folder.path("a.npy")); },
                            "row 1204, column 1500 holds inf");
  ReadOptions options;
  options.allow_nonfinite = true;
  CHECK(read_matrix(folder.path("a.npy"), options)(1203, 1499) ==
        std::numeric_limits<double>::infinity());
}
