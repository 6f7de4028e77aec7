#include <limits>

#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

const std::string general_array = "%%MatrixMarket matrix array real general\n";
const std::string general_coordinate = "%%MatrixMarket matrix coordinate real general\n";

std::string header(const std::string& layout, const std::string& symmetry) {
  return "%%MatrixMarket matrix " + layout + " real " + symmetry + "\n";
}

}  // namespace

TEST_CASE("mtx array: column by column") {
  check_matrix(read_as("A.mtx", general_array + "2 3\n1\n4\n2\n5\n3\n6\n"), 2, 3,
               {1, 2, 3, 4, 5, 6});
  check_matrix(read_as("A.mtx", general_array + "% c\n\n 2 1 \r\n% c\n-1.5D2\r\n\n+2"), 2, 1,
               {-150, 2});
  check_matrix(read_as("A.txt", "%%matrixmarket MATRIX Array Integer GENERAL\n1 2\n3\n-4\n"), 1, 2,
               {3, -4});
}

TEST_CASE("mtx array: symmetric and skew-symmetric") {
  check_matrix(read_as("A.mtx", header("array", "symmetric") + "3 3\n1\n2\n3\n4\n5\n6\n"), 3, 3,
               {1, 2, 3, 2, 4, 5, 3, 5, 6});
  check_matrix(read_as("A.mtx", header("array", "Skew-Symmetric") + "3 3\n1\n2\n3\n"), 3, 3,
               {0, -1, -2, 1, 0, -3, 2, 3, 0});
  check_matrix(read_as("A.mtx", header("array", "skew-symmetric") + "1 1\n"), 1, 1, {0});
}

TEST_CASE("mtx coordinate") {
  check_matrix(read_as("A.mtx", general_coordinate + "2 3 3\n1 1 1.5\n2 3 -2\n% c\n1 2 7\n"), 2, 3,
               {1.5, 7, 0, 0, 0, -2});
  check_matrix(read_as("A.mtx", general_coordinate + "2 2 3\n1 1 1\n1 1 2\n1 1 0.5\n"), 2, 2,
               {3.5, 0, 0, 0});
  check_matrix(read_as("A.mtx", header("coordinate", "symmetric") + "2 2 3\n1 1 1\n2 1 2\n2 1 3\n"),
               2, 2, {1, 5, 5, 0});
  check_matrix(read_as("A.mtx", header("coordinate", "skew-symmetric") + "2 2 2\n2 1 2\n2 1 3\n"),
               2, 2, {0, -5, 5, 0});
  check_matrix(read_as("A.mtx", general_coordinate + "2 2 0\n"), 2, 2, {0, 0, 0, 0});
}

TEST_CASE("mtx: nothing in it") {
  for (const std::string& text : {general_array + "0 0\n", general_coordinate + "0 0 0",
                                  header("array", "skew-symmetric") + "0 0\n"}) {
    check_matrix(read_as("A.mtx", text), 0, 0, {});
  }
  check_matrix(read_as("A.mtx", general_array + "0 3\n"), 0, 3, {});
}

TEST_CASE("mtx: headers that are refused") {
  check_refused("A.mtx", "1 2\n3 4\n", 1, 1, "does not begin with %%MatrixMarket");
  check_refused("A.mtx", "%%MatrixMarket vector array real general\n1 1\n1\n", 1, 16, "'vector'");
  check_refused("A.mtx", "%%MatrixMarket matrix list real general\n1 1\n1\n", 1, 23, "'list'");
  check_refused("A.mtx", "%%MatrixMarket matrix array complex general\n1 1\n1 0\n", 1, 29,
                "'complex' numbers are not read");
  check_refused("A.mtx", "%%MatrixMarket matrix array double general\n1 1\n1\n", 1, 29, "'double'");
  check_refused("A.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", 1, 34,
                "has no values");
  check_refused("A.mtx", header("array", "hermitian") + "1 1\n1\n", 1, 34, "'hermitian'");
  check_refused("A.mtx", "%%MatrixMarket matrix array real\n1 1\n1\n", 1, 1, "5 words");
  check_refused("A.mtx", "%%MatrixMarket", 1, 1, "5 words");
  check_refused("A.mtx", general_array + "% only\n", 3, 1, "before the line with the size");
}

TEST_CASE("mtx: sizes that are refused") {
  check_refused("A.mtx", general_array + "2\n1\n", 2, 2, "is not a number of columns");
  check_refused("A.mtx", general_array + "-2 2\n1\n", 2, 1, "'-2' is not a number of rows");
  check_refused("A.mtx", general_array + "2.0 2\n1\n", 2, 1, "'2.0' is not a number of rows");
  check_refused("A.mtx", general_array + "1 1 1\n1\n", 2, 5, "'1' is one number too many");
  check_refused("A.mtx", general_coordinate + "1 1\n1 1 1\n", 2, 4, "is not a number of entries");
  check_refused("A.mtx", general_array + "99999999999999999999 1\n1\n", 2, 1, "too large");
  check_refused("A.mtx", header("array", "symmetric") + "2 3\n1\n1\n1\n", 2, 4, "is not square");
}

