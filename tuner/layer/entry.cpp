/// What a loader of OpenCL looks for in a layer, and the calls that the layer stands in for. All
/// others go to the drivers as they are.
#include <CL/cl_layer.h>
#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>

#include "tuner/layer/report.hpp"
#include "tuner/layer/watcher.hpp"

#define LAYER_EXPORT CL_API_ENTRY __attribute__((visibility("default")))

namespace clgauss::layer {

namespace {

// Of the process, as the loader's table of calls is. Never destroyed: a program may call OpenCL
// while it ends.
const Drivers* drivers = nullptr;
Drivers layer{};
Watcher* watcher = nullptr;
std::atomic<bool> is_child = false;  // forked from a process that had the layer: only the drivers

/// Does `what` with the watcher; what goes wrong in it is not the program's concern.
template <typename What>
void watch(const What& what) {
  if (is_child) return;
  try {
    what(*watcher);
  } catch (const std::exception&) {
    // The program goes on as without the layer.
  }
}

/// For std::atexit: no driver may be called any more.
void tell() {
  watch([](const Watcher& seen) {
    const Settings& settings = seen.settings();
    seen.read([&](const std::vector<const Site*>& sites) {
      if (settings.json.empty()) {
        std::fputs(report(sites, settings.repair).c_str(), stderr);
      } else {
        std::ofstream file(settings.json);
        file << as_json(sites, settings.repair)
                    .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
             << '\n';
        if (!file.flush())
          fmt::print(stderr, "clgauss: {}: {}\n", settings.json, std::strerror(errno));
      }
      if (!settings.explain.empty())
        std::fputs(explanation(sites, settings.explain).c_str(), stderr);
    });
  });
}

void harvest() {
  watch([](Watcher& seen) { seen.harvest(); });
}

// Objects that come to be: their handles may have been others' before.

void CL_API_CALL forget(cl_kernel kernel) {
  watch([&](Watcher& seen) { seen.forget_kernel(kernel); });
}
void CL_API_CALL forget(cl_program program) {
  watch([&](Watcher& seen) { seen.add_program(program, {}); });
}

/// A call of which the result is a new kernel or program.
template <auto Member, typename Function>
struct Making;
template <auto Member, typename Result, typename... Arguments>
struct Making<Member, Result(CL_API_CALL*)(Arguments...)> {
  static Result CL_API_CALL make(Arguments... arguments) {
    const Result made = (drivers->*Member)(arguments...);
    if (made != nullptr) forget(made);
    return made;
  }
};

/// A call that builds a program, its first argument. The program may ask for its binaries, or be
/// asked for its options by another thread, before the call is over.
template <auto Member, typename Function>
struct Building;
template <auto Member, typename Result, typename... Arguments>
struct Building<Member, Result(CL_API_CALL*)(cl_program, Arguments...)> {
  static Result CL_API_CALL make(cl_program program, Arguments... arguments) {
    const auto forget_build = [&](Watcher& seen) { seen.forget_build(program); };
    watch(forget_build);
    const Result result = (drivers->*Member)(program, arguments...);
    watch(forget_build);
    return result;
  }
};

/// A call behind which launches may have ended.
template <auto Member, typename Function>
struct Waiting;
template <auto Member, typename Result, typename... Arguments>
struct Waiting<Member, Result(CL_API_CALL*)(Arguments...)> {
  static Result CL_API_CALL make(Arguments... arguments) {
    const Result result = (drivers->*Member)(arguments...);
    harvest();
    return result;
  }
};

/// A transfer whose third argument says whether it waits for its end.
template <auto Member, typename Function>
struct Transferring;
template <auto Member, typename Result, typename... Arguments>
struct Transferring<Member, Result(CL_API_CALL*)(cl_command_queue, cl_mem, cl_bool, Arguments...)> {
  static Result CL_API_CALL make(cl_command_queue queue, cl_mem memory, cl_bool waits,
                                 Arguments... arguments) {
    const Result result = (drivers->*Member)(queue, memory, waits, arguments...);
    if (waits != CL_FALSE) harvest();
    return result;
  }
};

cl_int CL_API_CALL create_kernels(cl_program program, cl_uint most, cl_kernel* kernels,
                                  cl_uint* count) {
  cl_uint made = 0;
  const cl_int result = drivers->clCreateKernelsInProgram(program, most, kernels, &made);
  if (count != nullptr) *count = made;
  for (cl_uint i = 0; result == CL_SUCCESS && kernels != nullptr && i < made; ++i)
    forget(kernels[i]);
  return result;
}

cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count,
                                          const cl_device_id* devices, const std::size_t* sizes,
                                          const unsigned char** binaries, cl_int* status,
                                          cl_int* error) {
  const cl_program program =
      drivers->clCreateProgramWithBinary(context, count, devices, sizes, binaries, status, error);
  if (program == nullptr) return program;
  forget(program);
  watch([&](Watcher& seen) {
    Origin origin;
    for (cl_uint i = 0; i < count; ++i)
      origin.binaries.emplace_back(
          devices[i], fingerprint({reinterpret_cast<const char*>(binaries[i]), sizes[i]}));
    seen.add_program(program, std::move(origin));
  });
  return program;
}

cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char** strings,
                                          const std::size_t* lengths, cl_int* error) {
  const cl_program program =
      drivers->clCreateProgramWithSource(context, count, strings, lengths, error);
  if (program != nullptr) watch([&](Watcher& seen) { seen.add_program(program, {true, {}}); });
  return program;
}

