// What `clgauss-tune watch --repair` is worth, and what it costs: see the usage.

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "clock.hpp"
#include "statistics.hpp"

namespace {

using namespace clgauss;
namespace fs = std::filesystem;

constexpr std::string_view usage =
    "usage: layer_bench LAYER [PAIRS [PLATFORM]]   launches with and without the layer\n"
    "       layer_bench LAYER overhead             what a launch costs with nothing to do\n"
    "LAYER is the path of libclgauss_layer.so. CSV on standard output. The first writes a row for\n"
    "each kernel and range on the first device of each platform of which the name has PLATFORM in\n"
    "it: the size is left to the driver; `alone_us` and `layer_us` are medians over PAIRS (3)\n"
    "alternated pairs of processes, each the median of 5 times per launch by the wall clock, once\n"
    "decisions are made, and `gain` is the median of the pairs' ratios, least and most beside it;\n"
    "`same` tells whether the answers were bit-identical.\n";

constexpr const char* kText = R"CL(
kernel void axpy(global float* y, global const float* x, int width, int height) {
  size_t i = get_global_id(0);
  y[i] = 0.5f * y[i] + 1.5f * x[i];
}
kernel void blur(global float* y, global const float* x, int width, int height) {
  int c = get_global_id(0), r = get_global_id(1);
  float sum = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc)
      sum += x[clamp(r + dr, 0, height - 1) * width + clamp(c + dc, 0, width - 1)];
  y[r * width + c] = sum / 9;
}
)CL";

struct Case {
  const char* kernel;
  std::array<std::size_t, 2> range;
};
constexpr Case kCases[] = {{"blur", {3821, 2161}}, {"blur", {4093, 4093}}, {"blur", {1919, 1079}},
                           {"blur", {1013, 769}},  {"blur", {1280, 720}},  {"blur", {1920, 1080}},
                           {"axpy", {1000003, 1}}, {"axpy", {16777259, 1}}};

void require(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  fmt::print(stderr, "layer_bench: {}: {}\n", what, code);
  std::exit(5);
}

std::string name_of(cl_platform_id platform) {
  std::array<char, 256> name{};
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size(), name.data(), nullptr);
  return name.data();
}

