#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command_line/progress_line.hpp"
#include "command_line/typed.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/explain/explanation.hpp"
#include "tuner/explain/probes.hpp"

namespace clgauss::tune {

namespace {

namespace po = cli::po;

constexpr std::string_view kExplainUsage = "-o FOLDER | --rows FOLDER [options]";
constexpr std::string_view kExplainAbout =
    "Says what a launch takes with each work-group size, and why. A few constants of a device - "
    "cost of a launch, groups dispatched a nanosecond, groups and work-items that a compute unit "
    "holds, latency, bandwidth, arithmetic - are made from rows: with -o those of 14 small kernels "
    "that it measures now and keeps in FOLDER, with --rows those that are there, of any experiment "
    "on one device. Prints the constants, what the model picks for each kernel and n beside the "
    "fastest that was measured, and how far it is off. With --global, it predicts your own kernel "
    "of so many bytes and operations a work-item.";
constexpr std::string_view kExplainExamples =
    "clgauss-tune explain -o results/explain --device nvidia:\n"
    "clgauss-tune explain --rows results/explain --global 4096x4096 --bytes 8 --flops 5\n"
    "clgauss-tune explain --rows results/explain --each-kernel --predictions left_out.csv\n"
    "clgauss-tune explain --rows results --fit-sizes 1012,4006 --predict 2048";

/// The modes: rows that are measured now, rows that are there; a kernel of the user's; constants
/// that are the same for all kernels, from the rows that are explained; launches and errors that
/// are told.
enum ExplainModes : unsigned {
  kMeasures = 1,
  kReads = 2,
  kPredictsOwn = 4,
  kFitsOnce = 8,
  kFitsThese = 16,
  kTellsLaunches = 32,
  kTellsErrors = 64
};

std::vector<std::string> list_of(const po::variables_map& values, const char* name) {
  const auto text = cli::option<std::string>(values, name);
  return text ? cli::parse_list(*text) : std::vector<std::string>{};
}

/// Which rows the constants are made from, by --fit-kernels and --fit-sizes.
std::function<bool(const Row&)> fitted_rows(const po::variables_map& values) {
  const auto kernels = list_of(values, "fit-kernels");
  const auto sizes = cli::option<std::string>(values, "fit-sizes");
  const auto listed = sizes ? cli::parse_sizes("fit-sizes", *sizes) : std::vector<std::size_t>{};
  return [=](const Row& row) {
    return (kernels.empty() || std::ranges::count(kernels, row.kernel) > 0) &&
           (listed.empty() || std::ranges::count(listed, row.n) > 0);
  };
}

std::vector<Results> measured_now(const cli::Given& given, const std::string& output) {
  const po::variables_map& values = given.values;
  Context context(cli::open_named_device(values["device"].as<std::string>()),
                  cli::context_options(values));
  ExperimentInfo info{"explain", "probes", "f32", "", typed("explain", given), context.profile()};
  note_host(info);
  const auto sizes = cli::parse_sizes("sizes", values["sizes"].as<std::string>());
  const auto rounds = values["reps"].as<std::size_t>();
  if (rounds == 0) throw UsageError("--reps must be at least 1");
  const ExperimentLimits limits = experiment_limits(values);
  TimingOptions options;
  options.warmups = values["warmup"].as<std::size_t>();
  options.timeout_s = cli::parse_duration(values["timeout"].as<std::string>()).count();
  ResultFolder folder(output, info, values["append"].as<bool>());
  const bool quiet = values["quiet"].as<bool>();
  std::vector<Case> cases = probe_cases(context, info, sizes, options);
  if (!quiet)
    announce("explain",
             expected_seconds(cases, folder, context.profile(), rounds + options.warmups + 1,
                              options.timeout_s),
             limits);
  warn_of_noise("explain", "what it finds", noise_of_machine(context));
  cli::ProgressLine line(!quiet);
  const ExperimentSummary summary =
      run_cases(folder, std::move(cases), rounds, limits, shown_on(line, "explain", limits));
  line.clear();
  folder.write_t4();
  cli::tell(fmt::format("{} of {} configurations measured now{}\n", summary.measured,
                        summary.points, left_text(summary)));
  return {{output, info, folder.rows()}};
}

std::string constants_text(const DeviceConstants& device) {
  return fmt::format(
      "launch      {:.2f} us from one to the next, {:.2f} us of the device's own beside its "
      "groups\n"
      "dispatch    {:.4g} groups a microsecond\n"
      "occupancy   {} work-items and {} groups a compute unit, of {} units\n"
      "latency     {:.0f} ns a read, and {:.2g} ns for each work-item of a group\n"
      "bandwidth   {:.4g} GB/s, {:.4g} GB/s within {:.3g} MB of caches, in pieces of {:.0f} bytes\n"
      "arithmetic  {}\n",
      device.launch_ns * 1e-3, device.start_ns * 1e-3, device.groups_per_ns * 1e3,
      device.unit_items, device.unit_groups, device.units, device.latency_ns, device.item_ns,
      device.bytes_per_ns, device.cache_bytes_per_ns, device.cache_bytes * 1e-6,
      device.sector_bytes,
      device.computes() ? fmt::format("{:.4g} Gflop/s", device.flops_per_ns) : "not measured");
}

nlohmann::ordered_json constants_json(const DeviceConstants& device) {
  return {{"launch_ns", device.launch_ns},
          {"start_ns", device.start_ns},
          {"groups_per_ns", device.groups_per_ns},
          {"latency_ns", device.latency_ns},
          {"item_ns", device.item_ns},
          {"bytes_per_ns", device.bytes_per_ns},
          {"flops_per_ns", device.flops_per_ns},
          {"sector_bytes", device.sector_bytes},
          {"cache_bytes_per_ns", device.cache_bytes_per_ns},
          {"cache_bytes", device.cache_bytes},
          {"units", device.units},
          {"lanes", device.lanes},
          {"unit_items", device.unit_items},
          {"unit_groups", device.unit_groups}};
}

std::string group_text(const Observed& observed) {
  return fmt::format("{}x{}", observed.x, observed.y);
}

/// What the model picks, and why, beside the fastest.
std::string picks_text(const DeviceConstants& device, std::span<const Explained> explained) {
  std::string text =
      fmt::format("\n{:<24}{:>6}  {:<10}{:>12}{:>12}  {:<10}{:>12}  {}\n", "kernel", "n", "pick",
                  "predicted", "measured", "fastest", "measured", "because");
  for (const Pick& pick : picks_of(explained)) {
    const Observed &picked = pick.picked->observed, &best = pick.best->observed;
    text += fmt::format("{:<24}{:>6}  {:<10}{:>9.2f} us{:>9.2f} us  {:<10}{:>9.2f} us  {}: {}\n",
                        picked.row.kernel, picked.row.n, group_text(picked),
                        pick.picked->prediction.ns * 1e-3, picked.observation.ns * 1e-3,
                        group_text(best), best.observation.ns * 1e-3,
                        term_name(pick.picked->prediction.dominant()),
                        reason_of(device, pick.picked->prediction, picked.x, picked.y));
  }
  return text;
}

std::string error_text(std::span<const Explained> explained) {
  std::vector<Explained> all(explained.begin(), explained.end());
  const bool held_out = std::ranges::any_of(
      all, [](const Explained& one) { return !one.fitted && one.observed.observation.ns > 0; });
  if (!held_out)
    for (Explained& one : all) one.fitted = false;
  const ModelError error = error_of(all);
  return fmt::format(
      "\n{} {} times: median error {:.1f} %; {:.0f} % of {} picks within 10 % of the fastest\n",
      error.times, held_out ? "held-out" : "fitted", 100 * error.median_error,
      100 * error.good_picks, error.picks);
}

/// Your own kernel over the range of --global: each group, its time and why.
struct OwnKernel {
  std::array<std::size_t, 2> range{};
  ItemWork work;
  std::size_t launches = 1;
};

std::optional<OwnKernel> own_kernel(const po::variables_map& values) {
  const auto global = cli::option<std::string>(values, "global");
  if (!global) return std::nullopt;
  const auto range = parse_group(global->find('x') == std::string::npos ? *global + "x1" : *global);
  if (!range) throw UsageError("--global " + *global + ": work-items, as 1000000 or 4096x4096");
  OwnKernel own{*range, {}, values["launches"].as<std::size_t>()};
  own.work.bytes_along_x = values["bytes"].as<double>();
  own.work.flops = values["flops"].as<double>();
  own.work.reads = values["reads"].as<double>();
  if (own.launches == 0) throw UsageError("--launches must be at least 1");
  for (const char* name : {"bytes", "flops", "reads"})
    if (!(values[name].as<double>() >= 0))
      throw UsageError(fmt::format("--{} must be at least 0", name));
  if (const auto rate = cli::option<double>(values, "rate"); rate && !(*rate > 0))
    throw UsageError("--rate must be above 0");
  return own;
}

std::string own_text(DeviceConstants device, const OwnKernel& own, std::size_t max_group,
                     nlohmann::ordered_json& json) {
  struct Line {
    Shape group;
    Prediction prediction;
  };
  std::vector<Line> lines;
  for (const Shape& group : probe_groups(own.range[1] > 1 ? 2 : 1, max_group)) {
    const auto [x, y] = group;
    const double count = std::ceil(static_cast<double>(own.range[0]) / static_cast<double>(x)) *
                         std::ceil(static_cast<double>(own.range[1]) / static_cast<double>(y));
    const double items = static_cast<double>(own.range[0]) * static_cast<double>(own.range[1]);
    const Step step{{{count, x, y, own.work, items / (count * static_cast<double>(x * y)),
                      items * own.work.bytes_along_x}}};
    lines.push_back({group, predict(device, std::vector<Step>{step})});
  }
  std::ranges::sort(lines, {}, [](const Line& line) { return line.prediction.ns; });
  const auto launches = static_cast<double>(own.launches);
  std::string text = fmt::format("\n{:<10}{:>14}  {}\n", "group", "predicted", "because");
  for (const Line& line : lines) {
    const auto [x, y] = line.group;
    const std::string term(term_name(line.prediction.dominant()));
    text += fmt::format("{:<10}{:>11.2f} us  {}: {}\n", fmt::format("{}x{}", x, y),
                        launches * line.prediction.ns * 1e-3, term,
                        reason_of(device, line.prediction, x, y));
    json.push_back({{"x", x}, {"y", y}, {"ns", launches * line.prediction.ns}, {"because", term}});
  }
  return text;
}

/// Rows of probes that are not measured, for what --predict lists.
void add_unmeasured(std::vector<Observed>& observed, const po::variables_map& values,
                    const ExperimentInfo& info) {
  const auto sizes = cli::option<std::string>(values, "predict");
  if (!sizes) return;
  for (const std::size_t n : cli::parse_sizes("predict", *sizes))
    for (const Observed& one : unmeasured(probe_rows(info, n), info)) observed.push_back(one);
}

std::vector<Observed> taken(const std::vector<Observed>& observed,
                            const std::function<bool(const Row&)>& takes) {
  std::vector<Observed> those;
  std::ranges::copy_if(observed, std::back_inserter(those),
                       [&](const Observed& one) { return takes(one.row); });
  return those;
}

/// Constants of the device whose rows are in `folder`, for one with other units.
DeviceConstants constants_of_other(const std::string& folder, const DeviceProfile& device) {
  const std::vector<Results> results = read_results(folder);
  DeviceConstants constants = constants_from(observations_of(results), results.front().info.device);
  constants.units = device.compute_units;
  return constants;
}

}  // namespace

cli::CommandTable explain_table() {
  cli::CommandTable table{kExplainUsage, kExplainAbout, kExplainExamples, {}};
  // clang-format off
  table.group("Rows")
      ("output,o", cli::folder("FOLDER"), "measure the small kernels, and keep their rows here")
      ("rows", cli::folder("FOLDER"), "rows of experiments on one device, instead of measuring")
      ("sizes", cli::text("LIST")->default_value("1024,2003"), "n of the small kernels, whose arrays are n-by-n")
      ("reps", po::value<std::size_t>()->default_value(7)->value_name("N"), "timed rounds")
      ("fit-kernels", cli::text("LIST"), "make the constants from rows of these kernels alone")
      ("fit-sizes", cli::text("LIST"), "make the constants from rows of these n alone")
      ("fit-rows", cli::folder("FOLDER"), "make the constants from these rows, of another device")
      ("each-kernel", po::bool_switch(), "predict each kernel by constants from the rows of all others")
      ("predict", cli::text("LIST"), "predict the small kernels at these n too, without measuring")
      ("predictions", cli::output_file("FILE"), "write every launch, predicted and measured, as CSV");
  table.group("Your kernel")
      ("global", cli::text("C[xR]"), "its work-items: one dimension, or columns x rows")
      ("launches", po::value<std::size_t>()->default_value(1)->value_name("N"), "how often it is launched")
      ("bytes", po::value<double>()->default_value(8)->value_name("B"), "that a work-item reads and writes")
      ("flops", po::value<double>()->default_value(0)->value_name("F"), "operations of a work-item")
      ("reads", po::value<double>()->default_value(1)->value_name("R"), "that wait for each other, barriers among them")
      ("rate", po::value<double>()->value_name("GB/s"), "what it was measured to move at its best, in place of the device's bandwidth");
  // clang-format on
  add_measuring_options(table, "10s");
  cli::add_json_option(table.group("Report"));
  table.scopes = {
      {kMeasures,
       "what is measured, with -o",
       {"sizes", "reps", "warmup", "timeout", "budget", "append", "quiet", "device", "kernels",
        "kernel-dir", "cores-per-cu"}},
      {kPredictsOwn, "your kernel, with --global", {"launches", "bytes", "flops", "reads", "rate"}},
      {kFitsOnce,
       "constants for all kernels, without --each-kernel",
       {"fit-kernels", "fit-sizes", "fit-rows"}},
      {kFitsThese,
       "constants from the rows that are explained, without --fit-rows",
       {"fit-kernels", "fit-sizes"}},
      {kTellsLaunches, "what is told without --global, or by --predictions", {"predict"}},
      {kTellsErrors,
       "what is told without --global, or by --predictions or --json",
       {"each-kernel"}}};
  table.mode = [](const po::variables_map& values) -> cli::Mode {
    const auto given = [&](const char* name) { return values.count(name) > 0; };
    const bool launches = !given("global") || given("predictions");
    return {(given("rows") ? kReads : kMeasures) | (given("global") ? kPredictsOwn : 0U) |
                (values["each-kernel"].as<bool>() ? 0U : kFitsOnce) |
                (given("fit-rows") ? 0U : kFitsThese) | (launches ? kTellsLaunches : 0U) |
                (launches || given("json") ? kTellsErrors : 0U),
            ""};
  };
  return table;
}

cli::ExitCode run_explain(const cli::Given& given) {
  const po::variables_map& values = given.values;
  const auto output = cli::option<std::string>(values, "output");
  const auto folder = cli::option<std::string>(values, "rows");
  if (output.has_value() == folder.has_value())
    throw UsageError("explain takes -o FOLDER, to measure, or --rows FOLDER, to read");
  const std::optional<OwnKernel> own = own_kernel(values);
  cli::JsonOutput json_output(values);
  const std::vector<Results> results =
      output ? measured_now(given, *output) : read_results(*folder);
  const ExperimentInfo& info = results.front().info;
  for (const Results& result : results)
    if (result.info.device.name != info.device.name)
      throw UsageError(fmt::format("{} holds rows of {} and of {}: explain one device at a time",
                                   *folder, info.device.name, result.info.device.name));
  std::vector<Observed> observed = observations_of(results);
  const auto other = cli::option<std::string>(values, "fit-rows");
  const auto takes = fitted_rows(values);
  DeviceConstants device = other ? constants_of_other(*other, info.device)
                                 : constants_from(taken(observed, takes), info.device);
  add_unmeasured(observed, values, info);
  const std::vector<Explained> explained =
      values["each-kernel"].as<bool>()
          ? explain_each_kernel(observed, info.device)
          : explain(observed, device, [&](const Row& row) { return !other && takes(row); });
  if (const auto path = cli::option<std::string>(values, "predictions")) {
    OutputFile file(*path);
    file.write(explained_csv(explained));
    file.commit();
  }
  const ModelError error = error_of(explained);
  nlohmann::ordered_json json{{"device", info.device.name},
                              {"constants", constants_json(device)},
                              {"held_out",
                               {{"times", error.times},
                                {"median_error", error.median_error},
                                {"picks", error.picks},
                                {"within_10_percent", error.good_picks}}}};
  std::string text = fmt::format("{}\n", info.device.name) + constants_text(device);
  if (own) {
    if (const auto rate = cli::option<double>(values, "rate"))
      device.bytes_per_ns = device.cache_bytes_per_ns = *rate;
    text += own_text(device, *own, info.device.max_work_group_size,
                     json["kernel"] = nlohmann::ordered_json::array());
  } else {
    text += picks_text(device, explained) + error_text(explained);
  }
  json_output.print(text, json);
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
