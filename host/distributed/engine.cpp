#include "distributed/engine.hpp"

#include <fmt/format.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <unistd.h>

#include <algorithm>
#include <clgauss/device.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/version.hpp>
#include <cstdlib>

#include "distributed/block_store.hpp"
#include "distributed/passing_memory.hpp"
#include "distributed/resting.hpp"
#include "embed/embedded.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

std::atomic<bool> engine_is_there = false;

/// The devices in StarPU's numbering: those of these types, platform by platform.
std::vector<cl_device_id> starpu_devices() {
  constexpr cl_uint kMostPlatforms = 16;  // StarPU's limit
  cl_platform_id platforms[kMostPlatforms];
  cl_uint platform_count = 0;
  std::vector<cl_device_id> all;
  if (const cl_int error = clGetPlatformIDs(kMostPlatforms, platforms, &platform_count);
      error != CL_SUCCESS)
    throw OpenClError("clGetPlatformIDs", error);
  for (cl_uint p = 0; p < std::min(platform_count, kMostPlatforms); ++p) {
    cl_device_id found[STARPU_MAXOPENCLDEVS];
    cl_uint count = 0;
    const auto room = static_cast<cl_uint>(STARPU_MAXOPENCLDEVS - all.size());
    const cl_device_type types =
        CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CPU;
    if (room > 0 && clGetDeviceIDs(platforms[p], types, room, found, &count) == CL_SUCCESS)
      all.insert(all.end(), found, found + std::min(count, room));
  }
  return all;
}

/// The devices that `specs` names.
std::vector<Device> chosen_devices(const std::string& specs) {
  const std::vector<Device> all = list_devices();
  if (all.empty()) throw DeviceNotFound(no_device_message());
  std::vector<DeviceProfile> profiles;
  for (const Device& device : all) profiles.push_back(device.profile);
  std::vector<Device> chosen;
  if (specs == "all") {
    const DeviceProfile& best = profiles[select_device(profiles, "auto")];
    for (const Device& device : all)
      if (device.profile.type == best.type && device.profile.platform_name == best.platform_name)
        chosen.push_back(device);
    return chosen;
  }
  for (std::size_t begin = 0; begin <= specs.size();) {
    const std::size_t end = std::min(specs.find(',', begin), specs.size());
    const std::size_t index = select_device(profiles, specs.substr(begin, end - begin));
    const auto same = [&](const Device& other) { return other.handle() == all[index].handle(); };
    if (std::ranges::any_of(chosen, same))
      throw UsageError("'" + specs + "' names " + profiles[index].name + " twice");
    chosen.push_back(all[index]);
    begin = end + 1;
  }
  return chosen;
}

/// The share of this machine's `devices` that this rank uses.
std::vector<Device> share_of(std::vector<Device> devices, const Ranks& ranks) {
  const auto count = static_cast<std::size_t>(ranks.local_count()),
             rank = static_cast<std::size_t>(ranks.local_rank());
  if (devices.size() < count) return {devices[rank % devices.size()]};
  std::vector<Device> share;
  for (std::size_t i = rank; i < devices.size(); i += count) share.push_back(devices[i]);
  return share;
}

/// A checksum of the source of all kernels.
std::uint64_t kernels_checksum(const std::optional<std::filesystem::path>& folder) {
  std::uint64_t sum = 0;
  for (const auto& [name, text] : embedded_kernels())
    if (name.ends_with(".cl")) {
      const std::string source = kernel_source(name, folder);
      sum = checksum(std::as_bytes(std::span(source)), sum);
    }
  return sum;
}

/// Sets a variable unless the user has set it.
void set_default(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 0); }
void set_megabytes(const char* name, std::uint64_t bytes) {
  ::setenv(name, std::to_string(std::max<std::uint64_t>(bytes >> 20U, 1)).c_str(), 1);
}

std::exception_ptr named(const std::string& device, const std::exception_ptr& error) {
  try {
    translate_opencl_errors([&] { std::rethrow_exception(error); });
  } catch (const Error& caught) {
    return std::make_exception_ptr(Error(caught.error_code(), device + ": " + caught.what()));
  } catch (...) {  // other exceptions stay unchanged
  }
  return error;
}

}  // namespace

