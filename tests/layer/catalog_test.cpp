#include "tuner/layer/catalog.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "support/paths.hpp"

using namespace clgauss::layer;
using clgauss::test::TemporaryFolder;

namespace {

/// What a driver says, whatever it is asked about.
struct Said {
  std::string source = "kernel void a() {}", options = "-DN=3";
  std::string name = "a GPU", driver = "1.2.3", extensions = "cl_khr_fp64";
  cl_build_status status = CL_BUILD_SUCCESS;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
};
Said said;

cl_int answer(const void* data, std::size_t bytes, std::size_t size, void* value,
              std::size_t* size_of_value) {
  if (size_of_value != nullptr) *size_of_value = bytes;
  if (value == nullptr) return CL_SUCCESS;
  if (size < bytes) return CL_INVALID_VALUE;
  std::memcpy(value, data, bytes);
  return CL_SUCCESS;
}
template <typename... Rest>
cl_int answer(const std::string& text, Rest... rest) {
  return answer(text.c_str(), text.size() + 1, rest...);
}

Drivers drivers() {
  Drivers made{};
  made.clGetProgramInfo = [](cl_program, cl_program_info what, std::size_t size, void* value,
                             std::size_t* size_of_value) -> cl_int {
    if (what != CL_PROGRAM_SOURCE) return CL_INVALID_VALUE;
    return answer(said.source, size, value, size_of_value);
  };
  made.clGetProgramBuildInfo = [](cl_program, cl_device_id, cl_program_build_info what,
                                  std::size_t size, void* value,
                                  std::size_t* size_of_value) -> cl_int {
    if (what == CL_PROGRAM_BUILD_STATUS)
      return answer(&said.status, sizeof said.status, size, value, size_of_value);
    if (what == CL_PROGRAM_BINARY_TYPE)
      return answer(&said.type, sizeof said.type, size, value, size_of_value);
    return answer(said.options, size, value, size_of_value);
  };
  made.clGetDeviceInfo = [](cl_device_id, cl_device_info what, std::size_t size, void* value,
                            std::size_t* size_of_value) -> cl_int {
    if (what == CL_DEVICE_NAME) return answer(said.name, size, value, size_of_value);
    if (what == CL_DRIVER_VERSION) return answer(said.driver, size, value, size_of_value);
    if (what == CL_DEVICE_EXTENSIONS) return answer(said.extensions, size, value, size_of_value);
    return CL_INVALID_VALUE;
  };
  made.clGetPlatformInfo = [](cl_platform_id, cl_platform_info, std::size_t size, void* value,
                              std::size_t* size_of_value) -> cl_int {
    return answer("OpenCL 3.0", size, value, size_of_value);
  };
  // The handle of a queue is that of its device, and the handle of a kernel that of its program.
  made.clGetCommandQueueInfo = [](cl_command_queue queue, cl_command_queue_info what,
                                  std::size_t size, void* value,
                                  std::size_t* size_of_value) -> cl_int {
    if (what != CL_QUEUE_DEVICE) return CL_INVALID_VALUE;
    return answer(&queue, sizeof queue, size, value, size_of_value);
  };
  made.clGetKernelInfo = [](cl_kernel kernel, cl_kernel_info what, std::size_t size, void* value,
                            std::size_t* size_of_value) -> cl_int {
    if (what == CL_KERNEL_PROGRAM)
      return answer(&kernel, sizeof kernel, size, value, size_of_value);
    return answer("a", size, value, size_of_value);
  };
  return made;
}

cl_program program(std::uintptr_t number) { return reinterpret_cast<cl_program>(number); }

const auto kDevice = reinterpret_cast<cl_device_id>(1), kOther = reinterpret_cast<cl_device_id>(2);
const std::string kCode = "machine code";

/// One run of a program with the layer.
class LayerRun {
 public:
  explicit LayerRun(const TemporaryFolder& folder)
      : memory_(folder / "layer"), catalog_(drivers_, memory_) {}

  void make(std::uintptr_t number, const Origin& origin) {
    catalog_.add_program(program(number), origin);
  }
  void make_from_binary(std::uintptr_t number, const std::string& binary,
                        cl_device_id device = kDevice) {
    make(number, {false, {{device, fingerprint(binary)}}});
  }
  void build(std::uintptr_t number) { catalog_.forget_build(program(number)); }
  void see_binary(std::uintptr_t number, const std::string& binary) {
    catalog_.keep_text(program(number), kDevice, binary);
  }
  /// The text that a kernel of the program is taken to have; "-" if it is not known.
  std::string text(std::uintptr_t number, cl_device_id device = kDevice) {
    const ProgramText known = catalog_.program_of(kernel(number, device));
    return known.is_known() ? known.options + ": " + known.source : "-";
  }
  KernelRecord& kernel(std::uintptr_t number, cl_device_id device = kDevice) {
    const cl_kernel kernel = reinterpret_cast<cl_kernel>(number);
    catalog_.forget_kernel(kernel);
    const QueueRecord& queue = catalog_.queue(reinterpret_cast<cl_command_queue>(device), true);
    return catalog_.kernel(kernel, *queue.device);
  }
  const KernelText& judged(KernelRecord& kernel) const { return catalog_.text(kernel); }

