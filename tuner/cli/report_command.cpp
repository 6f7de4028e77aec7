#include <fmt/format.h>

#include <filesystem>

#include "command_line/interrupt.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/report/markdown.hpp"
#include "tuner/report/page.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kUsage = "FOLDER -o report.html [options]";
constexpr std::string_view kAbout =
    "Makes one HTML page of all rows beneath FOLDER: for each device a verdict on the LCM rule, "
    "figures 2 to 6 of Baranov and Vlatskaya (2013) from its own times, and tables. The page "
    "needs nothing else; a name that ends in .md makes it Markdown, without figures. What gnuplot "
    "drew it from lies beside it, in report_files/. Without "
    "gnuplot (Debian: gnuplot-nox) it has tables in place of figures.";
constexpr std::string_view kExamples =
    "clgauss-tune report results -o report.html\n"
    "clgauss-tune report results -o h200.html --title 'H200, driver 580'\n"
    "clgauss-tune report results -o h200.md";

}  // namespace

void write_report(const std::filesystem::path& folder, const std::filesystem::path& output,
                  const std::string& title) {
  OutputFile file(output.string());
  if (output.extension() == ".md") {
    file.write(report::markdown(read_results(folder), title));
    file.commit();
    cli::tell(fmt::format("{} written\n", output.string()));
    return;
  }
  const std::string files = output.stem().string() + "_files";
  report::Illustrator illustrator(output.parent_path() / files, files);
  file.write(report::page(read_results(folder), title, illustrator));
  cli::throw_if_interrupted();
  file.commit();
  for (const std::string& problem : illustrator.problems())
    cli::tell(fmt::format("clgauss-tune: {}\n", problem));
  cli::tell(fmt::format("{} written\n", output.string()));
}

cli::CommandTable report_table() {
  cli::CommandTable table{kUsage, kAbout, kExamples, {}, "folder"};
  // clang-format off
  table.group("Report")
      ("folder", cli::folder("FOLDER")->required(), "folder with results of sweep, outliers, rules ..")
      ("output,o", cli::file("FILE")->required(), "the page")
      ("title", cli::text("T")->default_value(kReportTitle), "the page's title");
  // clang-format on
  return table;
}

cli::ExitCode run_report(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const std::filesystem::path output = values["output"].as<std::string>();
  if (output == "-") throw UsageError("a report has files beside it: -o needs the name of a file");

  write_report(values["folder"].as<std::string>(), output, values["title"].as<std::string>());
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
