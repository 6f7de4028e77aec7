#include <fmt/format.h>

#include <algorithm>
#include <clgauss/io.hpp>
#include <clgauss/lab/kernel_survey.hpp>
#include <clgauss/version.hpp>
#include <nlohmann/json.hpp>

#include "command_line/interrupt.hpp"
#include "command_line/progress_line.hpp"
#include "command_line/typed.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/experiments/device_report.hpp"
#include "tuner/rows/experiment_info.hpp"

namespace clgauss::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kReportDeviceUsage = "[options]";
constexpr std::string_view kReportDeviceAbout =
    "Self-tests every kernel on a device, measures in two minutes how fast it factors, multiplies, "
    "copies and launches, and writes all of it as one JSON that can be pasted into an issue or "
    "kept "
    "in data/devices/reports, from which the page of devices is made. The first run on a device "
    "builds all kernels, which takes minutes on some. The JSON names device, driver, processor and "
    "kernel of the machine, and no user or host.";
constexpr std::string_view kReportDeviceExamples =
    "clgauss-tune report-device -o my_gpu.json\n"
    "clgauss-tune report-device --device rusticl --budget 30s > rusticl.json";

Json verdicts_json(const std::vector<KernelVerdict>& verdicts) {
  const auto skipped = [](const KernelVerdict& verdict) {
    return !verdict.usable && !verdict.tried;
  };
  Json wrong = Json::array();
  for (const KernelVerdict& verdict : verdicts)
    if (verdict.tried && !verdict.usable)
      wrong.push_back(
          {{"kernel", verdict.kernel}, {"build", verdict.build}, {"reason", verdict.reason}});
  return {{"usable", std::ranges::count(verdicts, true, &KernelVerdict::usable)},
          {"skipped", std::ranges::count_if(verdicts, skipped)},
          {"wrong", std::move(wrong)}};
}

Json figures_json(const std::vector<DeviceFigure>& figures) {
  Json all = Json::array();
  for (const DeviceFigure& figure : figures) {
    Json json{{"what", figure.what}};
    if (!figure.type.empty()) json["type"] = figure.type;
    if (figure.n > 0) json["n"] = figure.n;
    if (!figure.problem.empty()) {
      json["problem"] = figure.problem;
    } else {
      json["value"] = figure.value;
      json["unit"] = figure.unit;
      json["times_ns"] = figure.times_ns;
    }
    all.push_back(std::move(json));
  }
  return all;
}

std::string line_of(const DeviceFigure& figure) {
  const std::string what =
      fmt::format("{}{}{}", figure.what, figure.type.empty() ? "" : " ", figure.type);
  const std::string n = figure.n > 0 ? fmt::format(", n = {}", figure.n) : "";
  return figure.problem.empty()
             ? fmt::format("{}{}: {:.4g} {}\n", what, n, figure.value, figure.unit)
             : fmt::format("{}{}: {}\n", what, n, figure.problem);
}

}  // namespace

cli::CommandTable report_device_table() {
  cli::CommandTable table{kReportDeviceUsage, kReportDeviceAbout, kReportDeviceExamples, {}};
  // clang-format off
  table.group("Report")
      ("output,o", cli::output_file("FILE")->default_value("-"), "write the JSON here; - is standard output")
      ("budget", cli::text("TIME")->default_value("2min"), "time to measure for, behind the self-tests")
      ("quiet,q", cli::po::bool_switch(), "no progress, and no figures on standard error");
  // clang-format on
  cli::add_context_options(table);
  return table;
}

cli::ExitCode run_report_device(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const double budget_s = cli::parse_duration(values["budget"].as<std::string>()).count();
  const bool quiet = values["quiet"].as<bool>();
  OutputFile output(values["output"].as<std::string>());
  Context context(cli::open_named_device(values["device"].as<std::string>()),
                  cli::context_options(values));
  ExperimentInfo info{"report-device",  "", "", "", typed("report-device", given),
                      context.profile()};
  note_host(info);
  cli::ProgressLine line(!quiet);
  survey_kernels(context, shown_on(line));
  const auto figures =
      device_figures(context, budget_s, [&](double fraction, const std::string& what) {
        cli::throw_if_interrupted();
        line.update("measuring", fraction, what);
      });
  line.clear();
  Json report = Json::parse(info_text(info));
  report["opencl_version"] = context.profile().opencl_version;
  report["fp64"] = context.profile().fp64;
  report["kernels"] = verdicts_json(context.trials().verdicts());
  report["measured"] = figures_json(figures);
  output.write(report.dump(2) + "\n");
  output.commit();
  if (!quiet)
    for (const DeviceFigure& figure : figures) cli::tell(line_of(figure));
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