 private:
  Drivers drivers_ = drivers();
  Memory memory_;
  Catalog catalog_;
};

}  // namespace

TEST_CASE("catalog: a program's text is the driver's only where the program gave it") {
  said = {};
  const TemporaryFolder folder;
  LayerRun run(folder);
  run.make(7, {true, {}});
  CHECK(run.text(7) == "-DN=3: kernel void a() {}");
  said.options = "-DN=4";  // built again
  run.build(7);
  CHECK(run.text(7) == "-DN=4: kernel void a() {}");
  run.make(7, {});  // linked, and the driver keeps a text beside its code
  CHECK(run.text(7) == "-");
  run.make_from_binary(7, kCode);
  CHECK(run.text(7) == "-");
  CHECK(run.text(8) == "-");
}

TEST_CASE("catalog: a program from a binary whose build was seen has its text") {
  said = {};
  const TemporaryFolder folder;
  {
    LayerRun first(folder);
    first.make(7, {true, {}});
    first.see_binary(7, kCode);
  }
  said.source = "another text", said.options = "-DN=5";
  LayerRun second(folder);
  const std::string text = "-DN=3: kernel void a() {}";
  second.make_from_binary(7, kCode);
  CHECK(second.text(7) == text);
  CHECK(second.text(7, kOther) == "-");  // it was made for one device
  second.build(7);
  CHECK(second.text(7) == text);
  second.see_binary(7, "other machine code of the same");
  second.make_from_binary(8, "other machine code of the same");
  CHECK(second.text(8) == text);
  second.make_from_binary(8, "machine codf");
  CHECK(second.text(8) == "-");
}

TEST_CASE("catalog: a binary's text is read when it is asked for, and may be gone by then") {
  said = {};
  const TemporaryFolder folder;
  std::string name;
  {
    LayerRun first(folder);
    first.make(7, {true, {}});
    first.see_binary(7, kCode);
    KernelRecord& kernel = first.kernel(7);
    CHECK(first.judged(kernel).size_is_hidden);
    name = kernel.program.name;
    CHECK_FALSE(name.empty());
  }
  LayerRun second(folder), third(folder);
  second.make_from_binary(7, kCode);
  third.make_from_binary(7, kCode);
  KernelRecord &kernel = second.kernel(7), &other = third.kernel(7);
  CHECK(kernel.program.name == name);
  CHECK(second.judged(kernel).size_is_hidden);
  std::filesystem::remove_all(folder / "layer");
  CHECK(second.judged(kernel).size_is_hidden);
  CHECK(other.program.name == name);
  CHECK_FALSE(third.judged(other).size_is_hidden);
  CHECK(third.judged(other).reason.find("not known") != std::string::npos);
  CHECK(other.program.name.empty());  // nothing is kept of it any more
}

TEST_CASE("catalog: a binary of another device, driver or language is another binary") {
  const TemporaryFolder folder;
  said = {};
  {
    LayerRun first(folder);
    first.make(7, {true, {}});
    first.see_binary(7, kCode);
  }
  for (std::string Said::*const part : {&Said::name, &Said::driver, &Said::extensions}) {
    said = {};
    said.*part += "2";
    LayerRun second(folder);
    second.make_from_binary(7, kCode);
    CHECK(second.text(7) == "-");
  }
}

TEST_CASE("catalog: no text is kept for what is not its program") {
  const TemporaryFolder folder;
  const auto kept = [&](const Origin& origin) {
    {
      LayerRun first(folder);
      first.make(7, origin);
      first.see_binary(7, kCode);
    }
    LayerRun second(folder);
    second.make_from_binary(7, kCode);
    return second.text(7) != "-";
  };
  said = {};
  said.type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  CHECK_FALSE(kept({true, {}}));
  said = {};
  said.status = CL_BUILD_IN_PROGRESS;
  CHECK_FALSE(kept({true, {}}));
  said = {};
  CHECK_FALSE(kept({}));
  CHECK(kept({true, {}}));
}
