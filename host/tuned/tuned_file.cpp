#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <clgauss/error.hpp>
#include <clgauss/lab/tuned.hpp>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace clgauss {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

RealType parse_type(const std::string& name) {
  for (const RealType type : {RealType::f32, RealType::f64})
    if (name == real_type_name(type)) return type;
  throw UsageError("type '" + name + "' is not f32 or f64");
}

Json to_json(const TunedEntry& entry) {
  Json parameters = Json::object();
  for (const auto& [name, value] : entry.parameters) parameters[name] = value;
  return {{"what", entry.what},
          {"type", real_type_name(entry.type)},
          {"n", entry.n},
          {"kernel", entry.kernel},
          {"parameters", parameters},
          {"driver", entry.driver},
          {"kernel_hash", entry.kernel_hash},
          {"time_ns", entry.time_ns},
          {"default_time_ns", entry.default_time_ns},
          {"measured", entry.measured},
          {"version", entry.version}};
}

/// A number beyond an int becomes the nearest int. The place that uses it then refuses it, as it
/// does any unsuitable number.
int parameter_from_json(const Json& value) {
  if (!value.is_number_integer()) throw UsageError("a tuned number is no integer");
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  if (value.is_number_unsigned())
    return static_cast<int>(std::min<std::uint64_t>(value.get<std::uint64_t>(), most));
  return static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), least, most));
}

TunedEntry entry_from_json(const Json& json) {
  TunedEntry entry;
  entry.what = json.at("what");
  entry.type = parse_type(json.at("type"));
  entry.n = json.at("n");
  entry.kernel = json.at("kernel");
  for (const auto& [name, value] : json.at("parameters").items())
    entry.parameters.emplace_back(name, parameter_from_json(value));
  entry.driver = json.at("driver");
  entry.kernel_hash = json.at("kernel_hash");
  entry.time_ns = json.at("time_ns");
  entry.default_time_ns = json.at("default_time_ns");
  entry.measured = json.at("measured");
  entry.version = json.at("version");
  return entry;
}

/// Reduces `text` to small letters, digits and dashes, which are valid in file names everywhere.
std::string file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      name += static_cast<char>(std::tolower(letter));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "unknown" : name;
}

}  // namespace

bool TunedDevice::is(const DeviceProfile& device) const {
  return name == device.name && vendor == device.vendor && platform == device.platform_name &&
         compute_units == device.compute_units;
}

TunedDevice parse_tuned(std::string_view json, const std::string& file) {
  try {
    const Json root = Json::parse(json);
    if (root.at("schema") > kSchema)
      throw FormatError(file, 0, 0,
                        "was written by a later clgauss; use that one, or remove the file");
    const Json& device = root.at("device");
    TunedDevice tuned{device.at("name"),
                      device.at("vendor"),
                      device.at("platform"),
                      device.at("compute_units"),
                      {}};
    for (const Json& entry : root.at("entries")) tuned.entries.push_back(entry_from_json(entry));
    return tuned;
  } catch (const Json::exception& error) {
    throw FormatError(
        file, 0, 0,
        fmt::format("does not hold tuned numbers ({}); remove it and tune afresh", error.what()));
  } catch (const UsageError& error) {
    throw FormatError(file, 0, 0, error.what());
  }
}

std::string tuned_text(const TunedDevice& device) {
  Json entries = Json::array();
  for (const TunedEntry& entry : device.entries) entries.push_back(to_json(entry));
  const Json root{{"schema", kSchema},
                  {"device",
                   {{"name", device.name},
                    {"vendor", device.vendor},
                    {"platform", device.platform},
                    {"compute_units", device.compute_units}}},
                  {"entries", entries}};
  return root.dump(1) + "\n";
}

std::filesystem::path tuned_path(const DeviceProfile& device) {
  return std::filesystem::path(file_name(device.vendor)) /
         fmt::format("{}-{}-{}cu.json", file_name(device.platform_name), file_name(device.name),
                     device.compute_units);
}

}  // namespace clgauss
