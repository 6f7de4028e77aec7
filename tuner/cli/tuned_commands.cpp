#include <fmt/format.h>

#include <clgauss/lab/tuned.hpp>

#include "file_content.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/rows/parameters_text.hpp"

namespace clgauss::tune {

namespace {

constexpr cli::CommandHelp kShowHelp{"clgauss-tune show [options]",
                                     "Shows what is tuned for a device, the user's own entries and "
                                     "the shipped ones, and which of them a solve takes up.",
                                     "  clgauss-tune show\n"
                                     "  clgauss-tune show --device nvidia:\n"
                                     "  clgauss-tune show --json -"};

constexpr cli::CommandHelp kExportHelp{"clgauss-tune export -o FILE [options]",
                                       "Writes the user's entries for a device as a file that can "
                                       "be imported elsewhere, or sent in as\n"
                                       "data/tuned/VENDOR/DEVICE.json to be shipped with clgauss.",
                                       "  clgauss-tune export -o tuned.json\n"
                                       "  clgauss-tune export --device pocl -o -"};

constexpr cli::CommandHelp kImportHelp{
    "clgauss-tune import FILE",
    "Adds the entries of an exported file to the user's store. Entries from another driver or "
    "other kernels are kept as\n"
    "starting points for clgauss-tune auto; a solve takes up those that fit.",
    "  clgauss-tune import tuned.json"};

void add_device_option(cli::po::options_description& options) {
  options.add_options()("device,d",
                        cli::po::value<std::string>()->default_value("")->value_name("SPEC"),
                        "auto, gpu, cpu, accel, 1:0 or nvidia:h200 (also CLGAUSS_DEVICE)");
}

TunedDevice device_of(const DeviceProfile& profile, std::vector<TunedEntry> entries) {
  return {profile.name, profile.vendor, profile.platform_name, profile.compute_units,
          std::move(entries)};
}

std::string listing(const Tuning& tuning, const std::vector<TunedEntry>& entries) {
  std::string text =
      "what         type     n         ms  default/tuned  used  driver, parameters\n";
  for (const TunedEntry& entry : entries)
    text += fmt::format("{:<12} {}  {:6}  {:9.4g}  {:13.2f}  {:<4}  {}  {} {}\n", entry.what,
                        real_type_name(entry.type), entry.n, entry.time_ns / 1e6,
                        entry.default_time_ns / entry.time_ns, tuning.holds(entry) ? "yes" : "no",
                        entry.driver, entry.kernel, parameters_text(entry.parameters));
  return text;
}

}  // namespace

ExitCode run_show(const Arguments& arguments) {
  cli::po::options_description options("Options");
  add_device_option(options);
  options.add_options()("json", cli::po::value<std::string>()->value_name("FILE"),
                        "write the entries here instead");
  const auto values = cli::parse_options(arguments, options, kShowHelp);
  if (!values) return ExitCode::ok;
  const DeviceProfile profile = open_device((*values)["device"].as<std::string>()).profile;
  const TunedStore store = TunedStore::of_environment();
  static_cast<void>(store.read(profile));  // a damaged store is an error here
  const Tuning tuning(profile, store, std::nullopt);
  if (const auto json = cli::option<std::string>(*values, "json")) {
    write_whole(*json, tuned_text(device_of(profile, tuning.own())));
    return ExitCode::ok;
  }
  const auto file = store.file_of(profile);
  cli::print(fmt::format("device {} ({}), driver {}\nstore  {}\n", profile.name,
                         profile.platform_name, profile.driver_version,
                         file ? file->string() : "none: set XDG_DATA_HOME or HOME"));
  cli::print(tuning.own().empty() ? "nothing is tuned for it; run clgauss-tune auto\n"
                                  : listing(tuning, tuning.own()));
  return ExitCode::ok;
}

ExitCode run_export(const Arguments& arguments) {
  cli::po::options_description options("Options");
  add_device_option(options);
  options.add_options()("output,o", cli::po::value<std::string>()->required()->value_name("FILE"),
                        "where to; - is standard output");
  const auto values = cli::parse_options(arguments, options, kExportHelp);
  if (!values) return ExitCode::ok;
  const DeviceProfile profile = open_device((*values)["device"].as<std::string>()).profile;
  const TunedDevice tuned = TunedStore::of_environment().read(profile);
  if (tuned.entries.empty())
    throw UsageError("nothing is stored for " + profile.name + "; run clgauss-tune auto first");
  write_whole((*values)["output"].as<std::string>(), tuned_text(tuned));
  return ExitCode::ok;
}

ExitCode run_import(const Arguments& arguments) {
  cli::po::options_description options("Options");
  options.add_options()("file", cli::po::value<std::string>()->required()->value_name("FILE"),
                        "an exported file (may be given without --file)");
  const auto values = cli::parse_options(arguments, options, kImportHelp, "file");
  if (!values) return ExitCode::ok;
  const auto path = (*values)["file"].as<std::string>();
  const TunedDevice tuned = parse_tuned(file_content(path), path);
  DeviceProfile profile;
  profile.name = tuned.name;
  profile.vendor = tuned.vendor;
  profile.platform_name = tuned.platform;
  profile.compute_units = tuned.compute_units;
  const TunedStore store = TunedStore::of_environment();
  store.put(profile, tuned.entries);
  cli::tell(fmt::format("{} entries for {} stored in {}\n", tuned.entries.size(), tuned.name,
                        store.file_of(profile)->string()));
  return ExitCode::ok;
}

}  // namespace clgauss::tune
