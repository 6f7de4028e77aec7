// A program of OpenCL as others are, which tells on stdout all that it can see of its launches:
// `layer_caller CASE [PLATFORM]`. Whether it runs with the layer or without, it must say the same.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

namespace {

// Kernels that cannot tell how they are launched, and one for every way to tell.
constexpr const char* kText = R"CL(
#define ID get_global_id
#define PASTE(a, b) a##b
float weight(int k) { return exp(-0.1f * (float)(k * k)); }

kernel void axpy(global float* y, global const float* x, uint n) {
  size_t i = ID(0);
  if (i < n) y[i] = y[i] * 0.5f + 1.5f * x[i] + sin(x[i]);
}
kernel void blur(global float* y, global const float* x, uint n) {
  int c = ID(0), r = ID(1), width = n, height = WIDE;
  float sum = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc)
      sum += weight(dr + dc) * x[clamp(r + dr, 0, height - 1) * width + clamp(c + dc, 0, width - 1)];
  y[r * width + c] = sum;
}
kernel void slow(global float* y, global const float* x, uint n) {
  float value = x[ID(0)];
  for (int k = 0; k < 40; ++k) value = sin(value) + 0.1f;
  y[ID(0)] = value;
}
kernel void deep(global float* y, global const float* x, uint n) {
  size_t at = (ID(2) * DEEP + ID(1)) * n + ID(0);
  y[at] += sqrt(fabs(x[at])) + (float)ID(2);
}
kernel void local_size(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)get_local_size(0) + x[ID(0)];
}
kernel void group(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)(get_group_id(0) + get_num_groups(0)) + x[ID(0)];
}
kernel void pasted(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)PASTE(get_num, _groups)(0) + x[ID(0)];
}
kernel void local_id(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)get_local_id(0) + x[ID(0)];
}
kernel void global_size(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)get_global_size(0) + (float)get_global_offset(0) + x[ID(0)];
}
kernel void counted(global float* y, global const float* x, uint n) {
  atomic_inc((volatile global int*)y);
}
kernel void scratch(global float* y, global const float* x, uint n) {
  local float seen[1];
  if (get_local_id(0) == 0) seen[0] = x[ID(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[ID(0)] = seen[0];
}
kernel __attribute__((reqd_work_group_size(7, 1, 1)))
void required(global float* y, global const float* x, uint n) { y[ID(0)] = 2 * x[ID(0)]; }
// get_local_size( in a comment tells nothing
#line 7 "get_group_id(0)"
kernel void commented(global float* y, global const float* x, uint n) { y[ID(0)] += x[ID(0)]; }
)CL";

constexpr cl_uint kWidth = 211, kHeight = 101;  // primes
constexpr std::size_t kLong = 100003, kElements = 110000;
constexpr int kLaunches = 70;
constexpr cl_ulong kLeastTime_ns = 50;  // less is no time: a driver gives 1 where it measures none

void require(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, code);
  std::exit(1);
}

/// FNV-1a.
std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
  return hash;
}

