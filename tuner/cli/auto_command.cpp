#include <fmt/format.h>

#include <algorithm>
#include <clgauss/solve.hpp>

#include "command_line/interrupt.hpp"
#include "command_line/progress_line.hpp"
#include "tuner/auto/auto.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/cli/typed.hpp"
#include "tuner/rows/parameters_text.hpp"

namespace clgauss::tune {

namespace {

constexpr cli::CommandHelp kHelp{
    "clgauss-tune auto [options]",
    "Tunes what clgauss uses on a device: the work-group size of the elimination, the tiles of the "
    "matrix product, the blocks\n"
    "of the LU. What is faster than clgauss's own choice is stored for this user, and the next "
    "solve takes it up. Ctrl-C keeps\n"
    "what was stored so far.",
    "  clgauss-tune auto\n"
    "  clgauss-tune auto --device nvidia: --budget 5min\n"
    "  clgauss-tune auto --what elimination --types f64 --sizes 1012,2002,4006\n"
    "  clgauss-tune auto --dry-run"};

std::vector<std::string> words_of(const std::string& option, const std::string& text,
                                  const std::vector<std::string>& known) {
  std::vector<std::string> words = parse_list(text);
  for (const std::string& word : words)
    if (std::ranges::find(known, word) == known.end())
      throw UsageError(
          fmt::format("--{} '{}' is not one of: {}", option, word, fmt::join(known, ", ")));
  return words;
}

AutoOptions read_options(const cli::po::variables_map& values, const DeviceProfile& device) {
  AutoOptions options;
  options.whats =
      words_of("what", values["what"].as<std::string>(), {kTunedElimination, kTunedGemm, kTunedLu});
  options.budget_s = device.type == DeviceType::cpu ? 180 : 60;
  if (const auto budget = cli::option<std::string>(values, "budget"))
    options.budget_s = parse_duration(*budget).count();
  if (const auto types = cli::option<std::string>(values, "types")) {
    for (const std::string& type : words_of("types", *types, {"f32", "f64"}))
      options.types.push_back(choose_type(device, type == "f32" ? RealType::f32 : RealType::f64));
  } else {
    options.types = {RealType::f32};
    if (device.fp64) options.types.push_back(RealType::f64);
  }
  options.sizes = default_tuning_sizes(device);
  if (const auto sizes = cli::option<std::string>(values, "sizes"))
    options.sizes = parse_sizes("sizes", *sizes);
  return options;
}

std::string line_of(const AutoResult& result) {
  const TunedEntry& entry = result.entry;
  const std::string name =
      fmt::format("{:<12} {}  n = {:5}", entry.what, real_type_name(entry.type), entry.n);
  if (!result.problem.empty()) return fmt::format("{}  not tuned: {}\n", name, result.problem);
  return fmt::format("{}  {:10.4g} ms  default {:10.4g} ms  {:5.2f}x  {} tried  {}\n", name,
                     entry.time_ns / 1e6, entry.default_time_ns / 1e6,
                     entry.default_time_ns / entry.time_ns, result.tried,
                     result.worth_storing ? parameters_text(entry.parameters)
                                          : "not stored: the default is as good");
}

}  // namespace

cli::ExitCode run_auto(const Arguments& arguments) {
  cli::po::options_description options("Options");
  // clang-format off
  options.add_options()
      ("device,d", cli::po::value<std::string>()->default_value("")->value_name("SPEC"),
       "auto, gpu, cpu, accel, 1:0 or nvidia:h200 (also CLGAUSS_DEVICE)")
      ("budget", cli::po::value<std::string>()->value_name("TIME"), "time to take (default 3min on a CPU, 1min elsewhere)")
      ("what", cli::po::value<std::string>()->default_value("elimination,gemm,lu")->value_name("LIST"), "what to tune")
      ("types", cli::po::value<std::string>()->value_name("LIST"), "f32, f64 (default: what the device has)")
      ("sizes", cli::po::value<std::string>()->value_name("LIST"),
       "n to tune for (default 508,1012,2002,4006 and on GPUs 8010: one less than a prime, the hardest)")
      ("dry-run", cli::po::bool_switch(), "store nothing")
      ("quiet,q", cli::po::bool_switch(), "no progress");
  // clang-format on
  cli::add_context_options(options);
  const auto values = cli::parse_options(arguments, options, kHelp);
  if (!values) return cli::ExitCode::ok;
  ContextOptions context_options = cli::context_options(*values);
  context_options.tuned = false;
  Context context(cli::open_named_device((*values)["device"].as<std::string>()), context_options);
  AutoOptions plan = read_options(*values, context.profile());
  const bool dry = (*values)["dry-run"].as<bool>();
  const TunedStore store = TunedStore::of_environment();
  if (!dry)
    store.put(context.profile(), {});  // a store that cannot be read or written is found now
  const Tuning known(context.profile(), store, context.programs().kernel_folder());
  for (const char* what : {kTunedElimination, kTunedGemm, kTunedGemmUpdate})
    for (const RealType type : plan.types) {
      const auto seeds = known.seeds(what, type);
      plan.seeds.insert(plan.seeds.end(), seeds.begin(), seeds.end());
    }

  cli::ProgressLine line(!(*values)["quiet"].as<bool>());
  const auto progress = [&](double fraction, const std::string& what) {
    cli::throw_if_interrupted();
    line.update("tuning", fraction, what);
  };
  tune_automatically(context, plan, progress, [&](const AutoResult& result) {
    if (result.worth_storing && !dry) store.put(context.profile(), {&result.entry, 1});
    line.clear();
    cli::print(line_of(result));
  });
  if (!dry) cli::tell(fmt::format("stored in {}\n", store.file_of(context.profile())->string()));
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
