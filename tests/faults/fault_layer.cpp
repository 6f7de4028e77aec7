// An OpenCL layer that makes calls fail. The ICD loader takes it from OPENCL_LAYERS; it stands
// between the program and the drivers, counts the program's calls from 1 and answers one of them
// itself:
//
//   CLGAUSS_FAULT_AT=k           the k-th call is not made and returns an error
//   CLGAUSS_FAULT_CALLS=name     only calls of this name are counted and logged; -name: all others,
//                                for how often a program asks whether something is done changes
//                                from run to run
//   CLGAUSS_FAULT_CODE=c         the error it returns; -5, CL_OUT_OF_RESOURCES, if not given
//   CLGAUSS_FAULT_LOG=file       the calls' names are appended to the file, one a line; with
//                                CLGAUSS_FAULT_AT only the one that failed
//   CLGAUSS_FAULT_ABORT=text     a clBuildProgram whose options contain the text ends the process,
//                                as a compiler's assertion does, or by CLGAUSS_FAULT_SIGNAL
//   CLGAUSS_FAULT_FLIP=j:w:mask  word w (32 bits, from 0) of what the j-th clEnqueueReadBuffer
//                                (from 1) returns is XORed with mask
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>

#include "faults/fault_layer.hpp"

// Every call that is not about images, pipes, shared virtual memory or another API's objects.
#define CALLS(CALL)                        \
  CALL(clGetPlatformIDs)                   \
  CALL(clGetPlatformInfo)                  \
  CALL(clGetDeviceIDs)                     \
  CALL(clGetDeviceInfo)                    \
  CALL(clRetainDevice)                     \
  CALL(clReleaseDevice)                    \
  CALL(clCreateContext)                    \
  CALL(clCreateContextFromType)            \
  CALL(clRetainContext)                    \
  CALL(clReleaseContext)                   \
  CALL(clGetContextInfo)                   \
  CALL(clCreateCommandQueue)               \
  CALL(clCreateCommandQueueWithProperties) \
  CALL(clRetainCommandQueue)               \
  CALL(clReleaseCommandQueue)              \
  CALL(clGetCommandQueueInfo)              \
  CALL(clCreateBuffer)                     \
  CALL(clCreateBufferWithProperties)       \
  CALL(clCreateSubBuffer)                  \
  CALL(clRetainMemObject)                  \
  CALL(clReleaseMemObject)                 \
  CALL(clGetMemObjectInfo)                 \
  CALL(clCreateProgramWithSource)          \
  CALL(clCreateProgramWithBinary)          \
  CALL(clRetainProgram)                    \
  CALL(clReleaseProgram)                   \
  CALL(clBuildProgram)                     \
  CALL(clCompileProgram)                   \
  CALL(clLinkProgram)                      \
  CALL(clGetProgramInfo)                   \
  CALL(clGetProgramBuildInfo)              \
  CALL(clCreateKernel)                     \
  CALL(clCreateKernelsInProgram)           \
  CALL(clRetainKernel)                     \
  CALL(clReleaseKernel)                    \
  CALL(clSetKernelArg)                     \
  CALL(clGetKernelInfo)                    \
  CALL(clGetKernelArgInfo)                 \
  CALL(clGetKernelWorkGroupInfo)           \
  CALL(clGetKernelSubGroupInfo)            \
  CALL(clWaitForEvents)                    \
  CALL(clGetEventInfo)                     \
  CALL(clSetEventCallback)                 \
  CALL(clCreateUserEvent)                  \
  CALL(clSetUserEventStatus)               \
  CALL(clRetainEvent)                      \
  CALL(clReleaseEvent)                     \
  CALL(clGetEventProfilingInfo)            \
  CALL(clFlush)                            \
  CALL(clFinish)                           \
  CALL(clEnqueueReadBuffer)                \
  CALL(clEnqueueWriteBuffer)               \
  CALL(clEnqueueCopyBuffer)                \
  CALL(clEnqueueReadBufferRect)            \
  CALL(clEnqueueWriteBufferRect)           \
  CALL(clEnqueueCopyBufferRect)            \
  CALL(clEnqueueFillBuffer)                \
  CALL(clEnqueueMigrateMemObjects)         \
  CALL(clEnqueueMapBuffer)                 \
  CALL(clEnqueueUnmapMemObject)            \
  CALL(clEnqueueNDRangeKernel)             \
  CALL(clEnqueueTask)                      \
  CALL(clEnqueueMarkerWithWaitList)        \
  CALL(clEnqueueBarrierWithWaitList)

