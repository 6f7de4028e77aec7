#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "io/formats.hpp"
#include "io/module.hpp"
#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

constexpr std::array all_formats = {FileFormat::text, FileFormat::matrix_market, FileFormat::npy,
                                    FileFormat::csv,  FileFormat::tsv,           FileFormat::npz,
                                    FileFormat::mat,  FileFormat::hdf5};

/// Numbers that are easily spoiled, and random bits.
Matrix difficult_matrix() {
  Matrix matrix(20, 7);
  const std::vector<double> special = {0.0,
                                       -0.0,
                                       1.0 / 3,
                                       -1e308,
                                       1e-308,
                                       0.1,
                                       5e-324,
                                       std::numeric_limits<double>::max(),
                                       std::numeric_limits<double>::min(),
                                       2.2250738585072011e-308,
                                       9007199254740993.0,
                                       -1.2345678901234567e-300};
  std::mt19937_64 generator(1);
  for (Index i = 0; i < matrix.values().size(); ++i) {
    double value = i < special.size() ? special[i] : std::bit_cast<double>(generator());
    while (!(std::abs(value) <= std::numeric_limits<double>::max())) {
      value = std::bit_cast<double>(generator());
    }
    matrix.values()[i] = value;
  }
  return matrix;
}

std::vector<std::uint64_t> bits_of(const Matrix& matrix) {
  std::vector<std::uint64_t> bits;
  for (const double value : matrix.values()) {
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return bits;
}

std::string written(const Matrix& matrix, FileFormat format) {
  const Files folder;
  OutputFile file(folder.path("out"));
  write_matrix(file, matrix, format);
  file.commit();
  return content_of(folder.path("out"));
}

}  // namespace

TEST_CASE("formats: names and extensions") {
  for (const FileFormat format : all_formats) {
    CHECK(parse_file_format(file_format_name(format)) == format);
    CHECK(format_of_extension("dir.x/A." + std::string(file_format_name(format))) == format);
  }
  CHECK(!parse_file_format("xls"));
  CHECK(!parse_file_format(""));
  CHECK(!parse_file_format("CSV"));
  CHECK(format_of_extension("A.txt") == FileFormat::text);
  CHECK(format_of_extension("A.MTX") == FileFormat::matrix_market);
  CHECK(format_of_extension("A.dat") == FileFormat::text);
  CHECK(format_of_extension("A.mtx.gz") == FileFormat::matrix_market);
  CHECK(format_of_extension("A.NPY.GZ") == FileFormat::npy);
  CHECK(format_of_extension("A.gz") == FileFormat::text);
  CHECK(format_of_extension("A.hdf5") == FileFormat::hdf5);
  CHECK(file_format_names() ==
        std::vector<std::string>{"text", "mtx", "npy", "csv", "tsv", "npz", "mat", "h5"});
  CHECK(format_of_extension("csv") == FileFormat::text);
  CHECK(format_of_extension("-") == FileFormat::text);
}

TEST_CASE("formats: one whose module is not there says what is missing") {
  for (const FileFormat format : all_formats) CHECK(is_available(format));  // test.sh installs them
  const io::Module none = io::open_module("xls", "libxls (libxls-dev)");
  CHECK(none.format == nullptr);
  CHECK(none.obstacle ==
        "libclgauss_xls.so, which reads and writes it, cannot be opened (libclgauss_xls.so: cannot "
        "open shared object file: No such file or directory): install the Debian package "
        "libclgauss-formats, or build clgauss where libxls (libxls-dev) is installed");
}

TEST_CASE("formats: what is written is read again, bit for bit") {
  const Matrix matrix = difficult_matrix();
  const Files folder;
  for (const FileFormat format : all_formats) {
    CAPTURE(file_format_name(format));
    for (const std::string name : {"plain", "A.txt", "A.csv"}) {  // found by content
      const std::string path = folder.file(name, written(matrix, format));
      ReadOptions options;
      if (format == FileFormat::tsv) {
        options.format = format;
      }
      const Matrix again = read_matrix(path, options);
      CHECK(again.rows() == matrix.rows());
      CHECK(bits_of(again) == bits_of(matrix));
    }
  }
}

TEST_CASE("formats: how they are written") {
  Matrix matrix(2, 2);
  matrix(0, 0) = 1;
  matrix(0, 1) = 0.1;
  matrix(1, 0) = -2.5e300;
  CHECK(written(matrix, FileFormat::text) == "1 0.1\n-2.5e+300 0\n");
  CHECK(written(matrix, FileFormat::csv) == "1,0.1\n-2.5e+300,0\n");
  CHECK(written(matrix, FileFormat::tsv) == "1\t0.1\n-2.5e+300\t0\n");
  CHECK(written(matrix, FileFormat::matrix_market) ==
        "%%MatrixMarket matrix array real general\n2 2\n1\n-2.5e+300\n"
        "0.1\n0\n");
  const std::string npy = written(matrix, FileFormat::npy);
  CHECK(npy.size() == 128 + 4 * 8);
  CHECK(npy.substr(0, 10) == std::string_view("\x93NUMPY\1\0\x76\0", 10));
  CHECK(npy.substr(10, 59) == "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }");
  CHECK(npy[127] == '\n');
  CHECK(written(Matrix(1000000000000000000, 0), FileFormat::text).empty());
  CHECK(written(Matrix(0, 1000000000000000000), FileFormat::matrix_market).ends_with("000\n"));
  const Matrix empty(0, 0);
  CHECK(written(empty, FileFormat::matrix_market) ==
        "%%MatrixMarket matrix array real general\n0 0\n");
  CHECK(read_as("A", written(empty, FileFormat::npy)).empty());
  CHECK(read_as("A", written(empty, FileFormat::matrix_market)).empty());
}

TEST_CASE("formats: large files cross the buffers of the writer") {
  Matrix matrix(300, 301);
  std::mt19937_64 generator(2);
  for (double& value : matrix.values()) {
    value = std::uniform_real_distribution<double>(-1, 1)(generator);
  }
  for (const FileFormat format : all_formats) {
    CHECK(bits_of(read_as("A", written(matrix, format))) == bits_of(matrix));
  }
}

TEST_CASE("formats: content before extension, --format before both") {
  check_matrix(read_as("A.csv", "1 2\n3 4\n"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A.txt", "1,2\n3,4\n"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A.txt", "# a comment\n\n1;2\n"), 1, 2, {1, 2});
  check_matrix(read_as("A.txt", "1 2 # a, b\n"), 1, 2, {1, 2});
  check_matrix(read_as("A.npy", "%%MatrixMarket matrix array real general\n1 1\n5\n"), 1, 1, {5});
  ReadOptions as_text;
  as_text.format = FileFormat::text;
  check_matrix(read_as("A.mtx", "1 2\n3 4\n", as_text), 2, 2, {1, 2, 3, 4});
  check_refused("A.csv", "1,2\n", 1, 1, "read it as csv", as_text);
}
