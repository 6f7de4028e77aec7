#include <doctest/doctest.h>

#include <cmath>

#include "support/process.hpp"

using namespace clgauss::test;

namespace {

struct BadFile {
  std::string name;
  std::string content;
  const char* complaint;  // a part of the message
};

const std::string kCoordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string kArray = "%%MatrixMarket matrix array real general\n";

}  // namespace

TEST_CASE("a bad file exits with 3, names the file, and leaves no output") {
  const BadFile files[] = {
      {"empty.txt", "", "empty"},
      {"ragged.txt", "1 2 3\n4 5\n", "ragged.txt:2"},
      {"letters.txt", "1 2 3\n4 five 6\n", "letters.txt:2:3"},
      {"square.txt", "1 2\n3 4\n", "--rhs"},
      {"tall.txt", "1 2\n3 4\n5 6\n", "tall.txt"},
      {"nan.txt", "1 2 3\n4 nan 6\n", "--allow-nonfinite"},
      {"inf.csv", "1,2,3\n4,inf,6\n", "inf.csv:2"},
      {"huge.txt", "1 2 3\n4 1e400 6\n", "huge.txt:2"},
      {"zero.mtx", kArray + "0 0\n", "0 x 0"},
      {"few.mtx", kCoordinate + "2 3 4\n1 1 1\n2 2 1\n", "few.mtx"},
      {"many.mtx", kCoordinate + "2 3 1\n1 1 1\n2 2 1\n", "many.mtx:4"},
      {"few_array.mtx", kArray + "2 3\n1\n2\n3\n", "few_array.mtx"},
      {"many_array.mtx", kArray + "1 2\n1\n2\n3\n", "many_array.mtx:5"},
      {"index.mtx", kCoordinate + "2 3 1\n3 1 1\n", "index.mtx:3"},
      {"zero_index.mtx", kCoordinate + "2 3 1\n0 1 1\n", "zero_index.mtx:3"},
      {"giant.mtx", kArray + "1000000000 1000000000\n1\n", "giant.mtx"},
      {"giant_sparse.mtx", kCoordinate + "1000000000 1000000000 1\n1 1 1\n", "giant_sparse.mtx"},
      {"complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
       "complex"},
      {"pattern.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", "pattern"},
      {"garbage.bin",
       std::string("\x7f"
                   "ELF\0\1\2\3",
                   8),
       "garbage.bin"},
      {"short.npy", std::string("\x93NUMPY\1\0", 8), "short.npy"},
  };
  const TemporaryFolder folder;
  for (const BadFile& file : files) {
    CAPTURE(file.name);
    write_file(folder / file.name, file.content);
    const auto result = run_program(folder, "solve " + file.name + " -o x.out --json r.json");
    CHECK(result.exit_code == 3);
    CHECK(result.err.starts_with("clgauss: "));
    CHECK(result.err.find(file.name) != std::string::npos);
    CHECK(result.err.find(file.complaint) != std::string::npos);
    CHECK(result.out.empty());
    std::filesystem::remove(folder / file.name);
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}

TEST_CASE("files that cannot be read or written exit with 3") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "2 4\n");
  std::filesystem::create_directory(folder / "dir");
  for (const std::string arguments :
       {"solve missing.txt", "solve dir", "solve s.txt -o no/such/folder/x.txt",
        "solve s.txt -o dir", "solve s.txt --json no/such/folder/r.json",
        "solve s.txt -o /dev/full", "generate --kind random --n 3 -o no/such/folder/s.txt",
        "solve s.txt --rhs missing.txt"}) {
    CAPTURE(arguments);
    const auto result = run_program(folder, arguments);
    CHECK(result.exit_code == 3);
    CHECK(result.err.starts_with("clgauss: "));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("b of another length than A is refused with both shapes") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1 2\n3 4\n");
  write_file(folder / "b.txt", "1\n2\n3\n");
  const auto result = run_program(folder, "solve a.txt --rhs b.txt");
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("b.txt") != std::string::npos);
}

TEST_CASE("CRLF, comments, D exponents and a missing final newline are no faults") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "# a system\r\n2.0D0 0 4d+0 % two\r\n\r\n+0 4e0 8");
  const auto result = run_program(folder, "solve s.txt");
  CHECK(result.exit_code == 0);
  CHECK(result.out == "2\n2\n");
}

TEST_CASE("non-finite numbers that are allowed end as a pivot that is not finite") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "1 2 3\n4 nan 6\n");
  const auto result = run_program(folder, "solve s.txt --allow-nonfinite");
  CHECK(result.exit_code == 7);
  CHECK(result.err.find("column 2 is not finite") != std::string::npos);
}

TEST_CASE("a number that f32 cannot hold is scaled, not refused") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "1 0 3\n0 1e200 2e200\n");
  const auto result = run_program(folder, "solve s.txt --type f32");
  CHECK(result.exit_code == 0);
  CHECK(result.out == "3\n2\n");
}
