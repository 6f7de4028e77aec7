#include <sys/stat.h>

#include <cmath>
#include <limits>
#include <thread>

#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

TEST_CASE("text: rows of numbers") {
  check_matrix(read_as("A.txt", "1 2 3\n4 5 6\n"), 2, 3, {1, 2, 3, 4, 5, 6});
  check_matrix(read_as("A.txt", "1"), 1, 1, {1});
  check_matrix(read_as("A.txt", "  1\t 2  \n\t3 4"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A", "1 2\r\n3 4\r\n"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A", "1 2\r\n3 4\r"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A",
                       "\xEF\xBB\xBF"
                       "1 2\n"),
               1, 2, {1, 2});
}

TEST_CASE("text: comments and blank lines") {
  check_matrix(
      read_as("A.txt", "# head, with a comma\n\n  \t\n1 2 # one\n%two\n3 4%two\n  # x\n\r\n"), 2, 2,
      {1, 2, 3, 4});
  check_matrix(read_as("A.txt", "1 2\n# last line without end"), 1, 2, {1, 2});
}

TEST_CASE("text: every way to write a number") {
  check_matrix(read_as("A.txt", "+1 -2 .5 5. 1e3 1E+3 1d3 -1.5D-3 +2.5d+1 007"), 1, 10,
               {1, -2, .5, 5, 1000, 1000, 1000, -0.0015, 25, 7});
  CHECK(std::signbit(read_as("A.txt", "-0")(0, 0)));
  CHECK(read_as("A.txt", "5e-324")(0, 0) == std::numeric_limits<double>::denorm_min());
  CHECK(read_as("A.txt", "1.7976931348623157e308")(0, 0) == std::numeric_limits<double>::max());
}

TEST_CASE("text: numbers beyond the range of f64") {
  check_refused("A.txt", "1 2\n3 1e400\n", 2, 3, "'1e400' is beyond the range");
  check_refused("A.txt", "-1d400", 1, 1, "range");
  check_refused("A.txt", "1e99999999999999999999", 1, 1, "range");
  check_refused("A.txt", "1" + std::string(400, '0'), 1, 1, "range");
  check_refused("A.txt", "1" + std::string(400, '0') + ".5e-10", 1, 1, "range");
  const Matrix tiny = read_as("A.txt", "1e-400 -1e-400 1d-400 1e-99999999999999999999 0." +
                                           std::string(400, '0') + "1 0e400");
  check_matrix(tiny, 1, 6, {0, 0, 0, 0, 0, 0});
  CHECK(std::signbit(tiny(0, 1)));
  // A long mantissa against the exponent: within the range after all.
  CHECK(read_as("A.txt", "1" + std::string(400, '0') + "e-400")(0, 0) == 1);
}

TEST_CASE("text: what is not a number") {
  check_refused("A.txt", "1 2\n3 abc\n", 2, 3, "'abc' is not a number");
  check_refused("A.txt", "1 2x 3\n", 1, 3, "'2x' is not a number");
  check_refused("A.txt", "\n# c\n  1 --2\n", 3, 5, "'--2' is not a number");
  check_refused("A.txt", "+-1", 1, 1, "not a number");
  check_refused("A.txt", "++1", 1, 1, "not a number");
  check_refused("A.txt", "1e 2", 1, 1, "'1e' is not a number");
  check_refused("A.txt", "0x10", 1, 1, "not a number");
  check_refused("A.txt", "1e5d3", 1, 1, "not a number");
  check_refused("A.txt", "+", 1, 1, "not a number");
  check_refused("A.txt", "1.2.3", 1, 1, "not a number");
  check_refused("A.txt", "1 2\n3 4,5\n", 2, 3, "decimal comma, write 4.5");
  check_refused("A.txt", "1 2\n3, 4\n", 2, 1, "read it as csv");
  check_refused("A.txt", "1 \xC3\xA9", 1, 3, "'\\xc3\\xa9' is not a number");
  check_refused("A.txt", "1 " + std::string(100, 'a'), 1, 3, "aaa...'");
}