/// A row of the child: device, kernel, columns, rows, microseconds, sum of the answer's bits.
void time_case(cl_device_id device, const Case& one, int warmups) {
  cl_int code = 0;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  require(code, "clCreateContext");
  const cl_command_queue queue =
      clCreateCommandQueueWithProperties(context, device, nullptr, &code);
  require(code, "clCreateCommandQueueWithProperties");
  const char* text = kText;
  const cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &code);
  require(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  const cl_kernel kernel = clCreateKernel(program, one.kernel, &code);
  const std::size_t count = one.range[0] * one.range[1], bytes = count * sizeof(float);
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>((i * 7919) % 1000) / 100;
  const auto buffer = [&] {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, numbers.data(),
                          &code);
  };
  const cl_mem y = buffer(), x = buffer();
  require(code, "clCreateBuffer");
  const auto width = static_cast<cl_int>(one.range[0]), height = static_cast<cl_int>(one.range[1]);
  clSetKernelArg(kernel, 0, sizeof y, &y);
  clSetKernelArg(kernel, 1, sizeof x, &x);
  clSetKernelArg(kernel, 2, sizeof width, &width);
  clSetKernelArg(kernel, 3, sizeof height, &height);
  const auto launch = [&] {
    require(clEnqueueNDRangeKernel(queue, kernel, one.range[1] > 1 ? 2 : 1, nullptr,
                                   one.range.data(), nullptr, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
  };
  const auto time_of = [&](int launches) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) launch();
    clFinish(queue);
    return seconds_since(start) / launches;
  };
  constexpr int kTimes = 5;
  const auto begun = std::chrono::steady_clock::now();
  constexpr double kLongEnough_s = 1;  // for short launches; long ones need their number
  constexpr int kLaunchesOfTrial = 60;
  for (int i = 0; i < warmups; ++i) {
    if (i > kLaunchesOfTrial && seconds_since(begun) > kLongEnough_s) break;
    launch();
    clFinish(queue);
  }
  const double once = time_of(3);
  const int launches = static_cast<int>(std::clamp(0.1 / once, 3.0, 5000.0));
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) times.push_back(time_of(launches));
  // As many launches of blur give the same; of axpy their number counts, so begin anew.
  require(clEnqueueCopyBuffer(queue, x, y, 0, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueCopyBuffer");
  launch();
  require(clEnqueueReadBuffer(queue, y, CL_TRUE, 0, bytes, numbers.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  std::uint64_t sum = 0;
  for (const float number : numbers) sum = sum * 31 + std::bit_cast<std::uint32_t>(number);
  std::array<char, 256> name{};
  clGetDeviceInfo(device, CL_DEVICE_NAME, name.size(), name.data(), nullptr);
  fmt::print("{};{};{};{};{};{}\n", name.data(), one.kernel, one.range[0], one.range[1],
             1e6 * median(times), sum);
  std::fflush(stdout);
  clReleaseMemObject(x);
  clReleaseMemObject(y);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

void run_child(int warmups, const std::string& wanted) {
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  require(clGetPlatformIDs(platforms.size(), platforms.data(), &count), "clGetPlatformIDs");
  for (cl_uint p = 0; p < std::min<cl_uint>(count, platforms.size()); ++p) {
    cl_device_id device = nullptr;
    if (name_of(platforms[p]).find(wanted) == std::string::npos ||
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
      continue;
    for (const Case& one : kCases) time_case(device, one, warmups);
  }
}

struct Row {
  std::vector<double> alone_us, layer_us;
  std::string answer;
  bool same = true;
};

/// A child's rows, in their order, by all but their times.
void run_child_process(const std::string& environment, const std::string& self, int warmups,
                       const std::string& wanted, bool with_layer,
                       std::vector<std::pair<std::string, Row>>& rows) {
  const std::string command =
      fmt::format("{} '{}' child {} '{}' 2>/dev/null", environment, self, warmups, wanted);
  FILE* const child = popen(command.c_str(), "r");
  if (child == nullptr) return;
  std::array<char, 1024> line{};
  while (std::fgets(line.data(), line.size(), child) != nullptr) {
    std::vector<std::string> parts;
    std::istringstream in(line.data());
    for (std::string part; std::getline(in, part, ';');) parts.push_back(part);
    if (parts.size() != 6) continue;
    const std::string key = fmt::format("\"{}\",{},{},{}", parts[0], parts[1], parts[2], parts[3]);
    auto found = std::ranges::find(rows, key, &std::pair<std::string, Row>::first);
    if (found == rows.end()) found = rows.insert(rows.end(), {key, {}});
    Row& row = found->second;
    (with_layer ? row.layer_us : row.alone_us).push_back(std::stod(parts[4]));
    if (row.answer.empty()) row.answer = parts[5];
    row.same = row.same && row.answer == parts[5];
  }
  pclose(child);
}

int compare(const fs::path& layer, int pairs, const std::string& wanted) {
  std::string cache = (fs::temp_directory_path() / "layer_bench_XXXXXX").string();
  if (mkdtemp(cache.data()) == nullptr) return 5;
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::string with =
      fmt::format("XDG_CACHE_HOME='{}' OPENCL_LAYERS='{}' CLGAUSS_LAYER_REPAIR=1", cache,
                  fs::absolute(layer).string());
  const std::string without = fmt::format("XDG_CACHE_HOME='{}'", cache);
  std::vector<std::pair<std::string, Row>> rows, undecided;
  // A trial begins when 10 ms were spent, and takes 46 launches at most.
  constexpr int kToDecide = 2000, kToWarmUp = 3;
  run_child_process(with, self, kToDecide, wanted, true, undecided);
  for (int pair = 0; pair < pairs; ++pair) {
    run_child_process(without, self, kToWarmUp, wanted, false, rows);
    run_child_process(with, self, kToWarmUp, wanted, true, rows);
  }
  fmt::print("device,kernel,columns,rows,alone_us,layer_us,gain,least,most,same\n");
  for (const auto& [key, row] : rows) {
    std::vector<double> gains;
    for (std::size_t pair = 0; pair < std::min(row.alone_us.size(), row.layer_us.size()); ++pair)
      gains.push_back(row.alone_us[pair] / row.layer_us[pair]);
    if (gains.empty()) continue;
    const auto [least, most] = std::ranges::minmax(gains);
    fmt::print("{},{:.2f},{:.2f},{:.3f},{:.3f},{:.3f},{}\n", key, median(row.alone_us),
               median(row.layer_us), median(gains), least, most, row.same ? "yes" : "no");
  }
  fs::remove_all(cache);
  return 0;
}

// Drivers that do nothing, so that what is left is the layer's own time.

cl_int CL_API_CALL enqueue_nothing(cl_command_queue, cl_kernel, cl_uint, const std::size_t*,
                                   const std::size_t*, const std::size_t*, cl_uint, const cl_event*,
                                   cl_event* event) {
  if (event != nullptr) *event = reinterpret_cast<cl_event>(8);
  return CL_SUCCESS;
}

template <typename Function>
struct Nothing;
template <typename Result, typename... Arguments>
struct Nothing<Result(CL_API_CALL*)(Arguments...)> {
  /// Success, and zeros where something is asked for: size, value, size of the value come last.
  static Result CL_API_CALL make(Arguments... arguments) {
    const std::tuple<Arguments...> all(arguments...);
    if constexpr (sizeof...(Arguments) >= 4) {
      using Value = std::tuple_element_t<sizeof...(Arguments) - 2, std::tuple<Arguments...>>;
      if constexpr (std::is_same_v<Value, void*>) {
        if (std::get<sizeof...(Arguments) - 1>(all) != nullptr)
          *std::get<sizeof...(Arguments) - 1>(all) = 1;
        if (std::get<sizeof...(Arguments) - 2>(all) != nullptr)
          std::memset(std::get<sizeof...(Arguments) - 2>(all), profiled,
                      std::get<sizeof...(Arguments) - 3>(all));
      }
    }
    return Result{};
  }
  /// Of each byte that is answered: 2 says that a queue is profiled.
  static inline int profiled = 0;
};

int overhead(const fs::path& layer) {
  void* const library = dlopen(fs::absolute(layer).c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto init = reinterpret_cast<cl_int(CL_API_CALL*)(cl_uint, const cl_icd_dispatch*, cl_uint*,
                                                          const cl_icd_dispatch**)>(
      library != nullptr ? dlsym(library, "clInitLayer") : nullptr);
  if (init == nullptr) {
    fmt::print(stderr, "layer_bench: {}: no layer\n", layer.string());
    return 3;
  }
  cl_icd_dispatch drivers{};
#define NOTHING(call) drivers.call = Nothing<decltype(cl_icd_dispatch::call)>::make
  NOTHING(clGetKernelInfo);
  NOTHING(clGetKernelWorkGroupInfo);
  NOTHING(clGetCommandQueueInfo);
  NOTHING(clGetDeviceInfo);
  NOTHING(clGetPlatformInfo);
  NOTHING(clGetProgramInfo);
  NOTHING(clGetProgramBuildInfo);
  NOTHING(clGetEventInfo);
  NOTHING(clGetEventProfilingInfo);
  NOTHING(clRetainEvent);
  NOTHING(clReleaseEvent);
#undef NOTHING
  drivers.clEnqueueNDRangeKernel = enqueue_nothing;
  const cl_icd_dispatch* layered = nullptr;
  cl_uint entries = 0;
  if (init(sizeof drivers / sizeof(void*), &drivers, &entries, &layered) != CL_SUCCESS) return 5;
  const std::size_t global[] = {1000, 1000}, local[] = {10, 10};
  const auto time_ns = [&](const cl_icd_dispatch& table, std::size_t kernels, bool is_null,
                           std::size_t queue) {
    constexpr int kLaunches = 1000000;
    std::vector<double> times;
    for (int repetition = 0; repetition < 7; ++repetition) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kLaunches; ++i)
        table.clEnqueueNDRangeKernel(
            reinterpret_cast<cl_command_queue>(queue),
            reinterpret_cast<cl_kernel>(64 * (1 + static_cast<std::size_t>(i) % kernels)), 2,
            nullptr, global, is_null ? nullptr : local, 0, nullptr, nullptr);
      times.push_back(1e9 * seconds_since(start) / kLaunches);
    }
    return median(times);
  };
  fmt::print("queue,kernels,size,alone_ns,layer_ns\n");
  for (const int profiled : {0, 2}) {
    Nothing<decltype(cl_icd_dispatch::clGetCommandQueueInfo)>::profiled = profiled;
    for (const std::size_t kernels : {1, 8})
      for (const bool is_null : {false, true}) {
        const std::size_t queue = 4096u + static_cast<std::size_t>(profiled);
        fmt::print("{},{},{},{:.1f},{:.1f}\n", profiled != 0 ? "timed" : "plain", kernels,
                   is_null ? "NULL" : "own", time_ns(drivers, kernels, is_null, queue),
                   time_ns(*layered, kernels, is_null, queue));
      }
  }
  std::fflush(stdout);
  _exit(0);  // there is nothing to tell of launches that did nothing
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  if (given.empty() || given.size() > 3 || given[0].starts_with("-")) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  if (given[0] == "child") {
    run_child(std::stoi(given.at(1)), given.size() > 2 ? given[2] : "");
    return 0;
  }
  if (given.size() > 1 && given[1] == "overhead") return overhead(given[0]);
  return compare(given[0], given.size() > 1 ? std::stoi(given[1]) : 3,
                 given.size() > 2 ? given[2] : "");
}
