#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "cases.hpp"
#include "machine.hpp"

namespace caller {

namespace {

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

constexpr Range kPrimeRange{1, {0, 0, 0}, {kLong, 1, 1}};

void launch_often(const Machine& on, cl_program program, const char* name, int times = kLaunches,
                  const Range& range = kPrimeRange, const std::size_t* local = nullptr) {
  cl_int code = 0;
  const cl_kernel kernel = clCreateKernel(program, name, &code);
  require(code, "clCreateKernel");
  Machine::set(kernel, on.y, on.x, kLong);
  for (int i = 0; i < times; ++i) require(launch(on, kernel, range, local), "launch");
  std::printf("%s: %016llx\n", name, static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
}

/// With `behind_others`, while the device is busy with launches that the layer leaves alone.
void launch_saved(cl_device_id device, int times, bool behind_others = false) {
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
  if (behind_others) {
    constexpr std::size_t kOne = 1;
    const cl_kernel slow = on.kernel("slow", kLong);
    for (int i = 0; i < 3; ++i) require(launch(on, slow, kPrimeRange, &kOne), "launch");
    clReleaseKernel(slow);
  }
  launch_often(on, on.program, "axpy", times);
  launch_often(on, on.program, "local_size", times);
  if (std::FILE* const file = std::fopen(path.c_str(), "w")) {
    std::fwrite(binary.data(), 1, binary.size(), file);
    std::fclose(file);
  }
}

}  // namespace

void run_saved(cl_device_id device) { launch_saved(device, kLaunches); }
void run_saved_short(cl_device_id device) { launch_saved(device, 2); }
void run_saved_behind(cl_device_id device) { launch_saved(device, 6, true); }

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

void run_newer(cl_device_id device) {
  const Machine on(device);
  const auto built = [&](const char* text, const char* options) {
    cl_int code = 0;
    const cl_program program = clCreateProgramWithSource(on.context, 1, &text, nullptr, &code);
    require(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &device, options, nullptr, nullptr);
    std::printf("%s: %s\n", options, code == CL_SUCCESS ? "built" : "not built");
    return std::pair(program, code == CL_SUCCESS);
  };
  constexpr Range kDividing{1, {0, 0, 0}, {100000, 1, 1}};
  const auto [sizes, has_sizes] = built(
      "kernel void linear(global float* y, global const float* x, uint n) {\n"
      "  y[get_global_linear_id()] = y[get_global_linear_id()] * 0.5f + x[get_global_id(0)];\n"
      "}\n"
      "kernel void local_linear(global float* y, global const float* x, uint n) {\n"
      "  y[get_global_id(0)] = (float)get_local_linear_id() + x[get_global_id(0)];\n"
      "}\n"
      "kernel void enqueued(global float* y, global const float* x, uint n) {\n"
      "  y[get_global_id(0)] = (float)(3 * get_enqueued_local_size(0) + get_local_size(0)) +\n"
      "                        x[get_global_id(0)];\n"
      "}\n"
      "kernel void blind(global float* y, global const float* x, uint n) {\n"
      "  y[get_global_id(0)] = y[get_global_id(0)] * 0.5f + x[get_global_id(0)];\n"
      "}\n",
      "-cl-std=CL3.0");
  if (has_sizes) {
    cl_bool smaller_groups = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof smaller_groups,
                    &smaller_groups, nullptr);
    for (const char* kernel : {"linear", "local_linear", "enqueued", "blind"}) {
      for (const Range& range : {kPrimeRange, kDividing})
        launch_often(on, sizes, kernel, kLaunches, range);
      const std::size_t own = 48;  // divides neither range
      if (smaller_groups == CL_TRUE) launch_often(on, sizes, kernel, kLaunches, kPrimeRange, &own);
    }
  }
  clReleaseProgram(sizes);
  const auto [printing, has_printing] = built(
      "kernel void printed(global float* y, global const float* x, uint n) {\n"
      "  size_t i = get_global_id(0);\n"
      "  y[i] = 2 * x[i];\n"
      "  if (i == 4242) printf(\"work-item %d of %d\\n\", (int)i, (int)n);\n"
      "}\n",
      "-w");
  if (has_printing)
    for (const Range& range : {kPrimeRange, kDividing})
      launch_often(on, printing, "printed", kLaunches, range);
  clReleaseProgram(printing);
}

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

}  // namespace caller