TEST_CASE("text: ragged rows") {
  check_refused("A.txt", "# c\n1 2 3\n\n4 5\n", 4, 1,
                "3 numbers expected, as in line 2, but 2 found");
  check_refused("A.txt", "1 2\n  4 5 6 # c\n", 2, 3,
                "2 numbers expected, as in line 1, but 3 found");
}

TEST_CASE("text: NaN and infinity") {
  for (const std::string word : {"nan", "NaN", "-inf", "+Inf", "Infinity"}) {
    check_refused("A.txt", "1 2\n3 " + word + "\n", 2, 3, "'" + word + "' is not finite");
  }
  ReadOptions options;
  options.allow_nonfinite = true;
  const Matrix matrix = read_as("A.txt", "nan -inf +inf 1\n", options);
  CHECK(std::isnan(matrix(0, 0)));
  CHECK(matrix(0, 1) == -std::numeric_limits<double>::infinity());
  CHECK(matrix(0, 2) == std::numeric_limits<double>::infinity());
  check_refused("A.txt", "1e400", 1, 1, "range", options);
}

TEST_CASE("text: files that are no text") {
  check_refused("A.txt", "", 0, 0, "the file is empty");
  check_refused("A.txt", "\xEF\xBB\xBF", 0, 0, "the file is empty");
  check_refused("A.txt", "# nothing\n\n", 0, 0, "no numbers");
  check_refused("A.txt", " \r\n", 0, 0, "no numbers");
  check_refused("A.txt", std::string_view("1 2\n3 \0 4\n", 10), 2, 3, "byte 0x00 is not text");
  check_refused("A.txt", std::string_view("1 2\0\n", 5), 1, 4, "byte 0x00 is not text");
  check_refused("A.txt", "\x1f 1", 1, 1, "byte 0x1f is not text");
  check_refused("A.txt",
                "\x7f"
                "ELF\x02\x01",
                1, 1, "binary or compressed");
  check_refused("A.txt", "1 2\r3 4\r", 1, 4, "byte 0x0d is not text");
  check_refused("A.txt", std::string_view("\xFF\xFE\x31\0", 4), 1, 1, "UTF-16");
}

TEST_CASE("files that cannot be read") {
  const Files folder;
  check_throws<FileError>([&] { (void)read_matrix(folder.path("none.txt")); },
                          "none.txt: No such file");
  check_throws<FileError>([&] { (void)read_matrix(folder.path("")); }, "is a directory");
  check_throws<FileError>([&] { (void)read_matrix(""); }, "No such file");
  check_throws<FileError>([&] { (void)read_matrix(folder.file("plain", "1") + "/A.txt"); },
                          "Not a directory");
}

TEST_CASE("pipes and devices are read as a whole") {
  const Files folder;
  const std::string path = folder.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&path] {
    std::ofstream out(path);
    for (int i = 0; i < 50000; ++i) {  // more than a pipe and the first buffer hold
      out << i << " 0.5\n";
    }
  });
  const Matrix matrix = read_matrix(path);
  writer.join();
  CHECK(matrix.rows() == 50000);
  CHECK(matrix(49999, 0) == 49999);
  check_throws<FormatError>([] { (void)read_matrix("/dev/null"); }, "the file is empty");
}

TEST_CASE("text: progress is reported about every 4 MB") {
  std::string content;
  while (content.size() < (std::size_t{10} << 20)) {
    content += "1.2345678901234567 2.2345678901234567 3.2345678901234567\n";
  }
  std::vector<double> fractions;
  std::string what;
  ReadOptions options;
  options.progress = [&](std::string_view text, double fraction) {
    what = text;
    fractions.push_back(fraction);
  };
  const Files folder;
  const std::string path = folder.file("A.txt", content);
  CHECK(read_matrix(path, options).cols() == 3);
  CHECK(what == "reading " + path);
  REQUIRE(fractions.size() == 3);
  CHECK(fractions[0] == doctest::Approx(0.4).epsilon(0.01));
  CHECK(fractions[1] == doctest::Approx(0.8).epsilon(0.01));
  CHECK(fractions[2] == 1);
}
