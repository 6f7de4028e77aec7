#include "tuner/layer/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace clgauss::layer {

namespace {

/// What every compiler of OpenCL C defines for the device: its version, its extensions, its
/// features. -cl-std is an option of the program.
std::vector<std::pair<std::string, std::string>> predefined(const std::string& version,
                                                            const std::string& extensions) {
  std::vector<std::pair<std::string, std::string>> macros;
  // "OpenCL 3.0 ..." makes __OPENCL_VERSION__ 300.
  if (int major = 0, minor = 0; std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) == 2)
    macros.emplace_back("__OPENCL_VERSION__", std::to_string(100 * major + 10 * minor));
  std::istringstream names(extensions);
  for (std::string name; names >> name;) macros.emplace_back(name, "1");
  return macros;
}

Binary binary(const DeviceRecord& device, std::string bytes) {
  std::string macros;
  for (const auto& [name, value] : device.macros) macros += fmt::format("{}={}\n", name, value);
  return {device.name, device.driver, fingerprint(macros), std::move(bytes)};
}

}  // namespace

const DeviceRecord& Catalog::device(cl_device_id device) {
  std::unique_ptr<DeviceRecord>& record = devices_[device];
  if (record) return *record;
  record = std::make_unique<DeviceRecord>();
  const auto about = [&](cl_device_info what) {
    return asking(drivers_.clGetDeviceInfo, device, what);
  };
  record->device = device;
  record->name = text_of(about(CL_DEVICE_NAME));
  const auto platform = value_of<cl_platform_id>(about(CL_DEVICE_PLATFORM), nullptr);
  record->driver = text_of(asking(drivers_.clGetPlatformInfo, platform, CL_PLATFORM_VERSION)) +
                   ", " + text_of(about(CL_DRIVER_VERSION));
  record->largest_group =
      value_of(about(CL_DEVICE_MAX_WORK_ITEM_SIZES), std::array<std::size_t, 3>{1, 1, 1});
  const std::string extensions = text_of(about(CL_DEVICE_EXTENSIONS));
  record->macros = predefined(text_of(about(CL_DEVICE_VERSION)), extensions);
  if (extensions.find("cl_khr_suggested_local_work_size") != std::string::npos)
    record->suggest =
        reinterpret_cast<SuggestGroup>(drivers_.clGetExtensionFunctionAddressForPlatform(
            platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
  return *record;
}

void Catalog::add_queue(cl_command_queue queue, bool hides_profiling,
                        std::optional<std::vector<cl_queue_properties>> given) {
  const auto about = [&](cl_command_queue_info what) {
    return asking(drivers_.clGetCommandQueueInfo, queue, what);
  };
  const auto properties = value_of<cl_command_queue_properties>(about(CL_QUEUE_PROPERTIES), 0);
  const auto id = value_of<cl_device_id>(about(CL_QUEUE_DEVICE), nullptr);
  queues_[queue] = std::make_unique<QueueRecord>(
      QueueRecord{&device(id), hides_profiling, (properties & CL_QUEUE_PROFILING_ENABLE) != 0,
                  (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0, std::move(given)});
}

QueueRecord& Catalog::queue(cl_command_queue queue, bool is_used) {
  const auto found = queues_.find(queue);
  if (found == queues_.end() || (is_used && found->second->references == 0))
    add_queue(queue, false, std::nullopt);
  return *queues_[queue];
}

void Catalog::retain_queue(cl_command_queue queue) {
  if (const auto found = queues_.find(queue); found != queues_.end()) ++found->second->references;
}

void Catalog::release_queue(cl_command_queue queue) {
  const auto found = queues_.find(queue);
  if (found != queues_.end() && found->second->references > 0) --found->second->references;
}

void Catalog::add_program(cl_program program, Origin origin) {
  forget_build(program);
  origins_[program] = std::move(origin);
}

void Catalog::forget_build(cl_program program) {
  ++builds_[program];
  std::erase_if(programs_, [&](const auto& entry) { return entry.first.first == program; });
}

ProgramRecord Catalog::ask_program(cl_program program, cl_device_id device) {
  const Origin& origin = origins_[program];
  if (origin.is_text) {
    auto text = std::make_shared<const ProgramText>(ProgramText{
        text_of(asking(drivers_.clGetProgramInfo, program, cl_program_info{CL_PROGRAM_SOURCE})),
        text_of(asking(drivers_.clGetProgramBuildInfo, program, device,
                       cl_program_build_info{CL_PROGRAM_BUILD_OPTIONS}))});
    if (!text->is_known()) return {};
    return {fingerprint(*text), std::move(text)};
  }
  // One in another language, which no layer sees being made, may have the handle of a gone one.
  if (!text_of(asking(drivers_.clGetProgramInfo, program, cl_program_info{CL_PROGRAM_IL})).empty())
    return {};
  for (const auto& [of, bytes] : origin.binaries)
    if (of == device)
      return {memory_.text_name(binary(this->device(device), bytes)).value_or(""), nullptr};
  return {};
}

void Catalog::keep_text(cl_program program, cl_device_id device, std::string_view bytes) {
  const auto about = [&](cl_program_build_info what) {
    return asking(drivers_.clGetProgramBuildInfo, program, device, what);
  };
  // The options of a build that has failed, or that goes on, are not those of the binary; and the
  // text of a compiled object calls functions of other texts.
  if (value_of<cl_build_status>(about(CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR) !=
          CL_BUILD_SUCCESS ||
      value_of<cl_program_binary_type>(about(CL_PROGRAM_BINARY_TYPE), 0) !=
          CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
    return;
  const ProgramRecord& known = known_program(program, device);
  if (known.name.empty()) return;
  if (known.text) memory_.keep_text(*known.text);
  memory_.keep_text_name(binary(this->device(device), fingerprint(bytes)), known.name);
}

const ProgramRecord& Catalog::known_program(cl_program program, cl_device_id device) {
  const auto [entry, is_new] = programs_.try_emplace({program, device});
  if (is_new) entry->second = ask_program(program, device);
  return entry->second;
}

ProgramText Catalog::program_of(const KernelRecord& kernel) const {
  const auto& [name, text] = kernel.program;
  if (text) return *text;
  return name.empty() ? ProgramText() : memory_.text(name).value_or(ProgramText());
}

const KernelText& Catalog::text(KernelRecord& kernel) const {
  if (kernel.judged) return *kernel.judged;
  const ProgramText program = program_of(kernel);
  if (!program.is_known()) {
    kernel.program.name.clear();
    kernel.judged = {false, false,
                     "the text of the program is not known: it was linked, or made from binaries "
                     "of which the layer did not see the build"};
  } else {
    kernel.judged =
        kernel_text({program.source}, program.options, kernel.name, kernel.device->macros);
  }
  return *kernel.judged;
}

KernelRecord& Catalog::kernel(cl_kernel kernel, const DeviceRecord& device) {
  std::vector<KernelRecord*>& known = kernels_[kernel];
  const auto found = std::ranges::find(known, &device, &KernelRecord::device);
  if (found != known.end()) return **found;
  const auto about = [&](cl_kernel_info what) {
    return asking(drivers_.clGetKernelInfo, kernel, what);
  };
  const ProgramRecord& program =
      known_program(value_of<cl_program>(about(CL_KERNEL_PROGRAM), nullptr), device.device);
  std::string name = text_of(about(CL_KERNEL_FUNCTION_NAME));
  std::unique_ptr<KernelRecord>& record = records_[{&device, program.name, name}];
  if (!record)
    record = std::make_unique<KernelRecord>(
        KernelRecord{std::move(name), &device, program, std::nullopt});
  known.push_back(record.get());
  return *record;
}

}  // namespace clgauss::layer
