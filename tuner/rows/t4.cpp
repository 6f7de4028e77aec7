#include "tuner/rows/t4.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <nlohmann/json.hpp>

#include "io/input.hpp"
#include "io/memory.hpp"
#include "statistics.hpp"

namespace clgauss::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerMs = 1e6;

Json json_of(const Value& value) {
  return std::visit([](const auto& of) { return Json(of); }, value);
}

Json json_of(const T4Result& result) {
  Json configuration = Json::object();
  for (const auto& [name, value] : result.configuration) configuration[name] = json_of(value);
  Json runtimes = Json::array(), measurements = Json::array();
  for (const double time : result.outcome.times_ns) runtimes.push_back(time / kNsPerMs);
  if (result.time_ns)
    measurements.push_back(
        {{"name", "time"}, {"value", *result.time_ns / kNsPerMs}, {"unit", "ms"}});
  for (const T4Measurement& more : result.measurements)
    measurements.push_back({{"name", more.name}, {"value", more.value}, {"unit", more.unit}});
  Json json{{"configuration", std::move(configuration)},
            {"times", {{"runtimes", std::move(runtimes)}}},
            {"invalidity", t4_invalidity(result.outcome.status)},
            {"correctness", result.outcome.status == Status::ok ? 1 : 0},
            {"measurements", std::move(measurements)},
            {"objectives", {"time"}}};
  if (!result.outcome.detail.empty()) json["detail"] = result.outcome.detail;
  return json;
}

/// Throws std::invalid_argument for nesting that no T4 file has, which takes far more memory than
/// its text.
Json parsed_json(std::string_view text) {
  constexpr int kDeepest = 32;
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw std::invalid_argument("it is nested too deeply");
    return true;
  });
}

/// Nanoseconds in the file's unit of time; "miliseconds" is how some files spell it.
double ns_of_unit(const std::string& unit) {
  struct Unit {
    std::string_view name, short_name;
    double ns;
  };
  constexpr std::array<Unit, 5> kUnits{{{"seconds", "s", 1e9},
                                        {"milliseconds", "ms", 1e6},
                                        {"miliseconds", "", 1e6},
                                        {"microseconds", "us", 1e3},
                                        {"nanoseconds", "ns", 1}}};
  for (const Unit& known : kUnits)
    if (unit == known.name || unit == known.short_name) return known.ns;
  throw std::invalid_argument(fmt::format("unknown timeunit '{}'", unit));
}

Status status_of(const std::string& invalidity) {
  for (const Status status : {Status::ok, Status::constraint, Status::build_error,
                              Status::launch_error, Status::wrong_result, Status::timeout})
    if (t4_invalidity(status) == invalidity) return status;
  throw std::invalid_argument(fmt::format("unknown invalidity '{}'", invalidity));
}

Value value_of(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.is_string() ? json.get<std::string>() : json.dump();
}

T4Result result_of(const Json& json, double unit_ns) {
  T4Result result;
  for (const auto& [name, value] : json.at("configuration").items())
    result.configuration.emplace_back(name, value_of(value));
  result.outcome.status = status_of(json.at("invalidity").get<std::string>());
  result.outcome.detail = json.value("detail", "");
  if (const Json& times = json.at("times"); times.contains("runtimes"))
    for (const Json& time : times["runtimes"])
      if (time.is_number()) result.outcome.times_ns.push_back(time.get<double>() * unit_ns);
  for (const Json& measurement : json.value("measurements", Json::array())) {
    const std::string name = measurement.at("name");
    const Json& value = measurement.at("value");
    if (!value.is_number()) continue;  // a word for a failure
    if (name == "time")
      result.time_ns = value.get<double>() * unit_ns;
    else
      result.measurements.push_back({name, value.get<double>(), measurement.value("unit", "")});
  }
  if (result.outcome.status != Status::ok)
    result.time_ns.reset();
  else if (!result.time_ns && !result.outcome.times_ns.empty())
    result.time_ns = median(result.outcome.times_ns);
  if (result.outcome.status == Status::ok && !(result.time_ns && *result.time_ns > 0))
    throw std::invalid_argument("a correct result has no time above 0");
  return result;
}

T4File file_of(const Json& json) {
  const std::string version = json.at("schema_version");
  if (version != "1.0.0" && version != "1.1.0")
    throw std::invalid_argument(
        fmt::format("schema_version {} is neither 1.0.0 nor 1.1.0", version));
  const Json metadata = json.value("metadata", Json::object());
  const double unit_ns = ns_of_unit(metadata.value("timeunit", "milliseconds"));
  T4File file{{metadata.value("compute_api", ""), metadata.value("platform", ""),
               metadata.value("device", ""), metadata.value("autotuner", "")},
              {}};
  for (const Json& result : json.at("results")) file.results.push_back(result_of(result, unit_ns));
  return file;
}

}  // namespace

std::string t4_text(const T4File& file) {
  const T4Metadata& metadata = file.metadata;
  // One result a line, so that files can be read and compared.
  std::string text =
      fmt::format("{{\"schema_version\": \"1.1.0\",\n\"metadata\": {},\n\"results\": [",
                  Json{{"compute_api", metadata.compute_api},
                       {"platform", metadata.platform},
                       {"device", metadata.device},
                       {"autotuner", metadata.autotuner},
                       {"timeunit", "milliseconds"}}
                      .dump());
  const char* separator = "\n";
  for (const T4Result& result : file.results) {
    // Drivers' messages may hold bytes that are no UTF-8.
    text += separator;
    text += json_of(result).dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

void write_t4(const std::string& path, const T4File& file) {
  OutputFile output(path);
  output.write(t4_text(file));
  output.commit();
}

namespace {

T4File parse_t4(const io::Input& input) {
  try {
    if (input.bytes().size() > io::most_json_bytes())
      throw OutOfMemory(fmt::format(
          "{}: holds more than the {} that are parsed as JSON on a machine with {} of memory",
          input.name(), io::readable_bytes(io::most_json_bytes()),
          io::readable_bytes(io::physical_memory())));
    return file_of(parsed_json(input.bytes()));
  } catch (const Json::exception& error) {
    throw FormatError(input.name(), 0, 0, fmt::format("no T4 results: {}", error.what()));
  } catch (const std::invalid_argument& error) {
    throw FormatError(input.name(), 0, 0, fmt::format("no T4 results: {}", error.what()));
  }
}

}  // namespace

T4File read_t4(const std::string& path) {
  const io::Input input(path, io::most_json_bytes());
  return input.parsed([&] { return parse_t4(input); });
}

}  // namespace clgauss::tune