namespace {

#define NAME(call) call##_,
enum class Call { CALLS(NAME) };
#undef NAME
#define NAME(call) #call,
constexpr const char* kNames[] = {CALLS(NAME)};
#undef NAME

const cl_icd_dispatch* drivers = nullptr;  // what stands behind the layer
cl_icd_dispatch layer{};

long number_in(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtol(text, nullptr, 0) : otherwise;
}

void log(Call call) {
  static const char* const file = std::getenv("CLGAUSS_FAULT_LOG");
  if (file == nullptr) return;
  static const int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = std::string(kNames[static_cast<int>(call)]) + '\n';
  if (write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::abort();
}

std::atomic<long> fails_at = number_in("CLGAUSS_FAULT_AT", 0);
std::atomic<long> calls = 0;
std::atomic<const char*> failed_call = nullptr;

bool is_counted(Call call) {
  static const std::string named = [] {
    const char* const text = std::getenv("CLGAUSS_FAULT_CALLS");
    return std::string(text != nullptr ? text : "-");
  }();
  const char* const name = kNames[static_cast<int>(call)];
  return named.starts_with('-') ? named.compare(1, std::string::npos, name) != 0 : named == name;
}

/// Counts the call; whether it is the one that is to fail.
bool is_to_fail(Call call) {
  if (!is_counted(call)) return false;
  const long at = fails_at;
  const bool fails = ++calls == at;
  if (fails) failed_call = kNames[static_cast<int>(call)];
  if (fails || at == 0) log(call);
  return fails;
}

cl_int fault_code() {
  static const long code = number_in("CLGAUSS_FAULT_CODE", CL_OUT_OF_RESOURCES);
  return static_cast<cl_int>(code);
}

/// Damages what the j-th read returned.
void flip(void* data, std::size_t bytes) {
  static const std::array<std::uint32_t, 3> what = [] {
    std::array<std::uint32_t, 3> read_word_mask{};
    const char* text = std::getenv("CLGAUSS_FAULT_FLIP");
    for (std::uint32_t& number : read_word_mask) {
      if (text == nullptr) break;
      number = static_cast<std::uint32_t>(std::strtoul(text, nullptr, 0));
      text = std::strchr(text, ':');
      if (text != nullptr) ++text;
    }
    return read_word_mask;
  }();
  static std::atomic<std::uint32_t> reads{0};
  const auto [read, word, mask] = what;
  const std::size_t begin = std::size_t{word} * sizeof mask;
  if (++reads != read || begin + sizeof mask > bytes) return;
  std::uint32_t value = 0;
  std::memcpy(&value, static_cast<char*>(data) + begin, sizeof value);
  value ^= mask;
  std::memcpy(static_cast<char*>(data) + begin, &value, sizeof value);
}

std::atomic<unsigned long> uploaded_bytes = 0;

/// Counts what a call of these arguments brings to a device.
template <Call call, typename Arguments>
void count_upload(const Arguments& all) {
  if constexpr (call == Call::clEnqueueWriteBuffer_) {
    uploaded_bytes += std::get<4>(all);
  } else if constexpr (call == Call::clEnqueueWriteBufferRect_) {
    const size_t* const region = std::get<5>(all);
    uploaded_bytes += region[0] * region[1] * region[2];
  } else if constexpr (call == Call::clEnqueueMapBuffer_) {
    if (std::get<3>(all) != CL_MAP_READ) uploaded_bytes += std::get<5>(all);
  }
}

/// Ends the process where these options of clBuildProgram are those to end at.
void end_at(const char* options) {
  static const char* const text = std::getenv("CLGAUSS_FAULT_ABORT");
  if (text == nullptr || options == nullptr || std::strstr(options, text) == nullptr) return;
  std::fputs("compiler.cc:1: an assertion of a test failed\n", stderr);
  std::raise(static_cast<int>(number_in("CLGAUSS_FAULT_SIGNAL", SIGABRT)));
  std::abort();  // where a handler of the driver's came back
}

/// Stands in for one function of the dispatch table.
template <Call, auto Member, typename Function>
struct Hook;

template <Call call, auto Member, typename Result, typename... Arguments>
struct Hook<call, Member, Result(CL_API_CALL*)(Arguments...)> {
  static Result CL_API_CALL make(Arguments... arguments) {
    if constexpr (call == Call::clBuildProgram_) end_at(std::get<3>(std::tuple(arguments...)));
    if (is_to_fail(call)) return failed(std::tuple<Arguments...>(arguments...));
    count_upload<call>(std::tuple<Arguments...>(arguments...));
    const Result result = (drivers->*Member)(arguments...);
    if constexpr (call == Call::clEnqueueReadBuffer_) {
      const std::tuple<Arguments...> all(arguments...);
      static const bool is_asked = std::getenv("CLGAUSS_FAULT_FLIP") != nullptr;
      if (result == CL_SUCCESS && is_asked) {
        if (std::get<2>(all) == CL_FALSE) drivers->clFinish(std::get<0>(all));  // it is there then
        flip(std::get<5>(all), std::get<4>(all));
      }
    }
    return result;
  }

  /// The error by the result, or, where that is an object, by the last argument.
  static Result failed(const std::tuple<Arguments...>& arguments) {
    if constexpr (std::is_same_v<Result, cl_int>) {
      return fault_code();
    } else {
      cl_int* const error = std::get<sizeof...(Arguments) - 1>(arguments);
      if (error != nullptr) *error = fault_code();
      return nullptr;
    }
  }
};

}  // namespace

extern "C" {

void clgauss_fail_call(long k) {
  calls = 0;
  failed_call = nullptr;
  fails_at = k;
}

const char* clgauss_failed_call() { return failed_call; }

unsigned long clgauss_uploaded_bytes() { return uploaded_bytes.exchange(0); }

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void* value,
                                               size_t* size_of_value) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  constexpr char kName[] = "clgauss faults";
  const auto answer = [&](const void* text, size_t bytes) {
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

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target,
                                            cl_uint* entries_of_layer,
                                            const cl_icd_dispatch** layer_dispatch) {
  if (entries < sizeof layer / sizeof(void*)) return CL_INVALID_VALUE;
  drivers = target;
  layer = *target;
#define SET(call) \
  layer.call = Hook<Call::call##_, &cl_icd_dispatch::call, decltype(cl_icd_dispatch::call)>::make;
  CALLS(SET)
#undef SET
  *entries_of_layer = sizeof layer / sizeof(void*);
  *layer_dispatch = &layer;
  return CL_SUCCESS;
}
}
