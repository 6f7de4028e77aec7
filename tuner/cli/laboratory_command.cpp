#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "clock.hpp"
#include "command_line/progress_line.hpp"
#include "command_line/typed.hpp"
#include "tuner/auto/auto.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/measure/elimination.hpp"
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
  std::string folder;
  double share;
  cli::CommandTable (*table)();
  cli::ExitCode (*run)(const cli::Given& given);
  Arguments arguments;
};

/// Makes the parts of a device, each in f64 and in f32 where the device has both.
class Parts {
 public:
  Parts(const DeviceProfile& device, std::vector<Part>& parts)
      : gpu_(device.type != DeviceType::cpu),
        limit_(device.max_work_group_size),
        types_(device.fp64 ? std::vector<std::string>{"f64", "f32"}
                           : std::vector<std::string>{"f32"}),
        parts_(parts) {}

  void add_all() {
    for (const std::string& type : types_) {
      const double share = type == types_.front() ? 1 : 0.5;
      design(type, share);
      source_figures(type, share);
    }
    const std::string& type = types_.front();
    parts_.push_back({"reproduce", 25, reproduce_table, run_reproduce, {"all"}});
    for (const char* name :
         {"gauss_fwd_pre", "gauss_bwd", "gauss_bwd_prepare", "gauss_pivot", "gauss_swap"})
      add(name, 1, sweep_table, run_sweep,
          {"--kernel", name, "--sizes", gpu_ ? "1012,4006" : "1012", "--local",
           "1,32,64,128,192,256,512,1024", "--steps", gpu_ ? "32" : "8", "--type", type});
    add("rules_shrinking", 4, rules_table, run_rules,
        {"--sizes", gpu_ ? "1030,4006" : "1012", "--ndrange", "shrinking", "--local",
         "64,128,256,512,1024", "--split", "padded,round_up", "--steps", gpu_ ? "64" : "8",
         "--type", type});
    // The raw rule is not cut where a unit counts as so few cores. At n of its own: what it gives
    // there is another size.
    add("rules_few_cores", 2, rules_table, run_rules,
        {"--sizes", gpu_ ? "3000,6000" : "1500", "--cores-per-cu", gpu_ ? "4" : "24", "--local",
         "256", "--split", "padded", "--steps", "16", "--type", type});
    // At another time, in a context of its own.
    add("rules_again", 3, rules_table, run_rules,
        {"--sizes", gpu_ ? "1012,2002" : "508", "--steps", gpu_ ? "64" : "16", "--type", type});
  }

 private:
  using Table = cli::CommandTable (*)();
  using Run = cli::ExitCode (*)(const cli::Given& given);

  void add(const std::string& folder, double share, Table table, Run run, Arguments arguments) {
    parts_.push_back({folder, share, table, run, std::move(arguments)});
  }

  /// Every size in every way of launching, of gauss_fwd and of the whole solve.
  void design(const std::string& type, double share) {
    const auto name = [&](const char* part) { return fmt::format("{}_{}", part, type); };
    if (gpu_) {
      add(name("rules"), 12 * share, rules_table, run_rules,
          {"--sizes", "508,1012,1030,2002", "--type", type});
      add(name("rules_large"), 12 * share, rules_table, run_rules,
          {"--sizes", "4006,8010", "--steps", "16", "--timeout", "15s", "--type", type});
    } else {
      add(name("rules"), 25 * share, rules_table, run_rules,
          {"--sizes", "508,1012,2002", "--steps", "16", "--type", type});
    }
    add(name("solve"), 8 * share, rules_table, run_rules,
        {"--kernel", std::string(kWholeSolve), "--sizes", gpu_ ? "508,1012,2002,4006" : "508,1012",
         "--local", "32,64,128,192,256,512,1024", "--split", "padded,exact,round_up", "--steps",
         gpu_ ? "32" : "8", "--type", type});
  }

  /// Figures 2 to 6 of the source, with its remainder launches; size 1 takes minutes at large n.
  void source_figures(const std::string& type, double share) {
    const auto name = [&](const char* part) { return fmt::format("{}_{}", part, type); };
    const auto sizes = [&](const char* list) { return fmt::format("{},{}", list, limit_); };
    const auto outliers = [&](const char* part, double weight, const char* n) {
      add(name(part), weight * share, outliers_table, run_outliers,
          {"--sizes", n, "--steps", gpu_ ? "16" : "4", "--reps", "8", "--device-reps", "1",
           "--type", type});
    };
    const auto sweep = [&](const char* part, double weight, const char* n, const char* locals,
                           const char* steps) {
      add(name(part), weight * share, sweep_table, run_sweep,
          {"--sizes", n, "--local", sizes(locals), "--split", "exact", "--steps", steps,
           "--device-reps", "0", "--type", type});
    };
    outliers("outliers", 12, gpu_ ? "1000:1099" : "1000:1040");
    if (gpu_) outliers("outliers_8000", 10, "8000:8015");
    sweep("small", 8, "100:900:100", "1,32,64:896:64", gpu_ ? "32" : "8");
    if (gpu_)
      sweep("large", 14, "1000:10000:1000", "32,64:1024:64", "8");
    else
      sweep("large", 10, "1000,2000,4000", "32,64,128:1024:128", "4");
  }

  bool gpu_;
  std::size_t limit_;
  std::vector<std::string> types_;
  std::vector<Part>& parts_;
};

}  // namespace

cli::CommandTable laboratory_table() {
  cli::CommandTable table{kLaboratoryUsage, kLaboratoryAbout, kLaboratoryExamples, {}};
  // clang-format off
  table.group("Laboratory")
      ("output,o", cli::folder("FOLDER")->required(), "folder for the experiments and the page")
      ("budget", cli::text("TIME"), "time to take (default 20min on a CPU, 7min elsewhere)")
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
    Parts(context.profile(), parts).add_all();
    budget_s = gpu ? 420 : 1200;
    if (!values["accept-noise"].as<bool>()) require_quiet_machine(context);
  }
  if (const auto budget = cli::option<std::string>(values, "budget"))
    budget_s = cli::parse_duration(*budget).count();
  if (const auto only = cli::option<std::string>(values, "only")) {
    const std::vector<std::string> names = cli::parse_list(*only);
    std::vector<std::string> known;
    for (const Part& part : parts) known.push_back(part.folder);
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
