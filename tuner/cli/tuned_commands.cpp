#include <fmt/format.h>

#include <clgauss/lab/tuned.hpp>
#include <nlohmann/json.hpp>

#include "file_content.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/rows/parameters_text.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kShowUsage = "[options]";
constexpr std::string_view kShowAbout =
    "Shows what is tuned for a device, the user's own entries and the shipped ones, and which of "
    "them solves use.";
constexpr std::string_view kShowExamples =
    "clgauss-tune show\n"
    "clgauss-tune show --device nvidia:\n"
    "clgauss-tune show --json -";

constexpr std::string_view kExportUsage = "-o FILE [options]";
constexpr std::string_view kExportAbout =
    "Writes the user's entries for a device as a file that can be imported elsewhere, or sent in "
    "as data/tuned/VENDOR/DEVICE.json to be shipped with clgauss.";
constexpr std::string_view kExportExamples =
    "clgauss-tune export -o tuned.json\n"
    "clgauss-tune export --device pocl -o -";

constexpr std::string_view kImportUsage = "FILE";
constexpr std::string_view kImportAbout =
    "Adds the entries of an exported file to the user's store. Entries from another driver or "
    "other kernels are kept as starting points for clgauss-tune auto; solves use those that fit.";
constexpr std::string_view kImportExamples = "clgauss-tune import tuned.json";

TunedDevice device_of(const DeviceProfile& profile, std::vector<TunedEntry> entries) {
  return {profile.name, profile.vendor, profile.platform_name, profile.compute_units,
          std::move(entries)};
}

/// Whether a solve takes the entry: some n is nearest to it, and its numbers are what its kernel
/// takes.
bool is_taken(const DeviceProfile& device, const Tuning& tuning, const TunedEntry& entry) {
  if (entry.what == kTunedMethod) return method_choice(device, tuning).entry == &entry;
  return tuning.holds(entry) && tuning.find(entry.what, entry.type, entry.n) == &entry;
}

std::string listing(const DeviceProfile& device, const Tuning& tuning,
                    const std::vector<TunedEntry>& entries) {
  std::string text = "what         type     n         ms  before/tuned  used  driver, parameters\n";
  for (const TunedEntry& entry : entries)
    text += fmt::format("{:<12} {}  {:6}  {:9.4g}  {:12.2f}  {:<4}  {}  {} {}\n", entry.what,
                        real_type_name(entry.type), entry.n, entry.time_ns / 1e6,
                        entry.default_time_ns / entry.time_ns,
                        is_taken(device, tuning, entry) ? "yes" : "no", entry.driver, entry.kernel,
                        parameters_text(entry.parameters));
  return text;
}

}  // namespace

cli::CommandTable show_table() {
  cli::CommandTable table{kShowUsage, kShowAbout, kShowExamples, {}};
  cli::add_device_option(table);
  cli::add_json_option(table.group("Report"));
  return table;
}

cli::ExitCode run_show(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const DeviceProfile profile = cli::open_named_device(values["device"].as<std::string>()).profile;
  const TunedStore store = TunedStore::of_environment();
  static_cast<void>(store.read(profile));  // a damaged store is an error here
  const Tuning tuning(profile, store, std::nullopt);
  const auto file = store.file_of(profile);
  const std::string text =
      fmt::format("device {} ({}), driver {}\nstore  {}\n{}", profile.name, profile.platform_name,
                  profile.driver_version, file ? file->string() : "none: set XDG_DATA_HOME or HOME",
                  tuning.own().empty() ? "nothing is tuned for it; run clgauss-tune auto\n"
                                       : listing(profile, tuning, tuning.own()));
  cli::JsonOutput(values).print(
      text, nlohmann::ordered_json::parse(tuned_text(device_of(profile, tuning.own()))));
  return cli::ExitCode::ok;
}

cli::CommandTable export_table() {
  cli::CommandTable table{kExportUsage, kExportAbout, kExportExamples, {}};
  cli::add_device_option(table);
  table.group("Output")("output,o", cli::output_file("FILE")->required(),
                        "where to; - is standard output");
  return table;
}

cli::ExitCode run_export(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const DeviceProfile profile = cli::open_named_device(values["device"].as<std::string>()).profile;
  const TunedDevice tuned = TunedStore::of_environment().read(profile);
  if (tuned.entries.empty())
    throw UsageError("nothing is stored for " + profile.name + "; run clgauss-tune auto first");
  write_whole(values["output"].as<std::string>(), tuned_text(tuned));
  return cli::ExitCode::ok;
}

cli::CommandTable import_table() {
  cli::CommandTable table{kImportUsage, kImportAbout, kImportExamples, {}, "file"};
  table.group("Input")("file", cli::file("FILE")->required(), "an exported file");
  return table;
}

cli::ExitCode run_import(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const auto path = values["file"].as<std::string>();
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
  return cli::ExitCode::ok;
}

}  // namespace clgauss::tune
