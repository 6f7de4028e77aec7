#include <fmt/format.h>

#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/program.hpp>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

std::string options_of(const Defines& defines) {
  std::string options = "-cl-std=CL1.2";
  for (const auto& [name, value] : defines) options += fmt::format(" -D{}={}", name, value);
  return options;
}

/// All that a binary depends on. A driver update changes the key, so that no stale binary is ever
/// offered to a driver.
std::string cache_key(const cl::Device& device, const std::string& source,
                      const std::string& options) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", platform.getInfo<CL_PLATFORM_NAME>(),
                     platform.getInfo<CL_PLATFORM_VERSION>(), device.getInfo<CL_DEVICE_NAME>(),
                     device.getInfo<CL_DEVICE_VERSION>(), device.getInfo<CL_DRIVER_VERSION>(),
                     options, source);
}

/// CL_KERNEL_WORK_GROUP_SIZE. Mesa's rusticl answers with the preferred multiple instead (32
/// in 22.3, for every kernel), though it runs, rightly, all groups up to the device's limit; there
/// the device's limit is the kernel's.
std::size_t work_group_limit(const Kernel& kernel, const cl::Device& device) {
  const auto limit = kernel.handle.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
  const bool is_rusticl =
      cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>() == "rusticl";
  return is_rusticl && limit == kernel.preferred_multiple
             ? device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>()
             : limit;
}

class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total) {}
  ~Stopwatch() {
    total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

ProgramStore::ProgramStore(cl::Context context, cl::Device device, ProgramCache cache,
                           std::optional<std::filesystem::path> kernel_folder)
    : context_(std::move(context)),
      device_(std::move(device)),
      cache_(std::move(cache)),
      kernel_folder_(std::move(kernel_folder)) {}

Kernel ProgramStore::kernel(const std::string& file, const std::string& kernel,
                            const Defines& defines) {
  return translate_opencl_errors([&] {
    Kernel result;
    result.handle = cl::Kernel(program(file, defines), kernel.c_str());
    result.name = kernel;
    result.preferred_multiple =
        result.handle.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device_);
    result.work_group_limit = work_group_limit(result, device_);
    return result;
  });
}

cl::Program& ProgramStore::program(const std::string& file, const Defines& defines) {
  const std::string options = options_of(defines);
  const std::string name = file + ' ' + options;
  const auto found = programs_.find(name);
  if (found != programs_.end()) return found->second;
  const Stopwatch watch(build_seconds_);
  return programs_.emplace(name, build(file, options)).first->second;
}

std::optional<cl::Program> ProgramStore::load(const std::string& key,
                                              const std::string& options) const {
  const auto binary = cache_.fetch(key);
  if (!binary) return std::nullopt;
  try {
    cl::Program program(context_, {device_}, {*binary});
    program.build(device_, options.c_str());
    return program;
  } catch (const cl::Error&) {
    return std::nullopt;  // a binary that the driver no longer takes is rebuilt from source
  }
}

cl::Program ProgramStore::build(const std::string& file, const std::string& options) {
  const std::string source = kernel_source(file, kernel_folder_);
  const std::string key = cache_key(device_, source, options);
  if (const auto loaded = load(key, options)) return *loaded;
  cl::Program program(context_, source);
  try {
    program.build(device_, options.c_str());
  } catch (const cl::BuildError&) {
    throw BuildError(file, options, program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_));
  }
  const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  if (!binaries.empty() && !binaries.front().empty()) cache_.store(key, binaries.front());
  return program;
}

}  // namespace clgauss
