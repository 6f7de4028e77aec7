#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "clock.hpp"
#include "command_line/progress_line.hpp"
#include "command_line/typed.hpp"
#include "tuner/auto/auto.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kLaboratoryUsage = "-o FOLDER [options]";
constexpr std::string_view kLaboratoryAbout =
    "Runs every experiment of the laboratory on one device within a given time, each in a folder "
    "of its own below FOLDER, and writes the page FOLDER/report.html and the same without figures, "
    "FOLDER/report.md. Each has its share of the time; what it does not use goes to the others. "
    "Run again to go on where it stopped.";
constexpr std::string_view kLaboratoryExamples =
    "clgauss-tune laboratory --device nvidia: --budget 6min -o results/h200\n"
    "clgauss-tune laboratory --device pocl -o results/pocl";

/// One experiment, its share of the whole time, and its arguments without device, folder and
/// budget.
struct Part {
  const char* folder;
  double share;
  cli::CommandTable (*table)();
  cli::ExitCode (*run)(const cli::Given& given);
  Arguments arguments;
};

std::vector<Part> parts_of(bool gpu, std::size_t limit) {
  const auto rules = [](const char* folder, double share, Arguments arguments) {
    return Part{folder, share, rules_table, run_rules, std::move(arguments)};
  };
  const auto outliers = [](const char* folder, double share, const char* sizes) {
    return Part{folder,
                share,
                outliers_table,
                run_outliers,
                {"--sizes", sizes, "--steps", "16", "--reps", "7"}};
  };
  const auto sweep = [](const char* folder, double share, Arguments arguments) {
    return Part{folder, share, sweep_table, run_sweep, std::move(arguments)};
  };
  const auto kernel = [&](const char* name) {
    return sweep(name, 2,
                 {"--kernel", name, "--sizes", gpu ? "1012,4006" : "1012", "--local",
                  "1,32,64,128,192,256,512,1024", "--steps", "32"});
  };
  // The raw rule is not cut where a unit counts as so few cores. At n of its own: what it gives
  // there is another size.
  const Part raw = rules("rules_few_cores", 4,
                         {"--sizes", gpu ? "3000,6000" : "1500", "--cores-per-cu", gpu ? "4" : "24",
                          "--local", "256", "--steps", "16"});
  const Part shrinking = rules("rules_shrinking", 6,
                               {"--sizes", gpu ? "1030,4006" : "1012", "--ndrange", "shrinking",
                                "--local", "64,128,512,1024"});
  const auto sizes = [&](const char* list) { return fmt::format("{},{}", list, limit); };
  std::vector<Part> parts;
  if (gpu)
    parts = {
        rules("rules", 20, {"--sizes", "508,1012,1030,2002,4006,8010", "--timeout", "15s"}),
        outliers("outliers", 12, "1000:1099"), outliers("outliers_8000", 10, "8000:8015"),
        sweep("small", 8, {"--sizes", "100:900:100", "--local", sizes("1,32,64:896:64")}),
        sweep("large", 10, {"--sizes", "1000,2000,4000,8000", "--local", sizes("32,64:1024:64")})};
  else
    parts = {
        rules("rules", 25, {"--sizes", "508,1012,2002", "--steps", "32"}),
        outliers("outliers", 12, "1000:1040"),
        sweep("small", 8, {"--sizes", "100:900:200", "--local", sizes("1,32,64:896:64")}),
        sweep("large", 10,
              {"--sizes", "1000,2000", "--local", sizes("32,64,128:1024:128"), "--steps", "16"})};
  parts.push_back(shrinking);
  parts.push_back(raw);
  for (const char* name :
       {"gauss_fwd_pre", "gauss_bwd", "gauss_bwd_prepare", "gauss_pivot", "gauss_swap"})
    parts.push_back(kernel(name));
  parts.push_back({"reproduce", 25, reproduce_table, run_reproduce, {"all"}});
  return parts;
}

}  // namespace

cli::CommandTable laboratory_table() {
  cli::CommandTable table{kLaboratoryUsage, kLaboratoryAbout, kLaboratoryExamples, {}};
  // clang-format off
  table.group("Laboratory")
      ("output,o", cli::folder("FOLDER")->required(), "folder for the experiments and the page")
      ("budget", cli::text("TIME"), "time to take (default 20min on a CPU, 6min elsewhere)")
      ("only", cli::text("LIST"), "these experiments alone, by their folders: rules,outliers ..")
      ("accept-noise", cli::po::bool_switch(), "measure although equal launches differ by more than what is looked for")
      ("quiet,q", cli::po::bool_switch(), "no progress");
  // clang-format on
  cli::add_device_option(table);
  return table;
}

cli::ExitCode run_laboratory(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const std::string device = values["device"].as<std::string>();
  const std::filesystem::path folder = values["output"].as<std::string>();
  std::vector<Part> parts;
  double budget_s = 0;
  {
    Context context(cli::open_named_device(device), {});
    const bool gpu = context.profile().type != DeviceType::cpu;
    parts = parts_of(gpu, context.profile().max_work_group_size);
    budget_s = gpu ? 360 : 1200;
    if (!values["accept-noise"].as<bool>()) require_quiet_machine(context);
  }
  if (const auto budget = cli::option<std::string>(values, "budget"))
    budget_s = cli::parse_duration(*budget).count();
  if (const auto only = cli::option<std::string>(values, "only")) {
    const std::vector<std::string> names = cli::parse_list(*only);
    std::vector<std::string> known;
    for (const Part& part : parts) known.emplace_back(part.folder);
    for (const std::string& name : names)
      if (std::ranges::find(known, name) == known.end()) cli::refuse_word("--only", name, known);
    std::erase_if(parts, [&](const Part& part) {
      return std::ranges::find(names, part.folder) == names.end();
    });
  }

  const bool quiet = values["quiet"].as<bool>();
  if (!quiet)
    cli::tell(fmt::format("laboratory: {} experiments, at most about {} (--budget)\n", parts.size(),
                          cli::duration_text(budget_s)));
  const auto start = std::chrono::steady_clock::now();
  double shares = 0;
  for (const Part& part : parts) shares += part.share;
  for (const Part& part : parts) {
    const double left_s = budget_s - seconds_since(start);
    if (left_s <= 0) break;
    Arguments arguments = part.arguments;
    for (const std::string& more :
         {std::string("--budget"), fmt::format("{:.3f}s", left_s * part.share / shares),
          std::string("-o"), (folder / part.folder).string()})
      arguments.push_back(more);
    if (!device.empty()) arguments.insert(arguments.end(), {"--device", device});
    if (quiet) arguments.emplace_back("-q");
    shares -= part.share;
    const cli::CommandTable table = part.table();
    const Outcome outcome = guarded([&]() -> Outcome {
      static_cast<void>(part.run({arguments, cli::store_options(arguments, table)}));
      return {};
    });
    if (outcome.status != Status::ok)  // of this device: the others go on
      cli::tell(fmt::format("laboratory: {}: {}\n", part.folder, outcome.detail));
  }
  for (const char* page : {"report.html", "report.md"})
    write_report(folder, folder / page, kReportTitle);
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
