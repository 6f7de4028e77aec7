#include <fmt/format.h>

#include <algorithm>
#include <clgauss/context.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/kernel_survey.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/lab/tuned.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/kernels_report.hpp"
#include "cli/report.hpp"
#include "command_line/progress_line.hpp"

namespace clgauss::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDevicesUsage = "[options]";
constexpr std::string_view kDevicesAbout =
    "Lists every OpenCL device: its limits, its cores and where that number comes from, and the "
    "work-group size that the LCM rule gives for the elimination kernel (raw, and clamped to what "
    "the device allows).";
constexpr std::string_view kDevicesExamples =
    "clgauss devices\n"
    "clgauss devices --json | jq '.[].spec'\n"
    "clgauss devices --kernels --device pocl         # which kernels give right answers there "
    "(the first time takes a while)\n"
    "RUSTICL_ENABLE=llvmpipe clgauss devices        # Mesa's rusticl shows a CPU device only when "
    "told to";

/// A device, with properties that need a built kernel. If the build fails, `failure` is set
/// instead.
struct ListedDevice {
  DeviceProfile profile;
  std::size_t kernel_multiple = 0;
  LcmRule rule;
  std::string failure;
  std::vector<KernelVerdict> kernels;  // of --kernels
  MethodChoice choice;                 // of `solve --method auto`; `entry` is null
  std::string_view source;             // of the choice
};

Json or_never(Index from) { return from == MethodChoice::kNever ? Json(nullptr) : Json(from); }

/// Null without fp64: there is then no choice of methods.
Json method_json(const ListedDevice& device) {
  const MethodChoice& choice = device.choice;
  if (!device.profile.fp64) return nullptr;
  return {{"mixed_from", or_never(choice.mixed_from)},
          {"rbt_from", or_never(choice.rbt_from)},
          {"estimates_to", or_never(choice.estimates_to)},
          {"source", device.source},
          {"rates", rates_json(choice.rates)}};
}

/// "cholesky from n = 1024 where A is symmetric with a positive diagonal, else mixed from n = 1536,
/// else lu (tuned); ldlt in place of lu from n = 4096 where A is symmetric". A GPU may have "lu
/// with error estimates from n = 3073".
std::string method_text(const ListedDevice& device) {
  const MethodChoice& choice = device.choice;
  std::string text;
  if (choice.cholesky_from != MethodChoice::kNever)
    text = fmt::format(
        "cholesky from n = {}{} where A is symmetric with a positive diagonal, else ",
        choice.cholesky_from,
        choice.cholesky_to == MethodChoice::kNever ? ""
                                                   : fmt::format(" to {}", choice.cholesky_to));
  if (!device.profile.fp64) return text + "mixed";
  for (const auto& [name, from] :
       {std::pair("rbt", choice.rbt_from), std::pair("mixed", choice.mixed_from)})
    if (from != MethodChoice::kNever) text += fmt::format("{} from n = {}, else ", name, from);
  text +=
      fmt::format("lu ({}{})", device.source, choice.rates ? ": " + rates_text(*choice.rates) : "");
  if (choice.estimates_to != MethodChoice::kNever)
    text += fmt::format("; lu with error estimates from n = {}", choice.estimates_to + 1);
  if (choice.ldlt_from == MethodChoice::kNever) return text;
  return text +
         fmt::format("; ldlt in place of lu from n = {} where A is symmetric", choice.ldlt_from);
}

/// A device that cannot build kernels must not hide the others, so its failure is listed, not
/// thrown.
ListedDevice inspect(const Device& device, const ContextOptions& options, bool kernels) {
  ListedDevice listed{device.profile, 0, {}, {}, {}, method_choice(device.profile, {}), {}};
  override_cores(listed.profile, options.cores_per_compute_unit);
  try {
    Context context(device, options);
    const Launcher launcher(context.profile(), context.queue(), {}, SplitMode::automatic);
    const RealType type = device.profile.fp64 ? RealType::f64 : RealType::f32;
    const Kernel kernel = context.programs().kernel("gauss.cl", "gauss_fwd", real_defines(type));
    listed.kernel_multiple = kernel.preferred_multiple;
    listed.rule = launcher.rule_for(kernel);
    listed.choice = method_choice(context);
    listed.source = listed.choice.source();
    listed.choice.entry = nullptr;  // it points into the context
    if (!kernels) return listed;
    ProgressLine line(true);
    survey_kernels(context, shown_on(line));
    listed.kernels = context.trials().verdicts();
  } catch (const Error& error) {
    listed.failure = error.what();
  }
  return listed;
}