/// A program that asks for its binaries will come back with them.
cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info what, std::size_t size,
                                    void* value, std::size_t* size_of_value) {
  const auto ask = [&] {
    return drivers->clGetProgramInfo(program, what, size, value, size_of_value);
  };
  if (what != CL_PROGRAM_BINARIES || value == nullptr) return ask();
  // Asked for first, as the program did: a binary may grow, but the program has room for no more.
  std::vector<cl_device_id> devices;
  std::vector<std::size_t> sizes;
  std::size_t builds = 0;
  const auto tells = [&](cl_program_info of, std::size_t bytes, void* place) {
    return drivers->clGetProgramInfo(program, of, bytes, place, nullptr) == CL_SUCCESS;
  };
  watch([&](Watcher& seen) {
    cl_uint count = 0;
    if (!tells(CL_PROGRAM_NUM_DEVICES, sizeof count, &count) || size / sizeof(char*) < count)
      return;
    builds = seen.builds_of(program);
    std::vector<cl_device_id> told(count);
    sizes.resize(count);
    if (tells(CL_PROGRAM_DEVICES, count * sizeof told[0], told.data()) &&
        tells(CL_PROGRAM_BINARY_SIZES, count * sizeof sizes[0], sizes.data()))
      devices = std::move(told);
  });
  const cl_int result = ask();
  if (result != CL_SUCCESS || devices.empty()) return result;
  watch([&](Watcher& seen) {
    const char* const* const binaries = static_cast<const char* const*>(value);
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (binaries[i] != nullptr && sizes[i] > 0)
        seen.see_binary(program, builds, devices[i], {binaries[i], sizes[i]});
  });
  return result;
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* error) {
  const bool hides = !is_child && (properties & CL_QUEUE_PROFILING_ENABLE) == 0;
  cl_command_queue queue = nullptr;
  if (hides)
    queue = drivers->clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE,
                                          error);
  const bool is_hidden = queue != nullptr;
  if (queue == nullptr) queue = drivers->clCreateCommandQueue(context, device, properties, error);
  if (queue != nullptr)
    watch([&](Watcher& seen) { seen.add_queue(queue, is_hidden, std::nullopt); });
  return queue;
}

/// The list of properties as given, with its final zero; empty for none.
std::vector<cl_queue_properties> list_of(const cl_queue_properties* properties) {
  std::vector<cl_queue_properties> list;
  if (properties == nullptr) return list;
  for (; *properties != 0; properties += 2) list.insert(list.end(), properties, properties + 2);
  list.push_back(0);
  return list;
}

