#include <fmt/format.h>
#include <fmt/ranges.h>

#include <clgauss/io.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "command_line/typed.hpp"
#include "tuner/cli/search_options.hpp"
#include "tuner/measure/flops.hpp"
#include "tuner/rows/parameters_text.hpp"
#include "tuner/rows/t4.hpp"
#include "tuner/search/gemm_search.hpp"
#include "tuner/search/replay.hpp"

namespace clgauss::tune {

namespace {

using namespace cli;

constexpr std::string_view kSearchUsage = "gemm --n N [options]";
constexpr std::string_view kSearchAbout =
    "Searches for the fastest parameters of a GEMM kernel on a device. Every configuration is "
    "checked before it is timed; the best is timed against the built-in one, interleaved, at the "
    "end. "
    "Ctrl-C ends the search and keeps what was found.";
constexpr std::string_view kSearchExamples =
    "clgauss-tune search gemm --type f64 --n 2048 --budget 60s\n"
    "clgauss-tune search gemm --type f32 --n 4096 --use update --k 128 --evaluations 100\n"
    "clgauss-tune search gemm --n 512 --kernel gemm_simt --strategy exhaustive --budget 1h "
    "--record space_T4.json.gz";

const WordTable<RealType> kSearchTypes{{"f32", RealType::f32}, {"f64", RealType::f64}};
const WordTable<GemmUse> kUses{{"general", GemmUse::general}, {"update", GemmUse::update}};
const std::vector<std::string> kSearched{"gemm"};

GemmTask gemm_task_of(const po::variables_map& values) {
  const auto n = values["n"].as<Index>(), k = option<Index>(values, "k").value_or(n);
  if (n == 0 || k == 0) throw UsageError("--n and --k must be at least 1");
  return {parse_word("type", values["type"].as<std::string>(), kSearchTypes),
          parse_word("use", values["use"].as<std::string>(), kUses),
          {n, n, k}};
}

double flops(const GemmTask& task) {
  return product_flops(task.shape.m, task.shape.n, task.shape.k);
}

T4File record_of(const DeviceProfile& device, const GemmTask& task,
                 const GemmSearchResult& result) {
  T4File file{{"OpenCL", device.platform_name, device.name, "clgauss-tune"}, {}};
  for (const GemmTrial& trial : result.trials) {
    T4Result row{{}, trial.outcome, trial.time_ns, {}};
    for (const Parameter& parameter : result.parameters)
      row.configuration.emplace_back(parameter.name, trial.spec.value(parameter.name));
    if (trial.time_ns)
      row.measurements.push_back({"gflops", flops(task) / *trial.time_ns, "Gflop/s"});
    file.results.push_back(std::move(row));
  }
  return file;
}

std::map<std::string_view, std::size_t> count_statuses(const GemmSearchResult& result) {
  std::map<std::string_view, std::size_t> counts;
  for (const GemmTrial& trial : result.trials) ++counts[status_name(trial.outcome.status)];
  return counts;
}

std::string report_of(const DeviceProfile& device, const GemmTask& task,
                      const GemmSearchResult& result) {
  std::string text =
      fmt::format("device     {} {} ({})\nspace      {} configurations, {} tried:", device.spec,
                  device.name, device.platform_name, result.space_size, result.trials.size());
  for (const auto& [status, count] : count_statuses(result))
    text += fmt::format(" {} {}", count, status);
  if (!result.best)
    return text +
           fmt::format("\nbest       none: {}\n",
                       result.trials.size() == result.space_size
                           ? "no configuration works"
                           : "none of those tried works, and the search ended before others");
  const auto line = [&](const char* what, const GemmSpec& spec, const Estimate& ns) {
    return fmt::format("\n{:<10} {} ms, {:.1f} Gflop/s: {} {}", what, text_of(ns, 1e6),
                       flops(task) / ns.median, spec.file, parameters_text(spec.parameters));
  };
  text += line("built-in", result.built_in, estimate(result.last.b_ns));
  text += line("best", *result.best, estimate(result.last.a_ns));
  return text + fmt::format("\nratio      {} times as fast as built-in{}\n",
                            text_of(result.last.gain()),
                            result.is_better() ? "" : ": keep the built-in one");
}

nlohmann::ordered_json json_of(const DeviceProfile& device, const GemmTask& task,
                               const GemmSearchResult& result) {
  const auto json_of_spec = [](const GemmSpec& spec, const Estimate& ns) {
    nlohmann::ordered_json parameters;
    for (const auto& [name, value] : spec.parameters) parameters[name] = value;
    return nlohmann::ordered_json{{"file", spec.file},
                                  {"parameters", parameters},
                                  {"median_s", ns.median * 1e-9},
                                  {"low_s", ns.low * 1e-9},
                                  {"high_s", ns.high * 1e-9}};
  };
  nlohmann::ordered_json json{{"device", device.name},
                              {"platform", device.platform_name},
                              {"driver", device.driver_version},
                              {"type", real_type_name(task.type)},
                              {"use", task.use == GemmUse::update ? "update" : "general"},
                              {"n", task.shape.n},
                              {"k", task.shape.k},
                              {"space", result.space_size},
                              {"tried", result.trials.size()},
                              {"statuses", count_statuses(result)},
                              {"better", result.is_better()}};
  if (!result.best) return json;
  json["built_in"] = json_of_spec(result.built_in, estimate(result.last.b_ns));
  json["best"] = json_of_spec(*result.best, estimate(result.last.a_ns));
  return json;
}

/// The best configurations of a file as they are; those that a space does not have are skipped
/// there.
std::vector<Configuration> seeds_of(const std::string& path) {
  T4File file = read_t4(path);
  std::erase_if(file.results, [](const T4Result& result) { return !result.time_ns; });
  std::ranges::stable_sort(file.results, {},
                           [](const T4Result& result) { return *result.time_ns; });
  std::vector<Configuration> seeds;
  for (const T4Result& result : file.results)
    if (seeds.size() < kSeeds) seeds.push_back(result.configuration);
  return seeds;
}

}  // namespace

cli::CommandTable search_table() {
  static const std::string kernels_help =
      fmt::format("{}; else the one that the device takes", fmt::join(gemm_kernel_names(), ", "));
  CommandTable table{kSearchUsage, kSearchAbout, kSearchExamples, {}, "what"};
  // clang-format off
  table.group("What")
      ("what", words("WHAT", kSearched)->required(), "gemm")
      ("n", po::value<Index>()->required()->value_name("N"), "rows and columns of C")
      ("k", po::value<Index>()->value_name("K"), "depth of the product (default N)")
      ("type", words("T", kSearchTypes)->default_value("f32"), "f32 or f64")
      ("use", words("U", kUses)->default_value("general"),
       "general (C <- A B) or update (C <- C - A B)")
      ("kernel", words("KERNEL", gemm_kernel_names())->default_value(""),
       kernels_help.c_str())
      ("vary", cli::text("LIST"),
       "only these parameters: TILE_M,TILE_N,..; the others stay as built in");
  add_search_options(table);
  table.group("Search")
      ("seeds", file("FILE"), "another device's T4 file; its best configurations are tried first");
  // clang-format on
  add_kernel_options(table);
  auto report = table.group("Report");
  report("record", output_file("FILE"),
         "write every configuration tried as T4 (.json or .json.gz)");
  add_json_option(report);
  table.scopes = search_scopes();
  table.mode = search_mode;
  return table;
}

cli::ExitCode run_search(const cli::Given& given) {
  const po::variables_map& values = given.values;
  const auto text = [&](const char* name) { return values[name].as<std::string>(); };
  if (text("what") != kSearched.front()) refuse_word("WHAT", text("what"), kSearched);
  const GemmTask task = gemm_task_of(values);
  GemmSearchOptions search;
  search.kernel = text("kernel");
  search.strategy = text("strategy");
  search.random_seed = values["seed"].as<std::uint64_t>();
  if (const auto vary = option<std::string>(values, "vary")) search.vary = cli::parse_list(*vary);
  search.repetitions = repetitions_of(values);
  if (const auto path = option<std::string>(values, "seeds")) search.seeds = seeds_of(*path);
  const SearchEnd end = search_end(values);
  JsonOutput json(values);
  Context context(cli::open_named_device(text("device")), context_options(values));
  search.stop = stop_at(end);
  tell(fmt::format("search: ends after {}\n", text_of(end)));
  ProgressLine progress(true);
  search.progress = [show = shown_on(progress, "search", end)](
                        const GemmTrial& trial, std::size_t tried, std::size_t size) {
    show(trial.outcome.status, tried, size);
  };
  const GemmSearchResult result = search_gemm(context, task, search);
  progress.clear();
  if (const auto path = option<std::string>(values, "record"))
    write_t4(*path, record_of(context.profile(), task, result));
  json.print(report_of(context.profile(), task, result), json_of(context.profile(), task, result));
  return search_is_interrupted() ? cli::ExitCode::interrupted : cli::ExitCode::ok;
}

}  // namespace clgauss::tune
