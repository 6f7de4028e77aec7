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

TEST_CASE("no output overwrites what is read, by whatever name or link, nor another output") {
  const TemporaryFolder folder;
  const std::string system = "2 1 3\n1 3 4\n", square = "2 1\n1 3\n";
  write_file(folder / "s.txt", system);
  write_file(folder / "b.txt", "3\n4\n");
  write_file(folder / "a.txt", square);
  std::filesystem::create_symlink("s.txt", folder / "link.txt");
  std::filesystem::create_hard_link(folder / "s.txt", folder / "hard.txt");
  std::filesystem::copy(file_folder() / "system.npz", folder / "s.npz");
  const std::string npz = content_of(folder / "s.npz");
  for (const std::string arguments : {"solve s.txt -o s.txt",
                                      "solve s.txt -o ./s.txt",
                                      "solve s.txt -o link.txt",
                                      "solve link.txt -o s.txt",
                                      "solve s.txt -o hard.txt",
                                      "solve s.txt --json s.txt",
                                      "solve s.txt --launches s.txt",
                                      "solve s.txt --devices all --trace s.txt",
                                      "solve s.npz:A --rhs s.npz:b -o s.npz",
                                      "solve a.txt --rhs b.txt -o b.txt",
                                      "solve - -o s.txt <s.txt",
                                      "solve s.txt >>s.txt",
                                      "solve s.txt --in-place -o s.txt",
                                      "solve --batched s.npz -o s.npz",
                                      "lstsq a.txt b.txt -o a.txt",
                                      "lstsq a.txt b.txt -o b.txt",
                                      "lstsq a.txt --rhs b.txt -o b.txt",
                                      "lstsq s.txt --json s.txt",
                                      "invert a.txt -o a.txt",
                                      "det a.txt --json a.txt",
                                      "cond a.txt --json a.txt"}) {
    CAPTURE(arguments);
    const auto result = run_script(folder, "$CLGAUSS " + arguments);
    CHECK_MESSAGE(result.exit_code == 2, result.err);
    CHECK_MESSAGE(result.err.find(" would overwrite ") != std::string::npos, result.err);
    CHECK(content_of(folder / "s.txt") == system);
    CHECK(content_of(folder / "s.npz") == npz);
    CHECK(content_of(folder / "a.txt") == square);
    CHECK(content_of(folder / "b.txt") == "3\n4\n");
  }
  for (const std::string arguments :
       {"solve s.txt -o x --json ./x", "solve s.txt -o x --launches x",
        "solve s.txt -o x --devices all --trace x", "invert a.txt -o x --json x",
        "lstsq s.txt -o x --json x"}) {
    CAPTURE(arguments);
    const auto result = run_program(folder, arguments);
    CHECK(result.exit_code == 2);
    CHECK_MESSAGE(result.err.find("are the same file") != std::string::npos, result.err);
  }
  for (const std::string arguments : {"replay s.txt --json s.txt", "replay s.txt --trace s.txt",
                                      "replay a.txt --seeds s.txt --trace s.txt",
                                      "search gemm --n 8 --seeds s.txt --record s.txt"}) {
    CAPTURE(arguments);
    const auto result = run_tune(folder, arguments);
    CHECK(result.exit_code == 2);
    CHECK_MESSAGE(result.err.find(" would overwrite ") != std::string::npos, result.err);
  }
  CHECK(run_program(folder, "solve s.txt -o /dev/null --json /dev/null").exit_code == 0);
}

TEST_CASE("an output whose name ends in no format that is written is refused") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "2 1 3\n1 3 4\n");
  for (const std::string x : {"x.xlsx", "x.PDF", "x.json", "x.txt.zip", "x.pdf.gz", "x.mtxx"}) {
    CAPTURE(x);
    for (const std::string command :
         {"solve s.txt -o ", "lstsq s.txt -o ", "generate --kind random --n 2 -o "}) {
      const auto result = run_program(folder, command + x);
      CHECK(result.exit_code == 2);
      CHECK_MESSAGE(result.err.find("no format has the ending ") != std::string::npos, result.err);
    }
    CHECK_FALSE(std::filesystem::exists(folder / x));
  }
  CHECK(run_program(folder, "solve s.txt -o x.xlsx --output-format csv").exit_code == 0);
  for (const std::string x : {"x", "x.dat", "x.TXT", "x.csv", "x.tsv", "x.mtx.gz", "x.gz"})
    CHECK(run_program(folder, "solve s.txt -o " + x).exit_code == 0);
  CHECK(run_tune(folder, "report . -o page.pdf").exit_code == 2);
}
