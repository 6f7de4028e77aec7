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
  check_matrix(read_as("A.csv", "1,5;2,5\n"), 1, 2, {1.5, 2.5});
  check_matrix(read_as("A.csv", "1;2\n3;-4,5e1\n"), 2, 2, {1, 2, 3, -45});
  check_matrix(read_as("A.csv", "\"0,25\";+,5;7,\r\n"), 1, 3, {0.25, 0.5, 7});
  check_matrix(read_as("A.csv", "1.5;2\n3;4.25\n"), 2, 2, {1.5, 2, 3, 4.25});
  check_refused("A.csv", "1,5;2\n3;1.234\n", 2, 3,
                "there is a point in this number, and a comma in one of line 1");
  check_refused("A.csv", "1.5;2\n3;1,234\n", 2, 3, "which one separates thousands?");
  check_refused("A.csv", "1.234,5;2\n", 1, 1, "'1.234,5' is not a number");
  check_refused("A.csv", "1,234,567;2\n", 1, 1, "'1,234,567' is not a number");
  check_refused("A.csv", "1,1e999;2\n", 1, 1, "range");
  check_refused("A.csv", "1,\"2,500\"\n", 1, 3, "a decimal comma or separates thousands");
  check_refused("A.tsv", "1,5\t2,5\n", 1, 1, "write 1.5");
  check_refused("A.txt", "1,5 2,5 3,5\n", 1, 5, "decimal commas");
}

TEST_CASE("csv: names, letters, units") {
  check_refused("A.csv", "1,2\n3,two\n", 2, 3, "'two' is not a number");
  check_refused("A.csv", "1,2\n3,50%\n", 2, 3, "'50%' is not a number");
  check_refused("A.csv", "1,\"two\"\n", 1, 3, "'\"two\"' is not a number");
  check_refused("A.csv", "1,2 3,4\n", 1, 5, "found '3' where the next ',' should be");
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

TEST_CASE("csv: a line of column names is skipped, and said") {
  const Files folder;
  const auto notes_of = [&](const std::string& content, const std::vector<double>& values) {
    std::vector<std::string> notes;
    ReadOptions options;
    options.note = [&](std::string_view note) { notes.emplace_back(note); };
    CHECK(values_of(read_matrix(folder.file("A.csv", content), options)) == values);
    return notes;
  };
  const std::vector<std::string> said = notes_of(
      "\xEF\xBB\xBF# a title\r\nx 1;\"y;1\";b in %\r\n1,5;2;3\r\n4;5;6\r\n", {1.5, 2, 3, 4, 5, 6});
  REQUIRE(said.size() == 1);
  CHECK(said[0].ends_with("A.csv: line 2 names the columns ('x 1;\"y;1\";b in %') and is skipped"));
  CHECK(notes_of("x,y\n1,2\n", {1, 2}).size() == 1);
  CHECK(notes_of(",y\n1,2\n", {1, 2}).size() == 1);  // the first column has no name
  CHECK(notes_of("name\n1\n2\n", {1, 2}).size() == 1);
  CHECK(notes_of("1,2\n3,4\n", {1, 2, 3, 4}).empty());
  ReadOptions silent;
  silent.note = {};
  check_matrix(read_as("A.tsv", "x\ty\n1\t2\n", silent), 1, 2, {1, 2});

  // What may as well be a row with a slip, or a title.
  check_refused("A.csv", "1,2,thr3e\n4,5,6\n", 1, 5, "'thr3e' is not a number");
  check_refused("A.csv", "1O,2O\n4,5\n", 1, 1, "'1O' is not a number");
  check_refused("A.csv", "nan,x\n4,5\n", 1, 1, "'nan' is not finite");
  check_refused("A.csv", "x,y,z\n4,5\n", 1, 1,
                "'x' is not a number (remove a line of column names");
  check_refused("A.csv", "x,y\nz,t\n1,2\n", 1, 1, "'x' is not a number");
  check_refused("A.csv", "x,y\n", 1, 1, "'x' is not a number");
  check_refused("A.txt", "x y\n1 2\n", 1, 1, "'x' is not a number");
}

TEST_CASE("csv: fields in quotes") {
  check_matrix(read_as("A.csv", "\"1\", \" 2.5 \" ,3\r\n\"-4\",5,\"6e1\"\r\n"), 2, 3,
               {1, 2.5, 3, -4, 5, 60});
  check_refused("A.csv", "1,\"\"\n", 1, 3, "the field is empty");
  check_refused("A.csv", "1,\"2\n", 1, 3, "the quotes that begin here do not end");
  check_refused("A.csv", "\"1\"2,3\n", 1, 4, "found '2' where the next ',' should be");
  check_refused("A.txt", "1 \"2\"\n", 1, 3, "is not a number");
}

TEST_CASE("tables: all problems are said at once") {
  const auto message_of = [](const std::string& name, const std::string& content) {
    try {
      (void)read_as(name, content);
    } catch (const FormatError& error) {
      const std::string text = error.what();
      return text.substr(text.find(name));
    }
    return std::string("accepted");
  };
  const std::string three = message_of("A.csv", "1,2,3\n4,x,y\n7,8\n1,,3\n4 5,6,7\n");
  CAPTURE(three);
  for (const std::string part :
       {"A.csv:2:3: 'x' is not a number\n", "A.csv:2:5: 'y' is not a number\n",
        "A.csv:3:1: 3 numbers expected, as in line 1, but 2 found\n",
        "A.csv:4:3: the field is empty", "A.csv:5:3: found '5' where"})
    CHECK(three.find(part) != std::string::npos);
  CHECK(three.find("more") == std::string::npos);
  std::string lines = "1 2\n";
  for (int i = 0; i < 17; ++i) lines += "3 a\n";
  const std::string many = message_of("A.txt", lines);
  CHECK(many.starts_with("A.txt:2:3: 'a' is not a number\n"));
  CHECK(many.find("A.txt:11:3: ") != std::string::npos);
  CHECK(many.find("A.txt:12:3: ") == std::string::npos);
  CHECK(many.ends_with("\n... and 7 more"));
  CHECK(message_of("A.txt", "1 x\n3 \x01 4\n5 y\n").ends_with("compressed file?"));
  CHECK(message_of("A.csv", "1,2\n3,4\r\r\n5,z\n").find("A.csv:3:3: ") != std::string::npos);
  std::string worse;
  for (int i = 0; i < 20'000; ++i) worse += "a\n";
  CHECK(message_of("A.csv", worse).ends_with("... and at least 9990 more"));
}