/// One device with a context, its own unless one is given, a queue and two arrays of floats.
struct Machine {
  explicit Machine(cl_device_id id, cl_command_queue_properties properties = 0,
                   cl_context given = nullptr)
      : device(id), context(given) {
    cl_int code = 0;
    if (context != nullptr) clRetainContext(context);
    if (context == nullptr) context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    require(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device, properties, &code);
    require(code, "clCreateCommandQueue");
    std::vector<float> numbers(kElements);
    for (std::size_t i = 0; i < kElements; ++i)
      numbers[i] = static_cast<float>((i * 7919) % 1000) / 100 - 5;
    x = buffer(numbers);
    y = buffer(numbers);
    build({});
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() {
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  [[nodiscard]] cl_mem buffer(std::vector<float>& numbers) const {
    cl_int code = 0;
    const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       numbers.size() * sizeof(float), numbers.data(), &code);
    require(code, "clCreateBuffer");
    return made;
  }

  /// From the text, or from a binary.
  void build(const std::vector<unsigned char>& binary) {
    cl_int code = 0;
    const char* text = kText;
    const unsigned char* bytes = binary.data();
    const std::size_t size = binary.size();
    program = binary.empty()
                  ? clCreateProgramWithSource(context, 1, &text, nullptr, &code)
                  : clCreateProgramWithBinary(context, 1, &device, &size, &bytes, nullptr, &code);
    require(code, "clCreateProgram");
    require(clBuildProgram(program, 1, &device, "-w -DWIDE=101 -DDEEP=13", nullptr, nullptr),
            "clBuildProgram");
  }

  [[nodiscard]] cl_kernel kernel(const char* name, cl_uint n) const {
    cl_int code = 0;
    const cl_kernel made = clCreateKernel(program, name, &code);
    require(code, "clCreateKernel");
    set(made, y, x, n);
    return made;
  }
  static void set(cl_kernel kernel, cl_mem y, cl_mem x, cl_uint n) {
    require(clSetKernelArg(kernel, 0, sizeof y, &y), "clSetKernelArg");
    require(clSetKernelArg(kernel, 1, sizeof x, &x), "clSetKernelArg");
    require(clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
  }
  [[nodiscard]] std::uint64_t answer() const {
    std::vector<float> numbers(kElements);
    require(clEnqueueReadBuffer(queue, y, CL_TRUE, 0, kElements * sizeof(float), numbers.data(), 0,
                                nullptr, nullptr),
            "clEnqueueReadBuffer");
    return hash_of(numbers.data(), kElements * sizeof(float));
  }

  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program = nullptr;
  cl_mem x, y;
};

struct Range {
  cl_uint dims;
  std::array<std::size_t, 3> offset, size;
};

cl_int launch(const Machine& on, cl_kernel kernel, const Range& range,
              const std::size_t* local = nullptr, cl_event* event = nullptr,
              const std::vector<cl_event>& waits = {}) {
  return clEnqueueNDRangeKernel(on.queue, kernel, range.dims, range.offset.data(),
                                range.size.data(), local, static_cast<cl_uint>(waits.size()),
                                waits.empty() ? nullptr : waits.data(), event);
}

struct Case {
  const char* kernel;
  cl_uint n;
  Range range;
  std::size_t local = 0;  // NULL
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"axpy", kLong, {1, {0, 0, 0}, {kLong, 1, 1}}},
      {"axpy", kLong, {1, {1000, 0, 0}, {99003, 1, 1}}},  // with an offset
      {"blur", kWidth, {2, {0, 0, 0}, {kWidth, kHeight, 1}}},
      {"blur", kWidth, {2, {10, 2, 0}, {199, 97, 1}}},
      {"deep", 67, {3, {0, 0, 0}, {67, 13, 11}}},
      {"axpy", 100000, {1, {0, 0, 0}, {100000, 1, 1}}},  // divides well
      {"commented", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"local_size", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"group", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"pasted", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"local_id", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"global_size", 9973, {1, {5, 0, 0}, {9973, 1, 1}}},
      {"counted", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"scratch", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"required", 9975, {1, {0, 0, 0}, {9975, 1, 1}}, 7},
      {"axpy", 100000, {1, {0, 0, 0}, {100000, 1, 1}}, 32}};
  return all;
}

void run_kernels(cl_device_id device, cl_command_queue_properties properties) {
  for (const Case& one : cases()) {
    const Machine on(device, properties);
    const cl_kernel kernel = on.kernel(one.kernel, one.n);
    std::vector<std::uint64_t> answers;
    for (int i = 0; i < kLaunches; ++i) {
      require(launch(on, kernel, one.range, one.local > 0 ? &one.local : nullptr), one.kernel);
      if (i % 8 == 0) answers.push_back(on.answer());
    }
    answers.push_back(on.answer());
    std::printf("%s %zu: %016llx\n", one.kernel, one.range.size[0],
                static_cast<unsigned long long>(
                    hash_of(answers.data(), answers.size() * sizeof answers[0])));
    clReleaseKernel(kernel);
  }
}

template <typename Value>
Value event_info(cl_event event, cl_event_info what) {
  Value value{};
  require(clGetEventInfo(event, what, sizeof value, &value, nullptr), "clGetEventInfo");
  return value;
}