TEST_CASE("mtx: headers that the file cannot keep are refused before anything is allocated") {
  const std::string billion = "1000000000";
  check_refused("A.mtx", general_array + billion + " " + billion + "\n1\n", 2, 22, "hold fewer");
  check_refused("A.mtx", general_array + billion + " 1\n1\n", 2, 13, "hold fewer");
  check_refused("A.mtx", header("array", "symmetric") + billion + " " + billion + "\n1\n", 2, 22,
                "hold fewer");
  check_refused("A.mtx", general_coordinate + billion + " 1 " + billion + "\n1 1 1\n", 2, 24,
                "hold fewer");
  check_refused("A.mtx", general_coordinate + billion + " " + billion + " 1\n1 1 1\n", 2, 24,
                "only 1 entries");
  // Products that exceed 64 bits, and one that is 0 in 64 bits.
  check_refused("A.mtx", general_array + "4294967296 4294967296\n1\n", 2, 22, "hold fewer");
  check_refused("A.mtx", general_coordinate + "4294967296 4294967296 1\n1 1 1\n", 2, 24,
                "only 1 entries");
  const Files folder;
  const std::string wide =
      folder.file("A.mtx", general_coordinate + "1 1000000000000000 1\n1 1 1\n");
  check_throws<OutOfMemory>([&] { (void)read_matrix(wide); }, "need 8 PB as a dense matrix");
}

TEST_CASE("mtx: entries that are refused") {
  check_refused("A.mtx", general_coordinate + "2 2 1\n0 1 1\n", 3, 1, "count from 1");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1 0 1\n", 3, 3, "column 0");
  check_refused("A.mtx", general_coordinate + "2 2 1\n3 1 1\n", 3, 1,
                "row 3 is outside of the 2 x 2");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1 3 1\n", 3, 3, "column 3 is outside");
  check_refused("A.mtx", general_coordinate + "2 2 1\n-1 1 1\n", 3, 1, "'-1' is not a row index");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1.0 1 1\n", 3, 1, "'1.0' is not a row index");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1 1\n% long enough\n", 3, 4,
                "ends too early");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1\n% long enough\n", 3, 2, "ends too early");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1 1 1 0\n", 3, 7,
                "'0' is one number too many");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1 1 x\n", 3, 5, "'x' is not a number");
  check_refused("A.mtx", general_coordinate + "2 2 2\n1 1 1e308\n1 1 1e308\n", 4, 1,
                "add up beyond");
  check_refused("A.mtx", general_array + "1 2\n1\nnan\n", 4, 1, "'nan' is not finite");
  check_refused("A.mtx", general_array + "1 2\n1\n1e400\n", 4, 1, "range");
  check_refused("A.mtx", general_array + "2 2\n1 2\n3 4\n", 3, 3,
                "one number a line, column by column");
  check_refused("A.mtx", "%%MatrixMarket matrix array integer general\n1 1\n1.5\n", 3, 1,
                "whole number");
  check_refused("A.mtx", header("coordinate", "symmetric") + "2 2 1\n1 2 1\n", 3, 1,
                "above the diagonal");
  check_refused("A.mtx", header("coordinate", "skew-symmetric") + "2 2 1\n1 1 1\n", 3, 1,
                "on the diagonal");
  check_refused("A.mtx",
                std::string_view("%%MatrixMarket matrix array real general\n1 1\n\0\n", 47), 3, 1,
                "byte 0x00");
}

TEST_CASE("mtx: fewer or more entries than promised") {
  check_refused("A.mtx", general_array + "2 2\n1.5\n2.5\n3.5\n", 6, 1, "the file ends after 3");
  check_refused("A.mtx", general_array + "1 2\n1\n2\n3\n", 5, 1, "more entries than the 2");
  check_refused("A.mtx", general_coordinate + "2 2 2\n1 1 1.00000000\n", 4, 1,
                "the file ends after 1");
  check_refused("A.mtx", general_coordinate + "2 2 1\n1 1 1\n2 2 1\n", 4, 1,
                "more entries than the 1");
  check_refused("A.mtx", general_array + "0 0\n1\n", 3, 1, "more entries than the 0");
}

TEST_CASE("mtx: infinity where it is allowed") {
  ReadOptions options;
  options.allow_nonfinite = true;
  const Matrix matrix = read_as("A.mtx", general_coordinate + "1 1 1\n1 1 inf\n", options);
  CHECK(matrix(0, 0) == std::numeric_limits<double>::infinity());
}
