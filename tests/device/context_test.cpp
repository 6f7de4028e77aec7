#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <clgauss/error.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/devices.hpp"
#include "support/paths.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

TEST_CASE("every platform that this machine must have is there") {
  // test.sh names them, so that a driver that went missing is a failure and not a silent skip.
  const char* required = std::getenv("CLGAUSS_REQUIRED_DEVICES");
  std::vector<DeviceProfile> profiles;
  for (const Device& device : list_devices()) profiles.push_back(device.profile);
  CHECK_FALSE(profiles.empty());
  std::istringstream specs(required != nullptr ? required : "");
  for (std::string spec; specs >> spec;) {
    CAPTURE(spec);
    CHECK_NOTHROW((void)select_device(profiles, spec));
  }
}

TEST_CASE("what a device says of itself is usable") {
  on_every_device([](const Device& device) {
    const DeviceProfile& profile = device.profile;
    CHECK_FALSE(profile.name.empty());
    CHECK_FALSE(profile.driver_version.empty());
    CHECK(profile.compute_units > 0);
    CHECK(profile.max_work_group_size > 0);
    CHECK(profile.max_work_item_sizes[0] > 0);
    CHECK(profile.local_mem_bytes > 0);
    CHECK(profile.max_alloc_bytes <= profile.global_mem_bytes);
    CHECK_FALSE(profile.cores.source.empty());
  });
}

TEST_CASE("a device that says fp64 computes in fp64") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    // (1 + 2^-40) - 1 is 2^-40 in f64 and 0 in f32; gauss_fwd with a multiplier of 1 computes it.
    const System system{{2, 2, {1, 1, 1, 1 + 0x1p-40}}, {2, 1, {0, 0x1p-40}}};
    Launcher launcher(device.profile, context.queue(), {}, SplitMode::automatic);
    const EliminationResult result = gauss_solve(context, launcher, system, {});
    CHECK(result.pivots[1] == 0x1p-40);
    CHECK(result.x(1, 0) == 1);
  });
}

TEST_CASE("the last owner of a context waits for what is on its queue, flushed or not") {
  on_every_device([](const Device& device) {
    cl::Event end;
    {
      Context context(device, ContextOptions::from_environment());
      const cl::Buffer result = context.allocate(sizeof(cl_uint), "a test's number");
      Kernel kernel = context.programs().kernel("loop_probe.cl", "count_steps", {});
      kernel.set_arguments(result,
                           cl_uint{60000});  // llvmpipe does no more; all in all they take long
      enqueue_kernel(context.queue(), kernel, cl::NDRange(4096), cl::NDRange(1));
      context.queue().enqueueMarkerWithWaitList(nullptr, &end);
      context.queue().flush();
    }
    CHECK(end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE);
  });
}

TEST_CASE("a kernel is built once and kept") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const auto build = [&] {
      const double before = context.programs().build_seconds();
      (void)context.programs().kernel("gauss.cl", "gauss_fwd", real_defines(RealType::f32));
      return context.programs().build_seconds() - before;
    };
    CHECK(build() > 0);
    CHECK(build() == 0);
  });
}

TEST_CASE("programs that are built side by side are there when asked for, and announced") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    std::vector<std::string> heard;
    context.programs().announce_to([&](const std::string& what) { heard.push_back(what); });
    const Defines defines = real_defines(RealType::f32);
    context.programs().build_all({{"gauss.cl", defines},
                                  {"diagonal.cl", defines},
                                  {"diagonal.cl", defines},
                                  {"gauss.cl", {}}});
    CHECK(heard == std::vector<std::string>{"building the kernels: 0 of 3 programs",
                                            "building the kernels: 1 of 3 programs",
                                            "building the kernels: 2 of 3 programs"});
    const double before = context.programs().build_seconds();
    (void)context.programs().kernel("gauss.cl", "gauss_fwd", defines);
    (void)context.programs().kernel("diagonal.cl", "diagonal", defines);
    CHECK(context.programs().build_seconds() == before);
    // The one without its macros is left to be reported.
    CHECK_THROWS_AS((void)context.programs().kernel("gauss.cl", "gauss_fwd", {}), BuildError);
    CHECK(heard.back() == "building the kernels: gauss.cl");
  });
}

TEST_CASE("programs come back from the disk cache, and a binary that is none is rebuilt") {
  on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    const cl::Context context(device.handle);
    const auto built = [&] {
      ContextOptions options;
      options.cache_folder = folder.path();
      ProgramStore store(context, device.handle, options);
      return store.kernel("gauss.cl", "gauss_fwd", real_defines(RealType::f32)).work_group_limit;
    };
    const std::size_t limit = built();
    const auto entry = std::filesystem::directory_iterator(folder.path());
    if (device.profile.platform_name == "Portable Computing Language") {  // keeps them itself
      CHECK(entry == std::filesystem::directory_iterator());
      return;
    }
    REQUIRE(entry != std::filesystem::directory_iterator());
    CHECK(built() == limit);
    std::ofstream(entry->path(), std::ios::binary) << "garbage";
    CHECK(built() == limit);
  });
}

TEST_CASE(
    "a kernel that does not build gives its options and the driver's log with the file's name") {
  on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "broken.cl")
        << "// one line\nkernel void f(global float* a) { a[0] = undeclared_name; }\n";
    ContextOptions options = ContextOptions::from_environment();
    options.kernel_folder = folder.path();
    Context context(device, options);
    try {
      (void)context.programs().kernel("broken.cl", "f", {{"MARK", "17"}});
      FAIL("it must not build");
    } catch (const BuildError& error) {
      const std::string message = error.what();
      CHECK(message.find("-DMARK=17") != std::string::npos);
      CHECK(message.find("undeclared_name") != std::string::npos);
      CHECK(message.find("broken.cl") != std::string::npos);
    }
  });
}

TEST_CASE("a missing macro is a build error, not a default") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    CHECK_THROWS_WITH_AS((void)context.programs().kernel("gauss.cl", "gauss_fwd", {}),
                         doctest::Contains("REAL_BITS"), BuildError);
  });
}

TEST_CASE("too large a buffer is refused with what is needed and what is there") {
  on_every_device([](const Device& device) {
    const Context context(device, ContextOptions::from_environment());
    CHECK_THROWS_WITH_AS((void)context.allocate(std::uint64_t{1} << 50U, "the test matrix"),
                         doctest::Contains("the test matrix needs 1125899906.8 MB"), OutOfMemory);
  });
}

TEST_CASE("a context does not leave while its device works") {
  on_every_device([](const Device& device) {
    std::vector<cl::Event> events(50);
    {
      Context context(device);
      const cl::Buffer result = context.allocate(sizeof(cl_uint), "a test");
      Kernel loop = context.programs().kernel("loop_probe.cl", "count_steps", {});
      loop.set_arguments(result, cl_uint{1U << 22U});
      for (cl::Event& event : events)
        context.queue().enqueueNDRangeKernel(loop.handle, cl::NullRange, cl::NDRange(1),
                                             cl::NDRange(1), nullptr, &event);
    }
    CHECK(events.back().getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE);
  });
}
