// What a driver takes of a program's time by itself. A child process opens a device and a queue,
// makes a buffer as large as an n x n matrix of f64, writes a page of it, gives everything back and
// ends. Beside the rows `warm` of `clgauss-bench cold`, the difference is clgauss's.

#include <CL/cl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "clock.hpp"
#include "lap_timer.hpp"
#include "statistics.hpp"

namespace {

constexpr const char* kUsage =
    "usage: driver_bench DEVICE N [REPS]\n"
    "Times programs that do nothing but open the first device whose name or platform has DEVICE in "
    "it, make a buffer of N x N doubles, and end.\n"
    "Prints CSV: device,n,reps, and medians in ms: whole_ms of the process, and of its own clock "
    "find_ms (platforms and devices), open_ms (context and queue), buffer_ms, free_ms\n";

void check(cl_int error) {
  if (error != CL_SUCCESS) throw std::runtime_error(fmt::format("an OpenCL call gave {}", error));
}

template <typename Object, typename Info>
std::string text_of(cl_int (*get)(Object, Info, std::size_t, void*, std::size_t*), Object object,
                    Info what) {
  std::array<char, 256> text{};
  check(get(object, what, text.size() - 1, text.data(), nullptr));
  return text.data();
}

cl_device_id find(const std::string& word) {
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  check(clGetPlatformIDs(platforms.size(), platforms.data(), &count));
  for (cl_uint p = 0; p < count; ++p) {
    std::array<cl_device_id, 64> devices{};
    cl_uint found = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, devices.size(), devices.data(), &found) !=
        CL_SUCCESS)
      continue;
    for (cl_uint d = 0; d < found; ++d)
      if ((text_of(clGetPlatformInfo, platforms[p], cl_platform_info{CL_PLATFORM_NAME}) + '\n' +
           text_of(clGetDeviceInfo, devices[d], cl_device_info{CL_DEVICE_NAME}))
              .find(word) != std::string::npos)
        return devices[d];
  }
  throw std::runtime_error("there is no device " + word);
}

/// The child: prints the device's name and the milliseconds of each part.
void open_and_end(const std::string& word, std::size_t n) {
  clgauss::LapTimer timer;
  const cl_device_id device = find(word);
  const double finding = timer.lap();
  cl_int error = CL_SUCCESS;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  check(error);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error);
  const double opening = timer.lap();
  const std::vector<double> page(512);
  const cl_mem buffer = clCreateBuffer(
      context, CL_MEM_READ_WRITE, std::max(n * n, page.size()) * sizeof(double), nullptr, &error);
  check(error);
  check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, page.size() * sizeof(double), page.data(),
                             0, nullptr, nullptr));
  const double buffering = timer.lap();
  check(clReleaseMemObject(buffer));
  check(clReleaseCommandQueue(queue));
  check(clReleaseContext(context));
  fmt::print("{:.3f} {:.3f} {:.3f} {:.3f} {}\n", 1e3 * finding, 1e3 * opening, 1e3 * buffering,
             1e3 * timer.lap(), text_of(clGetDeviceInfo, device, cl_device_info{CL_DEVICE_NAME}));
}

struct Times {
  std::array<double, 5> ms{};  // of the whole, find, open, buffer, free
  std::string device;
};

Times run_child(const std::string& word, const std::string& n) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  Times times;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/proc/self/exe", "driver_bench", "--child", word.c_str(), n.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 512> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  times.ms[0] = 1e3 * clgauss::seconds_since(begin);
  std::array<char, 256> device{};
  if (status != 0 || std::sscanf(said.c_str(), "%lf %lf %lf %lf %255[^\n]", &times.ms[1],
                                 &times.ms[2], &times.ms[3], &times.ms[4], device.data()) != 5)
    throw std::runtime_error("the child failed");
  times.device = device.data();
  return times;
}

void measure(const std::string& word, const std::string& n, int reps) {
  std::array<std::vector<double>, 5> all;
  std::string device = run_child(word, n).device;  // and warms up
  for (int i = 0; i < reps; ++i) {
    const Times times = run_child(word, n);
    for (std::size_t part = 0; part < all.size(); ++part) all[part].push_back(times.ms[part]);
  }
  fmt::print("device,n,reps,whole_ms,find_ms,open_ms,buffer_ms,free_ms\n{},{},{}", device, n, reps);
  for (const auto& samples : all) fmt::print(",{:.1f}", clgauss::median(samples));
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 3 && words[0] == "--child")
      open_and_end(words[1], std::stoul(words[2]));
    else if (words.size() == 2 || words.size() == 3)
      measure(words[0], words[1], words.size() == 3 ? std::stoi(words[2]) : 5);
    else
      throw std::runtime_error(kUsage);
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
  }
}
