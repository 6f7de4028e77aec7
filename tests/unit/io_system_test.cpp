#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

const std::string square = "1 2\n3 4\n";

void check_dimension_error(const Files& folder, const std::string& matrix, const std::string& rhs,
                           const std::string& reason) {
  const std::string path = folder.file("A.txt", matrix);
  check_throws<DimensionError>([&] { (void)read_system(path, rhs); }, reason);
}

}  // namespace

TEST_CASE("system: augmented") {
  const Files folder;
  const System one = read_system(folder.file("A.txt", "1 2 5\n3 4 6\n"), "");
  check_matrix(one.a, 2, 2, {1, 2, 3, 4});
  check_matrix(one.b, 2, 1, {5, 6});
  const System many = read_system(folder.file("A.csv", "1,2,5,7,9\n3,4,6,8,10\n"), "");
  check_matrix(many.a, 2, 2, {1, 2, 3, 4});
  check_matrix(many.b, 2, 3, {5, 7, 9, 6, 8, 10});
  const System small = read_system(folder.file("A.txt", "2 4"), "");
  check_matrix(small.a, 1, 1, {2});
  check_matrix(small.b, 1, 1, {4});
}

TEST_CASE("system: Matrix Market files are [A | b] with one column more, or by word") {
  const Files folder;
  const std::string banner = "%%MatrixMarket matrix array real general\n";
  const std::string one = folder.file("one.mtx", banner + "1 2\n2\n4\n");
  const std::string wide = folder.file("wide", banner + "1 3\n2\n4\n6\n");
  check_matrix(read_system(one, "").b, 1, 1, {4});
  check_matrix(read_system(one, "augmented").b, 1, 1, {4});
  check_matrix(read_system(wide, "augmented").b, 1, 2, {4, 6});
  check_throws<DimensionError>([&] { (void)read_system(wide, ""); },
                               "rhs augmented if its last 2 columns are right-hand sides");
}

TEST_CASE("system: right-hand sides from elsewhere") {
  const Files folder;
  const std::string a = folder.file("A.txt", square);
  check_matrix(read_system(a, "ones").b, 2, 1, {1, 1});
  check_matrix(read_system(a, "row-sums").b, 2, 1, {3, 7});
  check_matrix(read_system(a, folder.file("b.txt", "5\n6\n")).b, 2, 1, {5, 6});
  check_matrix(read_system(a, folder.file("b.txt", "5 6\n")).b, 2, 1, {5, 6});
  check_matrix(read_system(a, folder.file("b.csv", "5,7,9\n6,8,10\n")).b, 2, 3,
               {5, 7, 9, 6, 8, 10});
  const System system = read_system(a, folder.file("b.txt", "5 7\n6 8\n"));
  check_matrix(system.a, 2, 2, {1, 2, 3, 4});
  check_matrix(system.b, 2, 2, {5, 7, 6, 8});

  // --format is about the matrix; the other file is recognised by itself.
  ReadOptions options;
  options.format = FileFormat::text;
  check_matrix(read_system(a, folder.file("b.csv", "5,7\n6,8\n"), options).b, 2, 2, {5, 7, 6, 8});

  const std::string scalar = folder.file("A.txt", "2\n");
  check_matrix(read_system(scalar, folder.file("b.txt", "5 6\n")).b, 1, 2, {5, 6});
}

TEST_CASE("system: a file named ones is ./ones") {
  const Files folder;
  const std::string a = folder.file("A.txt", square);
  check_matrix(read_system(a, folder.file("ones", "5\n6\n")).b, 2, 1, {5, 6});
}

TEST_CASE("system: shapes that do not belong together") {
  const Files folder;
  check_dimension_error(folder, square, "",
                        "A.txt: 2 x 2 is a matrix without right-hand sides: give them with --rhs, "
                        "as a file, ones or row-sums");
  check_dimension_error(folder, "1 2\n3 4\n5 6\n", "", "A.txt: 3 x 2 has more rows than columns");
  check_dimension_error(folder, "1 2 3\n4 5 6\n", "ones", "A.txt: 2 x 3 is not square");
  check_dimension_error(folder, "1 2 3\n4 5 6\n", "ones", "without --rhs, the columns after A");
  check_dimension_error(folder, "1\n2\n", "row-sums", "A.txt: 2 x 1 is not square");
  const std::string long_b = folder.file("b.txt", "1\n2\n3\n");
  check_dimension_error(folder, square, long_b,
                        "b.txt: 3 x 1 right-hand sides do not belong to the "
                        "2 x 2 matrix of ");
  check_dimension_error(folder, square, folder.file("b.txt", "1 2 3\n"), "b.txt: 1 x 3");
}

TEST_CASE("system: nothing in it") {
  const Files folder;
  const std::string empty = folder.file("A.mtx", "%%MatrixMarket matrix array real general\n0 0\n");
  for (const std::string rhs : {"", "ones", "row-sums"}) {
    const System system = read_system(empty, rhs);
    CHECK(system.a.rows() == 0);
    CHECK(system.b.rows() == 0);
  }
}

TEST_CASE("system: bad files") {
  const Files folder;
  const std::string a = folder.file("A.txt", square);
  check_throws<FileError>([&] { (void)read_system(a, folder.path("none")); }, "none: No such file");
  check_throws<FileError>([&] { (void)read_system(folder.path("none"), "ones"); }, "No such file");
  check_throws<FormatError>([&] { (void)read_system(a, folder.file("b", "x")); }, "b:1:1: 'x'");
  check_throws<UsageError>([&] { (void)read_system("-", "-"); }, "standard input");
}