template <typename T>
std::string or_unknown(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

/// A row of the table: its title, and the function that gives a device's cell.
struct Row {
  const char* title;
  std::string (*cell)(const ListedDevice&);
};

constexpr Row kRows[] = {
    {"name", [](const ListedDevice& d) { return d.profile.name; }},
    {"vendor", [](const ListedDevice& d) { return d.profile.vendor; }},
    {"platform", [](const ListedDevice& d) { return d.profile.platform_name; }},
    {"driver", [](const ListedDevice& d) { return d.profile.driver_version; }},
    {"OpenCL", [](const ListedDevice& d) { return d.profile.opencl_version; }},
    {"type", [](const ListedDevice& d) { return std::string(device_type_name(d.profile.type)); }},
    {"compute units",
     [](const ListedDevice& d) { return fmt::format("{}", d.profile.compute_units); }},
    {"cores per unit",
     [](const ListedDevice& d) { return or_unknown(d.profile.cores.per_compute_unit); }},
    {"  source", [](const ListedDevice& d) { return d.profile.cores.source; }},
    {"cores", [](const ListedDevice& d) { return or_unknown(d.profile.total_cores()); }},
    {"max work-group",
     [](const ListedDevice& d) { return fmt::format("{}", d.profile.max_work_group_size); }},
    {"multiple",
     [](const ListedDevice& d) {
       return fmt::format("{} (device), {} (kernel)",
                          d.profile.preferred_multiple > 0
                              ? fmt::format("{}", d.profile.preferred_multiple)
                              : "not told",
                          d.kernel_multiple);
     }},
    {"local memory",
     [](const ListedDevice& d) {
       return fmt::format("{:.0f} KiB", static_cast<double>(d.profile.local_mem_bytes) / 1024);
     }},
    {"global memory", [](const ListedDevice& d) { return megabytes(d.profile.global_mem_bytes); }},
    {"max allocation", [](const ListedDevice& d) { return megabytes(d.profile.max_alloc_bytes); }},
    {"host's memory",
     [](const ListedDevice& d) {
       return std::string(d.profile.host_unified_memory ? "is the device's" : "is another");
     }},
    {"fp64", [](const ListedDevice& d) { return std::string(d.profile.fp64 ? "yes" : "no"); }},
    {"LCM rule",
     [](const ListedDevice& d) {
       return d.failure.empty() ? fmt::format("{} (raw {})", d.rule.clamped, or_unknown(d.rule.raw))
                                : "kernels do not build";
     }},
    {"  because",
     [](const ListedDevice& d) { return d.failure.empty() ? d.rule.reason : d.failure; }},
    {"auto takes",
     [](const ListedDevice& d) {
       return d.failure.empty() ? method_text(d) : "kernels do not build";
     }},
};

/// One table per device, because values can be long and a machine can have up to sixteen devices.
std::string table_of(const std::vector<ListedDevice>& devices) {
  std::string text;
  for (const ListedDevice& device : devices) {
    text += fmt::format("{}{:<15} {}\n", text.empty() ? "" : "\n", "device", device.profile.spec);
    for (const Row& row : kRows) text += fmt::format("{:<15} {}\n", row.title, row.cell(device));
    text += kernels_text(device.kernels, true);
  }
  return text;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const ListedDevice& device) {
  const DeviceProfile& profile = device.profile;
  Json json{{"spec", profile.spec},
            {"name", profile.name},
            {"vendor", profile.vendor},
            {"platform", profile.platform_name},
            {"driver", profile.driver_version},
            {"opencl_version", profile.opencl_version},
            {"type", device_type_name(profile.type)},
            {"compute_units", profile.compute_units},
            {"cores_per_compute_unit", or_null(profile.cores.per_compute_unit)},
            {"cores_source", profile.cores.source},
            {"total_cores", or_null(profile.total_cores())},
            {"max_work_group_size", profile.max_work_group_size},
            {"preferred_multiple_device",
             profile.preferred_multiple > 0 ? Json(profile.preferred_multiple) : Json(nullptr)},
            {"preferred_multiple_kernel", nullptr},
            {"local_mem_bytes", profile.local_mem_bytes},
            {"global_mem_bytes", profile.global_mem_bytes},
            {"max_alloc_bytes", profile.max_alloc_bytes},
            {"host_unified_memory", profile.host_unified_memory},
            {"fp64", profile.fp64},
            {"lcm_rule", nullptr},
            {"cholesky_from", or_never(device.choice.cholesky_from)},
            {"cholesky_to", or_never(device.choice.cholesky_to)},
            {"ldlt_from", or_never(device.choice.ldlt_from)},
            {"method_choice", nullptr}};
  if (!device.failure.empty()) {
    json["error"] = device.failure;
    return json;
  }
  json["preferred_multiple_kernel"] = device.kernel_multiple;
  json["lcm_rule"] = {{"raw", or_null(device.rule.raw)},
                      {"clamped", device.rule.clamped},
                      {"reason", device.rule.reason}};
  json["method_choice"] = method_json(device);
  if (!device.kernels.empty()) json["kernels"] = kernels_json(device.kernels);
  return json;
}

}  // namespace

CommandTable devices_table() {
  CommandTable table{kDevicesUsage, kDevicesAbout, kDevicesExamples, {}};
  add_context_options(
      table,
      "run the self-test of every kernel, and say which are usable and why others are not; ");
  add_json_option(table.group("Output"));
  return table;
}

ExitCode run_devices(const Given& given) {
  const po::variables_map& values = given.values;
  std::vector<ListedDevice> devices;
  const auto wanted = values["device"].as<std::string>();
  for (const Device& device :
       wanted.empty() ? list_devices() : std::vector{open_named_device(wanted)})
    devices.push_back(inspect(device, context_options(values), values.count("kernels") > 0));
  Json array = Json::array();
  for (const ListedDevice& device : devices) array.push_back(to_json(device));
  JsonOutput(values).print(table_of(devices), array);
  if (devices.empty()) throw DeviceNotFound(no_device_message());
  return ExitCode::ok;
}

}  // namespace clgauss::cli
