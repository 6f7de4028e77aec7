#include <doctest/doctest.h>

#include <clgauss/io.hpp>

#include "support/made_up_rows.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

using namespace clgauss::test;
namespace tune = clgauss::tune;

namespace {

void write_results(const std::filesystem::path& folder, const std::string& experiment) {
  const auto info = made_up_experiment(experiment);
  tune::ResultFolder results(folder, info, false);
  results.append(
      made_up_rows(info, {{100, "driver", 0, 3}, {100, "lcm", 192, 1}, {100, "fixed", 64, 2}}));
}

}  // namespace

TEST_CASE("report makes one page of all folders, whatever their names, and nothing else") {
  const TemporaryFolder folder;
  write_results(folder / "results/a 'b'", "rules");
  write_results(folder / "results/c", "outliers");
  const auto result = run_tune(folder, "report results -o \"it's.html\" --title '<b>bold</b>'");
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  const std::string page = content_of(folder / "it's.html");
  CHECK(has(page, "<title>&lt;b&gt;bold&lt;/b&gt;</title>"));
  CHECK(has(page, "the rule holds"));
  CHECK(has(page, "id=\"fig2\""));
  using Entries = std::filesystem::directory_iterator;
  CHECK(std::distance(Entries(folder.path()), Entries()) == 2);  // results and the page
  CHECK(run_tune(folder, "report results -o again.html --title '<b>bold</b>'").exit_code == 0);
  CHECK(content_of(folder / "again.html") == page);
}

TEST_CASE("report of two folders compares them") {
  const TemporaryFolder folder;
  write_results(folder / "old", "rules");
  write_results(folder / "new", "rules");
  write_results(folder / "other", "outliers");
  CHECK(run_tune(folder, "report old new -o r.html").exit_code == 0);
  CHECK(has(content_of(folder / "r.html"), "Of 3 configurations that both runs timed"));
  CHECK(run_tune(folder, "report old new -o r.md").exit_code == 0);
  CHECK(has(content_of(folder / "r.md"), "Earlier: old; later: new"));
  const auto nothing = run_tune(folder, "report old other -o no.html");
  CHECK(nothing.exit_code == 3);
  CHECK(has(nothing.err, "no configuration here has times in old"));
  const auto too_many = run_tune(folder, "report old new other -o no.html");
  CHECK(too_many.exit_code == 2);
  CHECK(has(too_many.err, "more arguments than FOLDER and LATER"));
  CHECK_FALSE(std::filesystem::exists(folder / "no.html"));
}

TEST_CASE("explain says why from rows of one device, and predicts a kernel of the user's") {
  const TemporaryFolder folder;
  write_results(folder / "results", "rules");
  const auto picks = run_tune(folder, "explain --rows results --predictions all.csv");
  CHECK(picks.exit_code == 0);
  CHECK(has(picks.out, "2 fitted times: median error"));
  CHECK(has(content_of(folder / "all.csv"), ",gauss_fwd,"));
  const auto own = run_tune(folder, "explain --rows results --global 4096x4096 --json");
  CHECK(own.exit_code == 0);
  CHECK(has(own.out, "\"because\""));
  CHECK(run_tune(folder, "explain --rows results --global 10x").exit_code == 2);
  CHECK(run_tune(folder, "explain --rows results -o more").exit_code == 2);
  for (const char* given : {"--each-kernel --fit-sizes 7", "--global 1000 --rate 0",
                            "--global 1000 --bytes -8", "--bytes 8"})
    CHECK(run_tune(folder, std::string("explain --rows results ") + given).exit_code == 2);
  const auto none = run_tune(folder, "explain --rows results --fit-sizes 7");
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "no launch was measured that the model knows"));
}

TEST_CASE("a report that cannot be made leaves no page") {
  const TemporaryFolder folder;
  write_results(folder / "good", "rules");
  write_results(folder / "damaged", "rules");
  const std::string rows = content_of(folder / "damaged/rows.csv");
  write_file(folder / "damaged/rows.csv", rows + "1,2,3\n");
  std::filesystem::create_directory(folder / "empty");
  const auto fails = [&](const std::string& arguments, int code, const char* words) {
    CAPTURE(arguments);
    const auto result = run_tune(folder, "report " + arguments);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(has(result.err, words), result.err);
  };
  fails("empty -o r.html", 3, "no results");
  fails("nowhere -o r.html", 3, "nowhere");
  fails("damaged -o r.html", 3, "damaged/rows.csv:11");
  fails("good -o no/folder/r.html", 3, "no/folder");
  fails("good -o -", 2, "-o needs its name");
  fails("good", 2, "output");
  fails("-o r.html", 2, "FOLDER is missing");
  CHECK_FALSE(std::filesystem::exists(folder / "r.html"));
}

TEST_CASE("explain says how long it will measure, and leaves that out where it is to be quiet") {
  const TemporaryFolder folder;
  const std::string measured = "explain --sizes 64 --reps 1 --budget 2s --device pocl -o ";
  const auto told = run_tune(folder, measured + "told");
  CAPTURE(told.err);
  CHECK(has(told.err, "explain: about "));
  CHECK(has(told.err, "configurations measured now"));
  CHECK_FALSE(has(run_tune(folder, measured + "quiet -q").err, "explain: about "));
  CHECK_FALSE(has(run_tune(folder, "explain --rows told").err, "explain: about "));
}
