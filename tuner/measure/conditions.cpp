#include "tuner/measure/conditions.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <thread>

#include "operating_system.hpp"

namespace clgauss::tune {

/// NVML, as far as it is needed, by its documented C interface.
class Sensors::Nvml {
 public:
  /// Null where there is no NVML, or it does not know the device.
  static std::unique_ptr<Nvml> of(const cl::Device& device) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // stays open
    if (library == nullptr) return nullptr;
    auto nvml = std::unique_ptr<Nvml>(new Nvml());
    const bool complete = nvml->find(library, nvml->clock_, "nvmlDeviceGetClockInfo") &&
                          nvml->find(library, nvml->temperature_, "nvmlDeviceGetTemperature") &&
                          nvml->find(library, nvml->power_, "nvmlDeviceGetPowerUsage");
    return complete && nvml->open(library, device) ? std::move(nvml) : nullptr;
  }

  [[nodiscard]] Conditions read() const {
    const auto asked = [](const auto& ask) {
      unsigned value = 0;
      return ask(&value) == 0 ? static_cast<double>(value) : 0.0;
    };
    constexpr int kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0;
    return {asked([&](unsigned* value) { return clock_(handle_, kSmClock, value); }),
            asked([&](unsigned* value) { return clock_(handle_, kMemoryClock, value); }),
            asked([&](unsigned* value) { return temperature_(handle_, kGpuSensor, value); }),
            asked([&](unsigned* value) { return power_(handle_, value); }) / 1000};
  }

 private:
  Nvml() = default;

  template <typename Function>
  static bool find(void* library, Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }

  /// The device by its place on the PCI bus, or, where OpenCL does not say that, as the only one
  /// of its name.
  bool open(void* library, const cl::Device& device) {
    int (*init)() = nullptr;
    int (*by_place)(const char*, void**) = nullptr;
    int (*count_of)(unsigned*) = nullptr;
    int (*by_index)(unsigned, void**) = nullptr;
    int (*name_of)(void*, char*, unsigned) = nullptr;
    if (!find(library, init, "nvmlInit_v2") ||
        !find(library, by_place, "nvmlDeviceGetHandleByPciBusId_v2") ||
        !find(library, count_of, "nvmlDeviceGetCount_v2") ||
        !find(library, by_index, "nvmlDeviceGetHandleByIndex_v2") ||
        !find(library, name_of, "nvmlDeviceGetName") || init() != 0)
      return false;
    constexpr cl_device_info kPlace = 0x410F;  // CL_DEVICE_PCI_BUS_INFO_KHR
    std::array<cl_uint, 4> place{};            // domain, bus, device, function
    if (clGetDeviceInfo(device(), kPlace, sizeof place, place.data(), nullptr) == CL_SUCCESS &&
        by_place(fmt::format("{:08x}:{:02x}:{:02x}.{:x}", place[0], place[1], place[2], place[3])
                     .c_str(),
                 &handle_) == 0)
      return true;
    unsigned count = 0, matches = 0;
    const std::string name = device.getInfo<CL_DEVICE_NAME>();
    if (count_of(&count) != 0) return false;
    for (unsigned index = 0; index < count; ++index) {
      void* candidate = nullptr;
      std::array<char, 96> text{};
      if (by_index(index, &candidate) != 0 || name_of(candidate, text.data(), text.size()) != 0 ||
          name != text.data())
        continue;
      ++matches;
      handle_ = candidate;
    }
    return matches == 1;
  }

  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
  void* handle_ = nullptr;
};

Sensors::Sensors(const Context& context)
    : nvml_(Nvml::of(context.queue().getInfo<CL_QUEUE_DEVICE>())),
      cpu_(context.profile().type == DeviceType::cpu) {}

Sensors::~Sensors() = default;

Conditions Sensors::read() const {
  if (nvml_) return nvml_->read();
  if (!cpu_) return {};
  return {operating_system::processor_mhz(), 0, operating_system::processor_celsius(), 0};
}

std::string host_text() {
  const std::string name = operating_system::processor_name();
  utsname system{};
  const bool known = uname(&system) == 0;
  return fmt::format(
      "{}, {} cores, {}", name.empty() ? "unknown processor" : name,
      std::thread::hardware_concurrency(),
      known ? fmt::format("{} {}", system.sysname, system.release) : "unknown system");
}

}  // namespace clgauss::tune
