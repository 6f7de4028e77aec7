#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "command_line/interrupt.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/report/markdown.hpp"
#include "tuner/report/page.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kReportUsage = "FOLDER [LATER] -o report.html [options]";
constexpr std::string_view kReportAbout =
    "Makes one HTML page of all rows beneath FOLDER: what the work-group size is worth on each "
    "device, "
    "with the advice, the devices side by side, and for each device a verdict on the LCM rule, "
    "figures 2 "
    "to 6 of Baranov and Vlatskaya (2013) from its own times, and tables. The page needs nothing "
    "else and "
    "asks no network; values show under the mouse, and a click on a name in a legend takes its "
    "series "
    "away. A name that ends in .md makes it Markdown, without figures.\n"
    "With LATER, another run, the page compares the two: what is faster, the same and slower "
    "there, and what "
    "changed most.";
constexpr std::string_view kReportExamples =
    "clgauss-tune report results -o report.html\n"
    "clgauss-tune report results -o h200.html --title 'H200, driver 580'\n"
    "clgauss-tune report results/old_driver results/new_driver -o drivers.html\n"
    "clgauss-tune report results -o h200.md";

/// Writes what `html` or `markdown` gives, by the name of the file.
void write_page(const std::filesystem::path& output, const std::function<std::string()>& html,
                const std::function<std::string()>& markdown) {
  OutputFile file(output.string());
  file.write(output.extension() == ".md" ? markdown() : html());
  cli::throw_if_interrupted();
  file.commit();
  cli::tell(fmt::format("{} written\n", output.string()));
}

}  // namespace

void write_report(const std::filesystem::path& folder, const std::filesystem::path& output,
                  const std::string& title) {
  const std::vector<Results> results = read_results(folder);
  report::Illustrator illustrator;
  write_page(
      output, [&] { return report::page(results, title, illustrator); },
      [&] { return report::markdown(results, title); });
}

cli::CommandTable report_table() {
  cli::CommandTable table{kReportUsage, kReportAbout, kReportExamples, {}, "folder later"};
  // clang-format off
  table.group("Report")
      ("folder", cli::folder("FOLDER")->required(), "folder with results of sweep, outliers, rules ..")
      ("later", cli::folder("LATER"), "folder of another run, which is compared with it")
      ("output,o", cli::output_file("FILE")->required(), "the page")
      ("title", cli::text("T"), "the page's title");
  // clang-format on
  return table;
}

cli::ExitCode run_report(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const std::filesystem::path output = values["output"].as<std::string>();
  if (output == "-") throw UsageError("a report is a file: -o needs its name");
  const std::string ending = output.extension().string();
  if (ending != ".html" && ending != ".htm" && ending != ".md")
    throw UsageError("--output " + output.string() + ": a report ends in .html or .md");
  const std::string folder = values["folder"].as<std::string>();
  const auto later = cli::option<std::string>(values, "later");
  const std::string title = cli::option<std::string>(values, "title")
                                .value_or(later ? "What changed between two runs" : kReportTitle);
  if (!later) {
    write_report(folder, output, title);
    return cli::ExitCode::ok;
  }
  const report::Run before{folder, read_results(folder)}, after{*later, read_results(*later)};
  report::Illustrator illustrator;
  write_page(
      output, [&] { return report::comparison_page(before, after, title, illustrator); },
      [&] { return report::comparison_markdown(before, after, title); });
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
