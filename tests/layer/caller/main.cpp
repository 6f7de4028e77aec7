// A program of OpenCL as others are, which tells on stdout all that it can see of its launches:
// `layer_caller CASE [PLATFORM]`. Whether it runs with the layer or without, it must say the same.
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "cases.hpp"
#include "machine.hpp"

int main(int argc, char** argv) {
  using namespace caller;
  static const std::map<std::string, void (*)(cl_device_id)> cases{
      {"kernels", run_kernels},
      {"profiled", run_profiled},
      {"events", run_events},
      {"unordered", run_unordered},
      {"user-events", run_user_events},
      {"errors", run_errors},
      {"threads", run_threads},
      {"objects", run_objects},
      {"included", run_included},
      {"saved", run_saved},
      {"saved-short", run_saved_short},
      {"saved-behind", run_saved_behind},
      {"linked", run_linked},
      {"devices", run_devices},
      {"newer", run_newer},
      {"short", run_short}};
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
    const auto found = cases.find(what);
    if (found == cases.end()) end_early(what, device);
    found->second(device);
  }
}
