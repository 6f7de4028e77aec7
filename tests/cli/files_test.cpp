// Files of several arrays, and packed ones, through the program.

#include <doctest/doctest.h>

#include "support/file_folder.hpp"
#include "support/process.hpp"

using namespace clgauss::test;

namespace {

struct Refused {
  std::string arguments, complaint;
  int exit_code = 3;
};

}  // namespace

TEST_CASE("a system in one file is solved into any format, from a pipe as well") {
  const TemporaryFolder folder;
  for (const std::string name : {"system.npz", "system.mat", "level73.mat", "system.h5"}) {
    CAPTURE(name);
    const std::string path = (file_folder() / name).string();
    const auto result = run_program(folder, "solve '" + path + "'");
    CHECK(result.exit_code == 0);
    CHECK(result.out == "1\n1\n1\n");
    for (const std::string x : {"x.npz", "x.mat", "x.h5", "x.txt.gz"}) {
      const auto written =
          run_program(folder, "solve '" + path + ":A' --rhs '" + path + ":b' -o " + x);
      CAPTURE(written.err);
      CHECK(written.exit_code == 0);
      const auto again =
          run_program(folder, "solve '" + path + ":A' --rhs " + x + " -q -o again.txt");
      CHECK(again.exit_code == 0);  // the only array of a file needs no name
    }
    const auto named = run_program(folder, "solve '" + path + ":A' --rhs x.h5:/x -q -o again.txt");
    CHECK(named.exit_code == 0);
  }
  const std::string h5 = (file_folder() / "system.h5").string();
  CHECK(run_script(folder, "$CLGAUSS solve - <'" + h5 + "'").out == "1\n1\n1\n");
  CHECK(run_script(folder, "$CLGAUSS solve --system=-:A --rhs '" + h5 + ":b' <'" + h5 + "'").out ==
        "1\n1\n1\n");
}

TEST_CASE("what is wrong with a file of arrays is said, and nothing is half-written") {
  const TemporaryFolder folder;
  const auto sample = [](const std::string& name) { return "'" + (file_folder() / name).string(); };
  write_file(folder / "cut.h5", content_of(file_folder() / "system.h5").substr(0, 1500));
  write_file(folder / "cut.mat", content_of(file_folder() / "compressed.mat").substr(0, 200));
  write_file(folder / "cut.npz", content_of(file_folder() / "system.npz").substr(0, 400));
  write_file(folder / "cut.txt.gz", content_of(file_folder() / "system.txt.gz").substr(0, 40));
  const std::vector<Refused> refused = {
      {"cut.h5", "cut.h5: "},
      {"cut.mat", "cut.mat: the file is cut off or damaged"},
      {"cut.npz", "cut.npz: the zip archive is cut off or damaged"},
      {"cut.txt.gz", "cut.txt.gz: the compressed data are cut off or damaged"},
      {sample("kinds.mat") + "'",
       "no array is called A, and there is more than one; the file holds sparse (3 x 3),"},
      {sample("kinds.h5:/complex") + "'", "kinds.h5:/complex: the array is complex"},
      {sample("system.npz:c") + "'", "there is no array 'c'; the file holds A, b"},
      {sample("system.npz:A") + "'", "is a matrix without right-hand sides"},
      {"none.h5:/A", "none.h5:/A: No such file"},
  };
  const auto before = run_script(folder, "ls").out;
  for (const Refused& each : refused) {
    CAPTURE(each.arguments);
    const auto result = run_program(folder, "solve " + each.arguments + " -o x.h5 --json r.json");
    CAPTURE(result.err);
    CHECK(result.exit_code == each.exit_code);
    CHECK(result.err.find(each.complaint) != std::string::npos);
    CHECK(result.out.empty());
    CHECK(run_script(folder, "ls").out == before);
  }
  write_file(folder / "singular.txt", "1 2 3\n2 4 6\n");
  for (const std::string x : {"x.npz", "x.mat", "x.h5", "x.txt.gz"})
    CHECK(run_program(folder, "solve singular.txt -o " + x).exit_code == 7);
  CHECK(run_script(folder, "ls").out == before + "singular.txt\n");
}
