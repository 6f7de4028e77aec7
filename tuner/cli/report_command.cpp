#include <fmt/format.h>

#include <filesystem>

#include "command_line/interrupt.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/report/page.hpp"

namespace clgauss::tune {

namespace {

constexpr cli::CommandHelp kHelp{
    "clgauss-tune report FOLDER -o report.html [options]",
    "Makes one HTML page of all rows beneath FOLDER: for each device a verdict on the LCM rule, "
    "figures 2 to 6 of Baranov and\n"
    "Vlatskaya (2013) from its own times, and tables. The page needs nothing else; what gnuplot "
    "drew it from lies beside it, in\n"
    "report_files/. Without gnuplot (Debian: gnuplot-nox) it has tables in place of figures.",
    "  clgauss-tune report results -o report.html\n"
    "  clgauss-tune report results -o h200.html --title 'H200, driver 580'"};

}  // namespace

void write_report(const std::filesystem::path& folder, const std::filesystem::path& output,
                  const std::string& title) {
  OutputFile file(output.string());
  const std::string files = output.stem().string() + "_files";
  report::Illustrator illustrator(output.parent_path() / files, files);
  file.write(report::page(read_results(folder), title, illustrator));
  cli::throw_if_interrupted();
  file.commit();
  for (const std::string& problem : illustrator.problems())
    cli::tell(fmt::format("clgauss-tune: {}\n", problem));
  cli::tell(fmt::format("{} written\n", output.string()));
}

cli::ExitCode run_report(const Arguments& arguments) {
  cli::po::options_description options("Options");
  // clang-format off
  options.add_options()
      ("folder", cli::po::value<std::string>()->value_name("FOLDER")->required(), "folder with results of sweep, outliers, rules ..; also without its name")
      ("output,o", cli::po::value<std::string>()->value_name("FILE")->required(), "the page")
      ("title", cli::po::value<std::string>()->default_value(kReportTitle)->value_name("T"),
       "the page's title");
  // clang-format on
  const auto values = cli::parse_options(arguments, options, kHelp, "folder");
  if (!values) return cli::ExitCode::ok;
  const std::filesystem::path output = (*values)["output"].as<std::string>();
  if (output == "-") throw UsageError("a report has files beside it: -o needs the name of a file");

  write_report((*values)["folder"].as<std::string>(), output, (*values)["title"].as<std::string>());
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