/// The same with profiling; empty where it is there already, or the queue is a device's own.
std::vector<cl_queue_properties> profiling(std::vector<cl_queue_properties> list) {
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    if (list[i] != CL_QUEUE_PROPERTIES) continue;
    if ((list[i + 1] & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE)) != 0) return {};
    list[i + 1] |= CL_QUEUE_PROFILING_ENABLE;
    return list;
  }
  list.insert(list.begin(), {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE});
  if (list.size() == 2) list.push_back(0);
  return list;
}

cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                               const cl_queue_properties* properties,
                                               cl_int* error) {
  const std::vector<cl_queue_properties> given = list_of(properties);
  const std::vector<cl_queue_properties> added =
      is_child ? std::vector<cl_queue_properties>{} : profiling(given);
  cl_command_queue queue = nullptr;
  if (!added.empty())
    queue = drivers->clCreateCommandQueueWithProperties(context, device, added.data(), error);
  const bool is_hidden = queue != nullptr;
  if (queue == nullptr)
    queue = drivers->clCreateCommandQueueWithProperties(context, device, properties, error);
  if (queue != nullptr) watch([&](Watcher& seen) { seen.add_queue(queue, is_hidden, given); });
  return queue;
}

cl_int CL_API_CALL retain_queue(cl_command_queue queue) {
  const cl_int result = drivers->clRetainCommandQueue(queue);
  if (result == CL_SUCCESS) watch([&](Watcher& seen) { seen.retain_queue(queue); });
  return result;
}

cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  harvest();
  watch([&](Watcher& seen) { seen.release_queue(queue); });
  return drivers->clReleaseCommandQueue(queue);
}

/// Whether the layer, and not the program, asked for times of the queue; and its properties.
QueueRecord record_of(cl_command_queue queue) {
  QueueRecord record;
  if (queue != nullptr) watch([&](Watcher& seen) { record = seen.queue(queue); });
  return record;
}

cl_int CL_API_CALL get_queue_info(cl_command_queue queue, cl_command_queue_info what,
                                  std::size_t size, void* value, std::size_t* size_of_value) {
  const cl_int result = drivers->clGetCommandQueueInfo(queue, what, size, value, size_of_value);
  const bool is_told = what == CL_QUEUE_PROPERTIES || what == CL_QUEUE_PROPERTIES_ARRAY;
  if (!is_told || (result != CL_SUCCESS && what == CL_QUEUE_PROPERTIES)) return result;
  const QueueRecord record = record_of(queue);
  if (!record.hides_profiling) return result;
  if (what == CL_QUEUE_PROPERTIES) {
    if (value != nullptr)
      *static_cast<cl_command_queue_properties*>(value) &=
          ~cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE};
    return result;
  }
  if (!record.given) return result;
  const std::size_t bytes = record.given->size() * sizeof(cl_queue_properties);
  if (size_of_value != nullptr) *size_of_value = bytes;
  if (value == nullptr) return CL_SUCCESS;
  if (size < bytes) return CL_INVALID_VALUE;
  std::memcpy(value, record.given->data(), bytes);
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info what, std::size_t size, void* value,
                                  std::size_t* size_of_value) {
  const cl_int result = drivers->clGetEventInfo(event, what, size, value, size_of_value);
  if (result == CL_SUCCESS && what == CL_EVENT_REFERENCE_COUNT && value != nullptr)
    watch([&](Watcher& seen) { *static_cast<cl_uint*>(value) -= seen.held(event); });
  return result;
}

cl_int CL_API_CALL get_event_times(cl_event event, cl_profiling_info what, std::size_t size,
                                   void* value, std::size_t* size_of_value) {
  const auto queue = value_of<cl_command_queue>(
      asking(drivers->clGetEventInfo, event, cl_event_info{CL_EVENT_COMMAND_QUEUE}), nullptr);
  if (record_of(queue).hides_profiling) return CL_PROFILING_INFO_NOT_AVAILABLE;
  return drivers->clGetEventProfilingInfo(event, what, size, value, size_of_value);
}

cl_event CL_API_CALL create_user_event(cl_context context, cl_int* error) {
  watch([](Watcher& seen) { seen.see_user_event(); });
  return drivers->clCreateUserEvent(context, error);
}

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                  const std::size_t* offset, const std::size_t* global,
                                  const std::size_t* local, cl_uint waits,
                                  const cl_event* wait_list, cl_event* event) {
  const Launch launch{queue, kernel, dims, offset, global, local, waits, wait_list, event};
  if (is_child) return enqueue(*drivers, launch);
  return watcher->launch(launch);
}

