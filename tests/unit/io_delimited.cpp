#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

TEST_CASE("csv: commas, semicolons, tabs") {
  check_matrix(read_as("A.csv", "1,2,3\n4,5,6\n"), 2, 3, {1, 2, 3, 4, 5, 6});
  check_matrix(read_as("A.csv", "1;2\r\n3;4"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A.csv", "1\t2\n3\t4\n"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A.tsv", "1\t2\n3\t4\n"), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A.tsv", " 1 \t 2\t3 # c\n\n3\t4\t5\n"), 2, 3, {1, 2, 3, 3, 4, 5});
  check_matrix(read_as("A.csv", "# a;b\n 1 , +2.5\t,\t-1d2 # c\n\n4,5,6\n"), 2, 3,
               {1, 2.5, -100, 4, 5, 6});
  check_matrix(read_as("A.csv", "1\n2\n"), 2, 1, {1, 2});
  check_matrix(read_as("A.csv",
                       "\xEF\xBB\xBF"
                       "1,2\n"),
               1, 2, {1, 2});
}

TEST_CASE("csv: empty fields") {
  check_refused("A.csv", "1,2,3\n4,,6\n", 2, 3, "the field is empty");
  check_refused("A.csv", "1,2,3\n,5,6\n", 2, 1, "the field is empty");
  check_refused("A.csv", "1,2,3\n4, 5,\n", 2, 6, "the last field of the line is empty");
  check_refused("A.csv", "1;2;3\n4; ;6\n", 2, 4, "the field is empty");
  check_refused("A.csv", "1,2,3\n,,\n", 2, 1, "the field is empty");
  check_refused("A.tsv", "1\t2\t3\n4\t\t6\n", 2, 3, "the field is empty");
  check_refused("A.tsv", "1\t2\t3\n\t5\t6\n", 2, 1, "the field is empty");
  check_refused("A.tsv", "1\t2\n3\t\r\n", 2, 4, "the last field of the line is empty");
}

TEST_CASE("csv: decimal commas") {
  check_refused("A.csv", "1,5;2,5\n", 1, 1,
                "'1,5' is not a number: it has a decimal comma, write 1.5");
  check_refused("A.csv", "1;2\n3;-4,5e1\n", 2, 3, "write -4.5e1");
  check_refused("A.tsv", "1,5\t2,5\n", 1, 1, "write 1.5");
  check_refused("A.txt", "1,5 2,5 3,5\n", 1, 5, "decimal commas");
}

TEST_CASE("csv: names, letters, units") {
  check_refused("A.csv", "x1,x2,b\n1,2,3\n", 1, 1,
                "'x1' is not a number (remove a line of column names");
  check_refused("A.csv", "1,2\n3,two\n", 2, 3, "'two' is not a number");
  check_refused("A.csv", "1,2\n3,50%\n", 2, 3, "'50%' is not a number");
  check_refused("A.csv", "1,\"2\"\n", 1, 3, "'\"2\"' is not a number (remove the quotes)");
  check_refused("A.csv", "1,2 3,4\n", 1, 5, "'3' stands where the next ',' should be");
  check_refused("A.csv", "1,2\n3;4\n", 2, 1, "'3;4' is not a number");
  check_refused("A.tsv", "1\t2\n3 4\n", 2, 3, "where the next tab should be");
}

TEST_CASE("csv: other bad files") {
  check_refused("A.csv", "1,2\n3,4,5\n", 2, 1, "2 numbers expected, as in line 1, but 3 found");
  check_refused("A.csv", "1,2\n3,nan\n", 2, 3, "'nan' is not finite");
  check_refused("A.csv", "1,2\n3,1e400\n", 2, 3, "range");
  check_refused("A.csv", std::string_view("1,2\n3,\0\n", 8), 2, 3, "byte 0x00");
  check_refused("A.csv", "", 0, 0, "empty");
  check_refused("A.csv", "# c\n", 0, 0, "no numbers");
}
