#include <fmt/format.h>

#include <algorithm>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "command_line/interrupt.hpp"
#include "command_line/progress_line.hpp"
#include "command_line/typed.hpp"
#include "tuner/auto/auto.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/rows/parameters_text.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kAutoUsage = "[options]";
constexpr std::string_view kAutoAbout =
    "Tunes what clgauss uses on a device: the work-group size of the elimination, the tiles of "
    "the matrix product, the blocks of the LU, from which n on a solve takes which method. What is "
    "faster than clgauss's own choice is stored "
    "for this user, and the next solve uses it. Ctrl-C keeps what was stored so far.";
constexpr std::string_view kAutoExamples =
    "clgauss-tune auto\n"
    "clgauss-tune auto --device nvidia: --budget 5min\n"
    "clgauss-tune auto --what elimination --types f64 --sizes 1012,2002,4006\n"
    "clgauss-tune auto --dry-run";

const std::vector<std::string> kWhats{kTunedElimination, kTunedGemm, kTunedLu, kTunedMethod};
const std::vector<std::string> kTypes{"f32", "f64"};

std::vector<std::string> words_of(const std::string& option, const std::string& text,
                                  const std::vector<std::string>& known) {
  std::vector<std::string> words = cli::parse_list(text);
  for (const std::string& word : words)
    if (std::ranges::find(known, word) == known.end()) cli::refuse_word("--" + option, word, known);
  return words;
}

cli::Mode mode_of(const cli::po::variables_map& values) {
  const auto whats = words_of("what", values["what"].as<std::string>(), kWhats);
  const bool rule = std::ranges::find(whats, kTunedElimination) != whats.end();
  const bool typed =
      std::ranges::any_of(whats, [](const auto& what) { return what != kTunedMethod; });
  return {rule ? 1U : (typed ? 2U : 4U), "with --what " + values["what"].as<std::string>()};
}

AutoOptions read_options(const cli::po::variables_map& values, const DeviceProfile& device) {
  AutoOptions options;
  options.whats = words_of("what", values["what"].as<std::string>(), kWhats);
  options.budget_s = device.type == DeviceType::cpu ? 180 : 60;
  if (const auto budget = cli::option<std::string>(values, "budget"))
    options.budget_s = cli::parse_duration(*budget).count();
  if (const auto types = cli::option<std::string>(values, "types")) {
    for (const std::string& type : words_of("types", *types, kTypes))
      options.types.push_back(choose_type(device, type == "f32" ? RealType::f32 : RealType::f64));
  } else {
    options.types = {RealType::f32};
    if (device.fp64) options.types.push_back(RealType::f64);
  }
  options.sizes = default_tuning_sizes(device);
  if (const auto sizes = cli::option<std::string>(values, "sizes"))
    options.sizes = cli::parse_sizes("sizes", *sizes);
  return options;
}

std::string line_of(const AutoResult& result) {
  const TunedEntry& entry = result.entry;
  const std::string name =
      fmt::format("{:<12} {}  n = {:5}", entry.what, real_type_name(entry.type), entry.n);
  if (!result.problem.empty()) return fmt::format("{}  not tuned: {}\n", name, result.problem);
  return fmt::format(
      "{}  {:10.4g} ms  so far {:10.4g} ms  {}x  {} tried  {}\n", name, entry.time_ns / 1e6,
      entry.default_time_ns / 1e6, text_of(result.gain, 1, 3), result.tried,
      result.worth_storing ? parameters_text(entry.parameters)
                           : "not stored: not faster, beyond the noise, than what is used so far");
}

nlohmann::ordered_json json_of(const AutoResult& result) {
  const TunedEntry& entry = result.entry;
  nlohmann::ordered_json json{{"what", entry.what},
                              {"type", real_type_name(entry.type)},
                              {"n", entry.n},
                              {"tried", result.tried},
                              {"worth_storing", result.worth_storing}};
  if (!result.problem.empty()) {
    json["problem"] = result.problem;
    return json;
  }
  json["time_s"] = entry.time_ns * 1e-9;
  json["default_time_s"] = entry.default_time_ns * 1e-9;
  json["gain"] = {
      {"median", result.gain.median}, {"low", result.gain.low}, {"high", result.gain.high}};
  json["parameters"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : entry.parameters) json["parameters"][name] = value;
  return json;
}

}  // namespace