Engine::Implementation::Implementation(const EngineOptions& given) : options(given) {
  if (engine_is_there.exchange(true)) throw UsageError("a process has one Engine at a time");
  ranks.together([&] {
    const std::vector<Device> devices = share_of(chosen_devices(options.devices), ranks);
    const std::vector<cl_device_id> numbered = starpu_devices();
    std::vector<unsigned> ids;
    for (const Device& device : devices) {
      const auto found = std::ranges::find(numbered, device.handle());
      if (found == numbered.end())
        throw DeviceNotFound(fmt::format("StarPU uses at most {} devices, and {} is not among them",
                                         STARPU_MAXOPENCLDEVS, device.profile.name));
      ids.push_back(static_cast<unsigned>(found - numbered.begin()));
      profiles.push_back(device.profile);
    }
    set_environment();
    start(ids);
  });
  ranks.together([&] { kernels = kernels_checksum(options.context.kernel_folder); });
  ranks.require_same("the build of clgauss and its kernels",
                     fmt::format("{}, kernels {:016x}", revision(), kernels));
}

void Engine::Implementation::set_environment() {
  set_default("STARPU_SILENT", "1");
  set_default("STARPU_WORKERS_NOBIND",
              "1");  // PoCL binds its own threads, and there may be several ranks
  set_default("STARPU_CATCH_SIGNALS", "0");  // the program handles signals itself
  // By default, StarPU copies unfinished blocks to host memory in advance, in case a device needs
  // the memory. By the time it does, the copies are out of date. On an H200, three times the size
  // of the matrix was copied back.
  set_default("STARPU_MINIMUM_CLEAN_BUFFERS", "0");
  set_default("STARPU_TARGET_CLEAN_BUFFERS", "0");
  ::setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
  // StarPU measures a machine's buses when it first runs there. The results are stored in the
  // folder of the kernel cache.
  if (options.context.cache_folder)
    set_default("STARPU_HOME", options.context.cache_folder->string());
  else
    set_default("STARPU_HOME",
                (std::filesystem::temp_directory_path() / "clgauss-starpu").string());
  std::error_code unknown;
  std::filesystem::create_directories(std::getenv("STARPU_HOME"), unknown);
  ::unsetenv("STARPU_LIMIT_OPENCL_MEM");  // set by an earlier engine
  if (options.memory_bytes) set_megabytes("STARPU_LIMIT_OPENCL_MEM", *options.memory_bytes);
}

void Engine::Implementation::start(const std::vector<unsigned>& ids) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 0;
  conf.ncuda = 0;
  conf.nmic = 0;
  conf.nmpi_ms = 0;
  conf.nopencl = static_cast<int>(ids.size());
  conf.use_explicit_workers_opencl_gpuid = 1;
  std::ranges::copy(ids, conf.workers_opencl_gpuid);
  const bool on_cores = profiles.front().type == DeviceType::cpu;
  if (on_cores)
    conf.sched_policy = resting_policy();
  else
    conf.sched_policy_name = kPolicy;
  conf.catch_signals = 0;
  if (!ranks.alone()) keep_passing_memory();
  if (starpu_init(&conf) != 0)
    throw DeviceLimit("StarPU does not start: it finds no OpenCL device");
  if (!ranks.alone()) starpu_mpi_init_comm(nullptr, nullptr, 0, MPI_COMM_WORLD);
  if (on_cores) let_mpi_thread_rest();
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  std::vector<int> workers_found(ids.size());
  const unsigned count = starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, workers_found.data(),
                                                       static_cast<unsigned>(ids.size()));
  if (count != ids.size()) throw DeviceLimit("StarPU does not start a worker for every device");
  for (const int id : workers_found) {
    constexpr std::size_t kBits = 32;
    const auto number = static_cast<std::size_t>(id);
    std::vector<std::uint32_t> alone(number / kBits + 1, 0);
    alone.back() = std::uint32_t{1} << number % kBits;
    workers.push_back(
        {id, starpu_worker_get_memory_node(static_cast<unsigned>(id)), std::move(alone), nullptr});
  }
  on_each_worker([&](std::size_t device) {
    cl_command_queue queue = nullptr;
    starpu_opencl_get_current_queue(&queue);
    workers[device].context =
        std::make_unique<Context>(cl::CommandQueue(queue, true), options.context);
    profiles[device] = workers[device].context->profile();
  });
}

