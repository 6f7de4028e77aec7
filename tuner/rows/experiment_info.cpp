#include "tuner/rows/experiment_info.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/version.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "clock.hpp"
#include "tuner/measure/conditions.hpp"
#include "tuner/measure/estimate.hpp"

namespace clgauss::tune {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ExperimentInfo& info) {
  const DeviceProfile& device = info.device;
  const auto cores = device.total_cores();
  return {
      {"schema", kRowSchema},
      {"experiment", info.experiment},
      {"kernel", info.kernel},
      {"type", info.type},
      {"variant", info.variant},
      {"command", info.command},
      {"version", revision()},
      {"host", {{"text", info.host}, {"busy_cores", info.busy_cores}, {"cores", info.host_cores}}},
      {"device",
       {{"name", device.name},
        {"vendor", device.vendor},
        {"platform", device.platform_name},
        {"driver", device.driver_version},
        {"type", device_type_name(device.type)},
        {"compute_units", device.compute_units},
        {"cores", cores ? Json(*cores) : Json(nullptr)},
        {"preferred_multiple", device.preferred_multiple},
        {"max_work_group_size", device.max_work_group_size},
        {"global_mem_bytes", device.global_mem_bytes},
        {"local_mem_bytes", device.local_mem_bytes}}}};
}

DeviceType parse_device_type(const std::string& name) {
  for (const DeviceType type : {DeviceType::cpu, DeviceType::gpu, DeviceType::accelerator})
    if (name == device_type_name(type)) return type;
  return DeviceType::other;
}

ExperimentInfo info_from_json(const Json& json) {
  ExperimentInfo info;
  info.experiment = json.at("experiment");
  info.kernel = json.at("kernel");
  info.type = json.at("type");
  info.variant = json.at("variant");
  info.command = json.at("command");
  if (const auto host = json.find("host"); host != json.end()) {
    info.host = host->at("text");
    info.busy_cores = host->at("busy_cores");
    info.host_cores = host->at("cores");
  }
  const Json& device = json.at("device");
  info.device.name = device.at("name");
  info.device.vendor = device.at("vendor");
  info.device.platform_name = device.at("platform");
  info.device.driver_version = device.at("driver");
  info.device.type = parse_device_type(device.at("type"));
  info.device.compute_units = device.at("compute_units");
  if (!device.at("cores").is_null() && info.device.compute_units > 0)
    info.device.cores.per_compute_unit =
        device.at("cores").get<unsigned>() / info.device.compute_units;
  info.device.preferred_multiple = device.at("preferred_multiple");
  info.device.max_work_group_size = device.at("max_work_group_size");
  info.device.global_mem_bytes = device.at("global_mem_bytes");
  info.device.local_mem_bytes = device.at("local_mem_bytes");
  return info;
}

}  // namespace

void note_host(ExperimentInfo& info) {
  info.host = host_text();
  info.busy_cores = busy_cores();
  info.host_cores = std::thread::hardware_concurrency();
}

std::string info_text(const ExperimentInfo& info) { return to_json(info).dump(2) + "\n"; }

ExperimentInfo parse_info(const std::string& text, const std::string& file) {
  try {
    return info_from_json(Json::parse(text));
  } catch (const Json::exception& error) {
    throw FormatError(file, 0, 0, fmt::format("no description of an experiment: {}", error.what()));
  }
}

Row row_for(const ExperimentInfo& info) {
  Row row;
  row.time = utc_now();
  row.version = revision();
  row.device = info.device.name;
  row.platform = info.device.platform_name;
  row.driver = info.device.driver_version;
  row.experiment = info.experiment;
  row.kernel = info.kernel;
  row.type = info.type;
  row.variant = info.variant;
  return row;
}

}  // namespace clgauss::tune