std::string noise_of_machine(Context& context) {
  const double busy = busy_cores();
  return noise_text(machine_noise(context), busy, std::thread::hardware_concurrency());
}

void warn_of_noise(std::string_view command, std::string_view what, const std::string& noise) {
  if (!noise.empty())
    cli::tell(fmt::format("{}: {} may be chance: {}; run it again on a quiet machine\n", command,
                          what, noise));
}

void require_quiet_machine(Context& context) {
  const double busy = busy_cores();
  const std::string refusal =
      noise_refusal(machine_noise(context), busy, std::thread::hardware_concurrency());
  if (!refusal.empty()) throw UsageError(refusal);
}

cli::CommandTable auto_table() {
  cli::CommandTable table{kAutoUsage, kAutoAbout, kAutoExamples, {}};
  // clang-format off
  table.group("What")
      ("what", cli::words("LIST", kWhats)->default_value("elimination,gemm,lu,method"),
       "what to tune: elimination, gemm, lu, method")
      ("types", cli::words("LIST", kTypes), "f32, f64 (default: what the device has)")
      ("sizes", cli::text("LIST"),
       "n to tune for (default 508,1012,2002,4006 and on GPUs 8010: one less than a prime, the hardest)")
      ("budget", cli::text("TIME"), "time to take (default 3min on a CPU, 1min elsewhere)")
      ("dry-run", cli::po::bool_switch(), "store nothing")
      ("accept-noise", cli::po::bool_switch(), "tune although times differ by more than a gain would");
  // clang-format on
  cli::add_context_options(table);
  auto report = table.group("Report");
  report("quiet,q", cli::po::bool_switch(), "no progress");
  cli::add_json_option(report);
  table.scopes = {{1, "--what elimination", {"cores-per-cu"}},
                  {1 | 2, "--what elimination, gemm or lu", {"types"}}};
  table.mode = mode_of;
  return table;
}

cli::ExitCode run_auto(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  ContextOptions context_options = cli::context_options(values);
  context_options.tuned = false;
  Context context(cli::open_named_device(values["device"].as<std::string>()), context_options);
  AutoOptions plan = read_options(values, context.profile());
  plan.context = cli::context_options(values);
  const bool dry = values["dry-run"].as<bool>();
  const TunedStore store = TunedStore::of_environment();
  if (!dry)
    store.put(context.profile(), {});  // a store that cannot be read or written is found now
  const Tuning known(context.profile(), store, context.programs().kernel_folder());
  for (const char* what : {kTunedElimination, kTunedGemm, kTunedGemmUpdate})
    for (const RealType type : plan.types) {
      const auto seeds = known.seeds(what, type);
      plan.seeds.insert(plan.seeds.end(), seeds.begin(), seeds.end());
    }

  plan.known = &known;
  if (!values["accept-noise"].as<bool>()) require_quiet_machine(context);

  const bool quiet = values["quiet"].as<bool>();
  if (!quiet) cli::tell(fmt::format("tuning for {:.3g} s (--budget)\n", plan.budget_s));
  cli::ProgressLine line(!quiet);
  const auto progress = [&](double fraction, const std::string& what) {
    cli::throw_if_interrupted();
    line.update("tuning", fraction, what);
  };
  cli::JsonOutput json(values);
  auto results = nlohmann::ordered_json::array();
  tune_automatically(context, plan, progress, [&](const AutoResult& result) {
    if (result.worth_storing && !dry) store.put(context.profile(), {&result.entry, 1});
    line.clear();
    if (!json.has_stdout()) cli::print(line_of(result));
    results.push_back(json_of(result));
  });
  json.write(results);
  if (!dry) cli::tell(fmt::format("stored in {}\n", store.file_of(context.profile())->string()));
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