void stand_in() {
#define STAND_IN(Kind, call)    \
  if (drivers->call != nullptr) \
  layer.call = Kind<&cl_icd_dispatch::call, decltype(cl_icd_dispatch::call)>::make
  STAND_IN(Making, clCreateKernel);
  STAND_IN(Making, clCloneKernel);
  STAND_IN(Making, clCreateProgramWithIL);
  STAND_IN(Making, clCreateProgramWithBuiltInKernels);
  STAND_IN(Making, clLinkProgram);
  STAND_IN(Building, clBuildProgram);
  STAND_IN(Building, clCompileProgram);
  STAND_IN(Waiting, clFinish);
  STAND_IN(Waiting, clWaitForEvents);
  STAND_IN(Transferring, clEnqueueReadBuffer);
  STAND_IN(Transferring, clEnqueueReadBufferRect);
  STAND_IN(Transferring, clEnqueueReadImage);
  STAND_IN(Transferring, clEnqueueMapBuffer);
  STAND_IN(Transferring, clEnqueueMapImage);
#undef STAND_IN
  layer.clCreateKernelsInProgram = create_kernels;
  layer.clCreateProgramWithSource = create_with_source;
  layer.clCreateProgramWithBinary = create_with_binary;
  layer.clGetProgramInfo = get_program_info;
  layer.clCreateCommandQueue = create_queue;
  layer.clCreateCommandQueueWithProperties = create_queue_with;
  layer.clRetainCommandQueue = retain_queue;
  layer.clReleaseCommandQueue = release_queue;
  layer.clGetCommandQueueInfo = get_queue_info;
  layer.clGetEventInfo = get_event_info;
  layer.clGetEventProfilingInfo = get_event_times;
  layer.clCreateUserEvent = create_user_event;
  layer.clEnqueueNDRangeKernel = enqueue_kernel;
}

}  // namespace

}  // namespace clgauss::layer

extern "C" {

LAYER_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, std::size_t size, void* value,
                                               std::size_t* size_of_value) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  constexpr char kName[] = "clgauss: work-group sizes";
  const auto answer = [&](const void* text, std::size_t bytes) {
    if (size_of_value != nullptr) *size_of_value = bytes;
    if (value == nullptr) return CL_SUCCESS;
    if (size < bytes) return CL_INVALID_VALUE;
    std::memcpy(value, text, bytes);
    return CL_SUCCESS;
  };
  if (what == CL_LAYER_API_VERSION) return answer(&kVersion, sizeof kVersion);
  if (what == CL_LAYER_NAME) return answer(kName, sizeof kName);
  return CL_INVALID_VALUE;
}

LAYER_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target,
                                            cl_uint* entries_of_layer,
                                            const cl_icd_dispatch** layer_dispatch) {
  using namespace clgauss::layer;
  if (entries < sizeof layer / sizeof(void*) || watcher != nullptr) return CL_INVALID_VALUE;
  try {
    watcher = new Watcher(*target, Settings::from_environment());
  } catch (const std::exception&) {
    return CL_OUT_OF_HOST_MEMORY;  // the loader goes on without the layer
  }
  drivers = target;
  layer = *target;
  stand_in();
  pthread_atfork(nullptr, nullptr, [] { is_child = true; });
  std::atexit(tell);
  *entries_of_layer = sizeof layer / sizeof(void*);
  *layer_dispatch = &layer;
  return CL_SUCCESS;
}

/// Loaders of today ask for this in place of clInitLayer; it has no property to heed.
LAYER_EXPORT cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries,
                                                          const cl_icd_dispatch* target,
                                                          cl_uint* entries_of_layer,
                                                          const cl_icd_dispatch** layer_dispatch,
                                                          const cl_properties*) {
  return clInitLayer(entries, target, entries_of_layer, layer_dispatch);
}

/// The report is written when the library is unloaded or the program ends.
LAYER_EXPORT cl_int CL_API_CALL clDeinitLayer() { return CL_SUCCESS; }
}