Engine::Implementation::~Implementation() {
  if (!workers.empty()) {
    if (!ranks.alone()) starpu_mpi_shutdown();
    for (Worker& worker : workers) worker.context.reset();
    starpu_shutdown();
    free_passing_memory();
  }
  engine_is_there = false;
}

void Engine::Implementation::on_each_worker(const std::function<void(std::size_t)>& body) {
  struct Call {
    Implementation* engine;
    const std::function<void(std::size_t)>* body;
  } call{this, &body};
  for (const Worker& worker : workers) {
    auto id = static_cast<unsigned>(worker.id);
    starpu_execute_on_specific_workers(
        [](void* argument) {
          const auto* const given = static_cast<Call*>(argument);
          const std::size_t device = current_device();
          given->engine->guard(device, [&] { (*given->body)(device); });
        },
        &call, 1, &id, "clgauss");
  }
  if (failed()) rethrow();
}

std::size_t Engine::Implementation::current_device() {
  return static_cast<std::size_t>(starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0) < 0
                                      ? 0
                                      : starpu_worker_get_id() -
                                            starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0));
}

void Engine::Implementation::guard(std::size_t device, const std::function<void()>& body) noexcept {
  if (stopped_) return;
  try {
    body();
  } catch (...) {  // C code of StarPU called this, so nothing may be thrown here
    const std::scoped_lock lock(mutex);
    if (!error_) error_ = named(profiles[device].name, std::current_exception());
    stopped_ = true;
  }
}

void Engine::Implementation::rethrow() {
  std::exception_ptr error;
  {
    const std::scoped_lock lock(mutex);
    error = std::exchange(error_, nullptr);
    stopped_ = false;
  }
  if (error) std::rethrow_exception(error);
}

std::uint64_t Engine::Implementation::matrix_bytes(std::size_t device) const {
  if (options.memory_bytes) return *options.memory_bytes;
  // Leaves memory for the kernels' workspace and for other programs; ranks may share a device.
  const std::uint64_t sharing = static_cast<std::uint64_t>(ranks.local_count());
  return profiles[device].global_mem_bytes / 10 * 9 /
         (profiles[device].type == DeviceType::cpu ? 2 * sharing : 1);
}

Engine::Engine(const EngineOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
Engine::~Engine() {
  // See ~DistributedLu().
  if (has_ranks() && std::uncaught_exceptions() > 0) (void)implementation_.release();
}

int Engine::rank() const { return implementation_->ranks.rank(); }
int Engine::ranks() const { return implementation_->ranks.count(); }
const std::vector<DeviceProfile>& Engine::devices() const { return implementation_->profiles; }
std::vector<StepRecord> Engine::steps() const { return implementation_->records; }
void Engine::together(const std::function<void()>& body) const {
  implementation_->ranks.together(body);
}
const Ranks& Engine::world() const { return implementation_->ranks; }

std::vector<DeviceUse> Engine::use() const {
  std::vector<DeviceUse> all;
  for (std::size_t device = 0; device < implementation_->workers.size(); ++device) {
    const Implementation::Worker& worker = implementation_->workers[device];
    DeviceUse use{implementation_->profiles[device].name};
    starpu_profiling_worker_info info{};
    starpu_profiling_worker_get_info(worker.id, &info);
    use.busy_s = seconds(info.executing_time);
    use.waiting_s = std::max(0.0, seconds(info.total_time) - use.busy_s);
    const auto moved = [&](unsigned from, unsigned to) -> std::uint64_t {
      starpu_profiling_bus_info bus{};
      const int id = starpu_bus_get_id(static_cast<int>(from), static_cast<int>(to));
      if (id < 0 || starpu_bus_get_profiling_info(id, &bus) != 0) return 0;
      return bus.transferred_bytes;
    };
    use.bytes_in = moved(STARPU_MAIN_RAM, worker.node);
    use.bytes_out = moved(worker.node, STARPU_MAIN_RAM);
    all.push_back(use);
  }
  return all;
}

}  // namespace clgauss
