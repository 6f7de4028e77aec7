#include "io/gzip.hpp"

#include <unistd.h>

#include "io_support.hpp"
#include "support/file_folder.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

std::string packed(const std::string& text) {
  const Files folder;
  OutputFile file(folder.path("text.gz"));
  file.write(text);
  file.commit();
  return content_of(folder.path("text.gz"));
}

}  // namespace

TEST_CASE("gzip: read whatever it is called, of one member or more") {
  for (const std::string name : {"system.txt.gz", "members.txt.gz"})
    check_matrix(read_system((file_folder() / name).string(), "").b, 3, 1, {7, 9, 9.5});
  check_matrix(read_as("A.txt", packed("1 2\n3 4\n")), 2, 2, {1, 2, 3, 4});
  check_matrix(read_as("A.txt", packed("1 2\n") + packed("") + packed("3 4\n")), 2, 2,
               {1, 2, 3, 4});
  check_matrix(read_as("A.csv.gz", packed("\xEF\xBB\xBF"
                                          "1,2\n")),
               1, 2, {1, 2});
  check_matrix(read_as("A", packed("%%MatrixMarket matrix array real general\n1 1\n5\n")), 1, 1,
               {5});
  check_refused("A.mtx.gz", packed("1 2\n"), 1, 1, "does not begin with %%MatrixMarket");
  check_refused("A.txt.gz", packed("1 2\n3 x\n"), 2, 3, "'x'");  // lines are those of the text
  check_refused("A.txt.gz", packed(""), 0, 0, "the file is empty");
}

TEST_CASE("gzip: cut off or damaged") {
  const std::string whole = packed("1 2\n3 4\n");
  for (std::size_t length = 2; length < whole.size(); ++length)
    check_refused("A.txt.gz", whole.substr(0, length), 0, 0,
                  "the compressed data are cut off or damaged");
  std::string sum = whole;
  sum[sum.size() - 8] = static_cast<char>(~sum[sum.size() - 8]);
  check_refused("A.txt.gz", sum, 0, 0, "damaged");
  for (const std::string& rest :
       {std::string("garbage"), std::string(32, '\0'), std::string(1, '\x1f')})
    check_refused("A.txt.gz", whole + rest, 0, 0, "damaged");
}

TEST_CASE("gzip: no more is unpacked than may be") {
  const std::string bomb = packed(std::string(10'000'000, '0'));
  CHECK(bomb.size() < 20'000);
  CHECK(io::unpacked(bomb, "A.gz", 10'000'000).size() == 10'000'000);
  check_throws<OutOfMemory>([&] { (void)io::unpacked(bomb, "A.gz", 9'999'999); },
                            "A.gz: unpacks to more than the 10 MB that are taken");
}

TEST_CASE("gzip: a full disk is found") {
  const Files folder;
  std::filesystem::create_symlink("/dev/full", folder.path("x.txt.gz"));
  OutputFile file(folder.path("x.txt.gz"));
  check_throws<FileError>(
      [&] {
        file.write("1 2\n");
        file.commit();
      },
      "No space left");
}
