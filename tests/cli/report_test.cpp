#include <doctest/doctest.h>

#include <clgauss/io.hpp>

#include "support/made_up_rows.hpp"
#include "support/process.hpp"

using namespace clgauss::test;
namespace tune = clgauss::tune;

namespace {

void write_results(const std::filesystem::path& folder, const std::string& experiment) {
  const auto info = made_up_experiment(experiment);
  tune::ResultFolder results(folder, info, false);
  results.append(
      made_up_rows(info, {{100, "driver", 0, 3}, {100, "lcm", 192, 1}, {100, "fixed", 64, 2}}));
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "report makes one page of all folders, whatever their names, and nothing else of it but its "
    "figures' files") {
  const TemporaryFolder folder;
  write_results(folder / "results/a 'b'", "rules");
  write_results(folder / "results/c", "outliers");
  const auto result = run_tune(folder, "report results -o \"it's.html\" --title '<b>bold</b>'");
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  const std::string page = content_of(folder / "it's.html");
  CHECK(contains(page, "<title>&lt;b&gt;bold&lt;/b&gt;</title>"));
  CHECK(contains(page, "it holds"));
  CHECK(contains(page, "href=\"it%27s_files/fig2.dat\""));
  CHECK(std::filesystem::exists(folder / "it's_files/fig2.gp"));
  CHECK(run_tune(folder, "report results -o again.html --title '<b>bold</b>'").exit_code == 0);
}

TEST_CASE("without gnuplot the report has tables and says what to install") {
  const TemporaryFolder folder;
  write_results(folder / "results", "rules");
  const auto result = run_tune(folder, "report results -o r.html", "PATH=/nowhere");
  CHECK(result.exit_code == 0);
  CHECK(contains(result.err, "gnuplot-nox"));
  CHECK(contains(content_of(folder / "r.html"), "<details open>"));
  CHECK_FALSE(contains(content_of(folder / "r.html"), "<svg"));
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
    CHECK_MESSAGE(contains(result.err, words), result.err);
  };
  fails("empty -o r.html", 3, "no results");
  fails("nowhere -o r.html", 3, "nowhere");
  fails("damaged -o r.html", 3, "damaged/rows.csv:11");
  fails("good -o no/folder/r.html", 3, "no/folder");
  fails("good -o -", 2, "name of a file");
  fails("good", 2, "output");
  fails("-o r.html", 2, "FOLDER is missing");
  CHECK_FALSE(std::filesystem::exists(folder / "r.html"));
}
