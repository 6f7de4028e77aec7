#include <fmt/format.h>

#include <algorithm>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cstdlib>

#include "device/device_internal.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

std::optional<std::filesystem::path> kernel_folder(const ContextOptions& options) {
  if (options.kernel_folder) return options.kernel_folder;
  const char* variable = std::getenv("CLGAUSS_KERNEL_DIR");
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  return std::filesystem::path(variable);
}

KernelFaults kernel_faults(const ContextOptions& options) {
  if (!options.kernel_faults.empty()) return options.kernel_faults;
  const char* variable = std::getenv("CLGAUSS_KERNEL_FAULTS");
  return parse_kernel_faults(variable != nullptr ? variable : "");
}

Tuning tuning_for(const DeviceProfile& profile, const ContextOptions& options) {
  const char* setting = std::getenv("CLGAUSS_TUNED");
  if (!options.tuned || (setting != nullptr && std::string_view(setting) == "off")) return {};
  return {profile, TunedStore::of_environment(), kernel_folder(options)};
}

/// By OpenCL 1.2's call, which every platform has: before it takes a newer one, CLHPP asks for the platform's version without
/// looking at errors.
cl::CommandQueue open_queue(const cl::Context& context, const cl::Device& device, bool profiling) {
  cl_int error = CL_SUCCESS;
  const cl_command_queue queue =
      clCreateCommandQueue(context(), device(), profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
  check_call("clCreateCommandQueue", error);
  return cl::CommandQueue(queue);
}

/// The object that `queue` belongs to, with a reference of its own: where CLHPP's getInfo fails to take one, it gives one up
/// all the same.
template <typename Object>
Object owner_of(const cl::CommandQueue& queue, cl_command_queue_info what) {
  typename Object::cl_type owner = nullptr;
  check_call("clGetCommandQueueInfo",
             clGetCommandQueueInfo(queue(), what, sizeof owner, &owner, nullptr));
  return Object(owner, true);
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

Context::Context(const Device& device, const ContextOptions& options) try
    : profile_(device.profile),
      context_(device.handle),
      queue_(open_queue(context_, device.handle, options.profiling)),
      owns_queue_(true),
      programs_(context_, device.handle, ProgramCache::of_environment(), kernel_folder(options),
                kernel_faults(options)),
      tuning_(tuning_for(profile_, options)) {
  override_cores(profile_, options.cores_per_compute_unit);
} catch (const cl::Error& error) {
  throw_opencl_error(error.what(), error.err());
}

Context::Context(const cl::CommandQueue& queue, const ContextOptions& options) try
    : profile_(query_profile(owner_of<cl::Device>(queue, CL_QUEUE_DEVICE), "caller")),
      context_(owner_of<cl::Context>(queue, CL_QUEUE_CONTEXT)),
      queue_(queue),
      owns_queue_(false),
      programs_(context_, owner_of<cl::Device>(queue_, CL_QUEUE_DEVICE),
                ProgramCache::of_environment(), kernel_folder(options), kernel_faults(options)),
      tuning_(tuning_for(profile_, options)) {
  if ((queue_.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    throw UsageError("clgauss needs an in-order command queue");
  override_cores(profile_, options.cores_per_compute_unit);
} catch (const cl::Error& error) {
  throw_opencl_error(error.what(), error.err());
}

Context::~Context() {
  if (owns_queue_) clFinish(queue_());  // that it fails would have been said before
}

bool Context::runs_long_loops() {
  if (runs_long_loops_) return *runs_long_loops_;
  constexpr const char *kQuestion = "long loops", *kFile = "loop_probe.cl", *kYes = "run";
  if (programs_.recall(kQuestion, kFile, {}) == kYes) return *(runs_long_loops_ = true);
  constexpr cl_uint kSteps = 1U << 20U;
  cl_uint expected = 1, counted = 0;
  for (cl_uint i = 0; i < kSteps; ++i) expected = expected * 1664525U + 1013904223U;
  translate_opencl_errors([&] {
    const cl::Buffer result = allocate(sizeof counted, "a probe");
    Kernel probe = programs_.kernel("loop_probe.cl", "count_steps", {});
    probe.set_arguments(result, kSteps);
    enqueue_kernel(queue_, probe, cl::NDRange(1), cl::NDRange(1));
    queue_.enqueueReadBuffer(result, CL_TRUE, 0, sizeof counted, &counted);
  });
  runs_long_loops_ = counted == expected;
  if (*runs_long_loops_) programs_.remember(kQuestion, kFile, {}, kYes);
  return *runs_long_loops_;
}

void Context::require_memory(std::uint64_t bytes, const std::string& what) const {
  if (bytes <= profile_.global_mem_bytes) return;
  throw OutOfMemory(
      fmt::format("{} needs {}, the memory of {} is {}; solve a smaller system, use --type f32, or "
                  "another --device",
                  what, megabytes(bytes), profile_.name, megabytes(profile_.global_mem_bytes)));
}

cl::Buffer Context::allocate(std::uint64_t bytes, const std::string& what) const {
  require_memory(bytes, what);
  // A buffer above CL_DEVICE_MAX_MEM_ALLOC_SIZE is tried all the same: an H200 that states 35 GB
  // gave 120 GB.
  try {
    return {context_, CL_MEM_READ_WRITE, std::max<std::uint64_t>(bytes, 1)};
  } catch (const cl::Error& error) {
    if (bytes <= profile_.max_alloc_bytes) throw_opencl_error(error.what(), error.err());
    throw OutOfMemory(fmt::format(
        "{} needs {} in one buffer, {} allows {} ({}); use --type f32 or another --device", what,
        megabytes(bytes), profile_.name, megabytes(profile_.max_alloc_bytes),
        opencl_error_name(error.err())));
  }
}

}  // namespace clgauss