std::atomic<int> called_back = 0;

/// Each launch has an event, waits for the one before, and tells what can be asked of it.
void run_events(cl_device_id device, cl_command_queue_properties properties) {
  const Machine on(device, properties);
  const bool profiles = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  cl_command_queue_properties told = 0;
  require(clGetCommandQueueInfo(on.queue, CL_QUEUE_PROPERTIES, sizeof told, &told, nullptr),
          "clGetCommandQueueInfo");
  std::printf("queue: %llu\n", static_cast<unsigned long long>(told));
  const cl_kernel kernel = on.kernel("axpy", kLong);
  const Range range{1, {0, 0, 0}, {kLong, 1, 1}};
  called_back = 0;
  std::map<std::string, int> seen;
  std::vector<cl_event> waits;
  for (int i = 0; i < kLaunches; ++i) {
    cl_event event = nullptr;
    require(launch(on, kernel, range, nullptr, &event, waits), "launch");
    clSetEventCallback(
        event, CL_COMPLETE, [](cl_event, cl_int, void*) { ++called_back; }, nullptr);
    require(clWaitForEvents(1, &event), "clWaitForEvents");
    cl_ulong start = 0, end = 0;
    const cl_int code =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    char line[200];
    std::snprintf(line, sizeof line, "event: type %x status %d queue %d code %d times %d",
                  event_info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE),
                  event_info<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS),
                  event_info<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE) == on.queue,
                  profiles ? code : 0, end > start + kLeastTime_ns);
    ++seen[line];
    for (const cl_event wait : waits) clReleaseEvent(wait);
    waits = {event};
  }
  require(clFinish(on.queue), "clFinish");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // drivers hold it a little longer
  std::printf("references: %u\n", event_info<cl_uint>(waits[0], CL_EVENT_REFERENCE_COUNT));
  clReleaseEvent(waits[0]);
  for (int i = 0; i < 1000 && called_back < kLaunches; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (const auto& [line, times] : seen) std::printf("%s: %d times\n", line.c_str(), times);
  std::printf("called back %d times, answer %016llx\n", called_back.load(),
              static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
}

/// Launches that wait for what the program does later, and for what fails.
void run_user_events(cl_device_id device) {
  const Machine on(device);
  const cl_kernel kernel = on.kernel("axpy", kLong);
  const Range range{1, {0, 0, 0}, {kLong, 1, 1}};
  for (int i = 0; i < kLaunches; ++i) {
    const cl_event gate = clCreateUserEvent(on.context, nullptr);
    cl_event done = nullptr;
    require(launch(on, kernel, range, nullptr, &done, {gate}), "launch");
    require(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    require(clWaitForEvents(1, &done), "clWaitForEvents");
    clReleaseEvent(gate);
    clReleaseEvent(done);
  }
  std::printf("user events: %016llx\n", static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
}

/// What the drivers say to launches that cannot be.
void run_errors(cl_device_id device) {
  const Machine on(device);
  const cl_kernel kernel = on.kernel("axpy", kLong);
  const Range range{1, {0, 0, 0}, {kLong, 1, 1}};
  const std::size_t local = 64, huge = 1u << 20;
  const cl_kernel unset = clCreateKernel(on.program, "blur", nullptr);
  const auto say = [](const char* what, cl_int code) { std::printf("%s: %d\n", what, code); };
  for (int i = 0; i < kLaunches; ++i) require(launch(on, kernel, range), "launch");
  say("no queue", clEnqueueNDRangeKernel(nullptr, kernel, 1, nullptr, range.size.data(), nullptr, 0,
                                         nullptr, nullptr));
  for (const cl_uint dims : {0u, 4u})
    say("dimensions", clEnqueueNDRangeKernel(on.queue, kernel, dims, nullptr, range.size.data(),
                                             nullptr, 0, nullptr, nullptr));
  say("does not divide", launch(on, kernel, range, &local));
  say("too large", launch(on, kernel, {1, {0, 0, 0}, {huge, 1, 1}}, &huge));
  const cl_event no_event = nullptr;
  say("wait list", clEnqueueNDRangeKernel(on.queue, kernel, 1, nullptr, range.size.data(), nullptr,
                                          0, &no_event, nullptr));
  say("arguments not set", launch(on, unset, {2, {0, 0, 0}, {kWidth, kHeight, 1}}));
  say("finish", clFinish(on.queue));
  std::printf("answer %016llx\n", static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
  clReleaseKernel(unset);
}

/// Arguments that change between launches, from several threads, each with a context of its own.
void run_threads(cl_device_id device) {
  std::array<std::uint64_t, 4> answers{};
  std::vector<std::thread> threads;
  for (std::uint64_t& answer : answers)
    threads.emplace_back([&answer, device] {
      const Machine on(device);
      const cl_kernel kernel = on.kernel("axpy", kLong), other = on.kernel("blur", kWidth);
      for (int i = 0; i < kLaunches; ++i) {
        Machine::set(kernel, i % 2 == 0 ? on.y : on.x, i % 2 == 0 ? on.x : on.y, kLong);
        require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
        require(launch(on, other, {2, {0, 0, 0}, {kWidth, kHeight, 1}}), "launch");
      }
      answer = on.answer();
      clReleaseKernel(kernel);
      clReleaseKernel(other);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t answer : answers)
    std::printf("thread: %016llx\n", static_cast<unsigned long long>(answer));
}

using Binary = std::vector<unsigned char>;

/// One for each device of the program.
std::vector<Binary> binaries_of(cl_program program) {
  std::array<std::size_t, 4> sizes{};
  std::size_t bytes = 0;
  require(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes.data(), &bytes),
          "clGetProgramInfo");
  std::vector<Binary> binaries;
  std::vector<unsigned char*> places;
  for (std::size_t i = 0; i < bytes / sizeof sizes[0]; ++i) binaries.emplace_back(sizes[i]);
  for (Binary& binary : binaries) places.push_back(binary.data());
  require(clGetProgramInfo(program, CL_PROGRAM_BINARIES, bytes, places.data(), nullptr),
          "clGetProgramInfo");
  return binaries;
}

void launch_often(const Machine& on, cl_program program, const char* name) {
  cl_int code = 0;
  const cl_kernel kernel = clCreateKernel(program, name, &code);
  require(code, "clCreateKernel");
  Machine::set(kernel, on.y, on.x, kLong);
  for (int i = 0; i < kLaunches; ++i)
    require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
  std::printf("%s: %016llx\n", name, static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
}

/// As programs with a cache of their own: the binary of the last run, where there is one.
void run_saved(cl_device_id device) {
  std::array<char, 256> name{};
  clGetDeviceInfo(device, CL_DEVICE_NAME, name.size(), name.data(), nullptr);
  const std::string path = "saved " + std::to_string(hash_of(name.data(), name.size()));
  Machine on(device);
  if (std::FILE* const file = std::fopen(path.c_str(), "r")) {
    Binary binary(100 << 20);
    binary.resize(std::fread(binary.data(), 1, binary.size(), file));
    std::fclose(file);
    clReleaseProgram(on.program);
    on.build(binary);
  }
  const Binary binary = binaries_of(on.program)[0];
  launch_often(on, on.program, "axpy");
  launch_often(on, on.program, "local_size");
  if (std::FILE* const file = std::fopen(path.c_str(), "w")) {
    std::fwrite(binary.data(), 1, binary.size(), file);
    std::fclose(file);
  }
}

/// Two texts that are compiled by themselves and linked, and all that was made of them anew from
/// its binaries. One text calls what lets it tell its size in the other.
void run_linked(cl_device_id device) {
  const Machine on(device);
  const std::array<const char*, 2> texts{
      "float told(uint n);\n"
      "kernel void linked(global float* y, global const float* x, uint n) {\n"
      "  y[get_global_id(0)] = told(n) + x[get_global_id(0)];\n"
      "}\n",
      "float told(uint n) { return (float)get_local_size(0) + (float)n; }\n"};
  cl_int code = 0;
  const auto from = [&](const Binary& binary) {
    const unsigned char* bytes = binary.data();
    const std::size_t size = binary.size();
    const cl_program made =
        clCreateProgramWithBinary(on.context, 1, &device, &size, &bytes, nullptr, &code);
    require(code, "clCreateProgramWithBinary");
    return made;
  };
  std::vector<cl_program> objects;
  for (const char* text : texts) {
    objects.push_back(clCreateProgramWithSource(on.context, 1, &text, nullptr, &code));
    require(
        clCompileProgram(objects.back(), 1, &device, "-w", 0, nullptr, nullptr, nullptr, nullptr),
        "clCompileProgram");
  }
  for (const bool are_binaries : {false, true}) {
    if (are_binaries)
      for (cl_program& object : objects) {
        const Binary binary = binaries_of(object)[0];
        clReleaseProgram(object);
        object = from(binary);
      }
    const cl_program linked =
        clLinkProgram(on.context, 1, &device, "", 2, objects.data(), nullptr, nullptr, &code);
    require(code, "clLinkProgram");
    launch_often(on, linked, "linked");
    const cl_program again = from(binaries_of(linked)[0]);
    require(clBuildProgram(again, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    launch_often(on, again, "linked");
    clReleaseProgram(linked);
    clReleaseProgram(again);
  }
  for (const cl_program object : objects) clReleaseProgram(object);
}

/// Two programs for two devices; the second one can tell its size. Then one of the first one's
/// binary for one device and the second one's for the other. (PoCL 3.1 takes them in no other
/// order than that of the devices.)
void run_devices(cl_device_id first) {
  cl_platform_id platform = nullptr;
  std::array<cl_device_id, 2> devices{};
  cl_uint count = 0;
  clGetDeviceInfo(first, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices.data(), &count);
  if (count < 2) return;
  cl_int code = 0;
  const cl_context both = clCreateContext(nullptr, 2, devices.data(), nullptr, nullptr, &code);
  require(code, "clCreateContext");
  const std::array<Machine, 2> on{Machine(devices[0], 0, both), Machine(devices[1], 0, both)};
  const char* text =
      "kernel void told(global float* y, global const float* x, uint n) {\n"
      "#if TELLS\n"
      "  y[get_global_id(0)] = (float)get_local_size(0) + x[get_global_id(0)];\n"
      "#else\n"
      "  y[get_global_id(0)] = y[get_global_id(0)] * 0.5f + x[get_global_id(0)];\n"
      "#endif\n"
      "}\n";
  std::vector<std::vector<Binary>> binaries;
  for (const char* options : {"-DTELLS=0", "-DTELLS=1"}) {
    const cl_program program = clCreateProgramWithSource(both, 1, &text, nullptr, &code);
    require(code, "clCreateProgramWithSource");
    require(clBuildProgram(program, 2, devices.data(), options, nullptr, nullptr),
            "clBuildProgram");
    for (const Machine& each : on) launch_often(each, program, "told");
    binaries.push_back(binaries_of(program));
    clReleaseProgram(program);
  }
  const Binary &plain = binaries[0][0], &telling = binaries[1][1];
  const std::array<std::size_t, 2> sizes{plain.size(), telling.size()};
  std::array<const unsigned char*, 2> bytes{plain.data(), telling.data()};
  const cl_program mixed = clCreateProgramWithBinary(both, 2, devices.data(), sizes.data(),
                                                     bytes.data(), nullptr, &code);
  require(code, "clCreateProgramWithBinary");
  require(clBuildProgram(mixed, 2, devices.data(), "", nullptr, nullptr), "clBuildProgram");
  for (const Machine& each : on) launch_often(each, mixed, "told");
  clReleaseProgram(mixed);
  clReleaseContext(both);
}

/// A kernel object for each launch, made and released; then all again from the program's binary.
void run_objects(cl_device_id device) {
  Machine on(device);
  for (const bool from_binary : {false, true}) {
    if (from_binary) {
      const Binary binary = binaries_of(on.program)[0];
      clReleaseProgram(on.program);
      on.build(binary);
    }
    for (int i = 0; i < kLaunches; ++i) {
      const cl_kernel kernel = on.kernel(i % 2 == 0 ? "axpy" : "local_size", kLong);
      require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
      clReleaseKernel(kernel);
    }
    std::printf("objects: %016llx\n", static_cast<unsigned long long>(on.answer()));
  }
}

/// A text that includes a file which lets it tell its size, and which says after the build what
/// would not.
void run_included(cl_device_id device) {
  const Machine on(device);
  const char* text =
      "#include \"layer_caller.h\"\n"
      "kernel void included(global float* y, global const float* x, uint n) {\n"
      "  y[get_global_id(0)] = VALUE + x[get_global_id(0)];\n"
      "}\n";
  const auto write = [](const char* value) {
    std::FILE* const file = std::fopen("layer_caller.h", "w");
    if (file == nullptr) std::exit(1);
    std::fprintf(file, "#define VALUE %s\n", value);
    std::fclose(file);
  };
  write("(float)get_local_size(0)");
  cl_int code = 0;
  const cl_program program = clCreateProgramWithSource(on.context, 1, &text, nullptr, &code);
  require(clBuildProgram(program, 1, &device, "-I.", nullptr, nullptr), "clBuildProgram");
  write("1.0f");
  const cl_kernel kernel = clCreateKernel(program, "included", &code);
  require(code, "clCreateKernel");
  Machine::set(kernel, on.y, on.x, kLong);
  for (int i = 0; i < kLaunches; ++i)
    require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
  std::printf("included: %016llx\n", static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

/// Too few launches for the layer to decide anything, but long ones, so that it begins.
void run_short(cl_device_id device) {
  const Machine on(device);
  const cl_kernel kernel = on.kernel("slow", kLong);
  for (int i = 0; i < 20; ++i) {
    require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
    clFinish(on.queue);
  }
  clReleaseKernel(kernel);
}

/// Ends in a way that leaves all as it is.
[[noreturn]] void end_early(const std::string& how, cl_device_id device) {
  Machine on(device);
  const cl_kernel kernel = on.kernel("axpy", kLong);
  for (int i = 0; i < kLaunches; ++i)
    require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
  std::printf("answer %016llx\n", static_cast<unsigned long long>(on.answer()));
  std::fflush(stdout);
  if (how == "crash") std::abort();
  if (how == "fork") {
    const pid_t child = fork();
    if (child == 0) std::exit(3);  // not _exit(): what the layer registered runs
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child ended with %d\n", WEXITSTATUS(status));
  }
  std::exit(0);  // nothing is released
}

void run(const std::string& what, cl_device_id device) {
  if (what == "kernels") return run_kernels(device, 0);
  if (what == "profiled") return run_kernels(device, CL_QUEUE_PROFILING_ENABLE);
  if (what == "unordered") {
    cl_command_queue_properties can = 0;
    clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, nullptr);
    if ((can & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
      run_events(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    return;
  }
  if (what == "events") {
    run_events(device, 0);
    return run_events(device, CL_QUEUE_PROFILING_ENABLE);
  }
  if (what == "user-events") return run_user_events(device);
  if (what == "errors") return run_errors(device);
  if (what == "threads") return run_threads(device);
  if (what == "objects") return run_objects(device);
  if (what == "included") return run_included(device);
  if (what == "saved") return run_saved(device);
  if (what == "short") return run_short(device);
  if (what == "linked") return run_linked(device);
  if (what == "devices") return run_devices(device);
  end_early(what, device);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string what = argc > 1 ? argv[1] : "kernels", wanted = argc > 2 ? argv[2] : "";
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  require(clGetPlatformIDs(platforms.size(), platforms.data(), &count), "clGetPlatformIDs");
  for (cl_uint p = 0; p < count; ++p) {
    std::array<char, 256> name{};
    clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, name.size(), name.data(), nullptr);
    cl_device_id device = nullptr;
    cl_uint devices = 0;
    if (std::strstr(name.data(), wanted.c_str()) == nullptr ||
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, &devices) != CL_SUCCESS ||
        devices == 0)
      continue;
    std::printf("%s\n", name.data());
    run(what, device);
  }
}
