#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <fstream>

#include "support/devices.hpp"
#include "support/paths.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

constexpr cl_uint kCanary = 0xC0FFEE;

/// Counts how often each index of a width-by-height grid is visited by launches of `count_visits`.
class VisitGrid {
 public:
  VisitGrid(Context& context, std::size_t width, std::size_t height)
      : queue_(context.queue()), width_(width), visits_(width * height + 1, 0) {
    visits_.back() = kCanary;
    buffer_ = cl::Buffer(context.context(), CL_MEM_READ_WRITE, visits_.size() * sizeof(cl_uint));
    queue_.enqueueWriteBuffer(buffer_, CL_TRUE, 0, visits_.size() * sizeof(cl_uint),
                              visits_.data());
  }

  /// The work-items from `end` on in the first dimension return at once.
  void bind(Kernel& kernel, std::size_t end) {
    kernel.set_arguments(buffer_, cl_ulong{width_}, cl_ulong{end});
  }

  /// True if exactly the indices of `range` were visited, once each, and nothing behind the
  /// buffer's end was touched.
  bool covered_once_by(const NdRange& range) {
    queue_.enqueueReadBuffer(buffer_, CL_TRUE, 0, visits_.size() * sizeof(cl_uint), visits_.data());
    if (visits_.back() != kCanary) return false;
    for (std::size_t i = 0; i + 1 < visits_.size(); ++i) {
      const std::size_t x = i % width_, y = i / width_;
      const bool inside = x >= range.offset[0] && x < range.offset[0] + range.size[0] &&
                          y >= range.offset[1] && y < range.offset[1] + range.size[1];
      if (visits_[i] != (inside ? 1U : 0U)) return false;
    }
    return true;
  }

 private:
  cl::CommandQueue queue_;
  std::size_t width_;
  std::vector<cl_uint> visits_;
  cl::Buffer buffer_;
};

/// A context whose kernels are the test's own file visits.cl.
struct VisitContext {
  test::TemporaryFolder folder;
  Context context;
  Kernel kernel;

  explicit VisitContext(const Device& device) : context(device, with_kernel(folder)) {
    kernel = context.programs().kernel("visits.cl", "count_visits", {});
  }

  static ContextOptions with_kernel(const test::TemporaryFolder& folder) {
    std::ofstream(folder / "visits.cl")
        << "kernel void count_visits(global uint* visits, ulong width, ulong end) {\n"
           "  if (get_global_id(0) < end)\n"
           "    atomic_inc(&visits[get_global_id(1) * width + get_global_id(0)]);\n"
           "}\n";
    ContextOptions options = ContextOptions::from_environment();
    options.kernel_folder = folder.path();
    return options;
  }
};

}  // namespace

TEST_CASE("launches visit every index of their range exactly once") {
  on_every_device([](const Device& device) {
    VisitContext visit(device);
    const std::size_t limit = visit.kernel.work_group_limit;
    for (const std::string policy : {"driver", "lcm", "1", "7", "32", "192", "256"})
      for (const std::size_t size : {0, 1, 2, 31, 32, 33, 191, 192, 193, 509}) {
        CAPTURE(policy);
        CAPTURE(size);
        const WorkGroupPolicy rule = parse_work_group_policy(policy);
        if (rule.size > limit) continue;
        for (const NdRange& range :
             {range_1d(size), range_1d(size, 5), range_2d({size, 3}, {4, 2})}) {
          VisitGrid grid(visit.context, 520, 6);
          grid.bind(visit.kernel, range.offset[0] + range.size[0]);
          Launcher launcher(device.profile, visit.context.queue(), rule, SplitMode::automatic);
          launcher.launch(visit.kernel, range);
          CHECK(grid.covered_once_by(range));
          CHECK(launcher.records().size() <= 2);
          CHECK(launcher.main_launches() + launcher.remainder_launches() ==
                launcher.records().size());
        }
      }
  });
}

TEST_CASE("every way of launching visits every index once, in so many launches") {
  on_every_device([](const Device& device) {
    VisitContext visit(device);
    struct Way {
      SplitMode split;
      std::size_t launches;
    };
    for (const auto& [split, launches] : {Way{SplitMode::padded, 2},
                                          {SplitMode::exact, 2},
                                          {SplitMode::round_up, 1},
                                          {SplitMode::tall, 1}})
      for (const NdRange& range : {range_1d(101, 5), range_2d({101, 6}, {4, 0})}) {
        CAPTURE(split_mode_name(split));
        VisitGrid grid(visit.context, 520, 6);
        grid.bind(visit.kernel, range.offset[0] + range.size[0]);
        Launcher launcher(device.profile, visit.context.queue(), {WorkGroupPolicy::Rule::fixed, 32},
                          split);
        launcher.launch(visit.kernel, range);
        CHECK(grid.covered_once_by(range));
        REQUIRE(launcher.records().size() == launches);
        const LaunchRecord& last = launcher.records().back();
        if (split == SplitMode::exact) {
          CHECK(last.range.size[0] == 5);  // 101 = 3 * 32 + 5
          CHECK(last.local == 0);
          CHECK(last.remainder);
        }
        if (split == SplitMode::tall && range.dims == 2) {
          CHECK(last.local == 1);
          CHECK(last.local_rows == 6);
        }
      }
  });
}

TEST_CASE("what fits is one launch that leaves little beyond the end") {
  CHECK(largest_divisor(8006, 1024) == 2);    // 2 x 4003
  CHECK(largest_divisor(8011, 1024) == 1);    // a prime
  CHECK(largest_divisor(8001, 1024) == 889);  // 9 x 7 x 127
  CHECK(largest_divisor(1, 1) == 1);
  CHECK(fitting_size(1031, 512, 32) == 352);  // 3 x 352 = 1056
  CHECK(fitting_size(1013, 512, 32) == 512);
  CHECK(fitting_size(1079, 512, 32) == 384);  // 1152
  CHECK(fitting_size(4007, 512, 32) == 448);  // 9 x 448 = 4032
  CHECK(fitting_size(101, 512, 32) == 128);   // one group
  CHECK(fitting_size(101, 64, 32) == 64);
  CHECK(fitting_size(1031, 4096, 8) == 1032);
  CHECK(fitting_size(7, 512, 8) == 8);
  CHECK(fitting_size(7, 4, 8) == 4);
  CHECK(fitting_size(100, 64, 0) == 64);
  for (std::size_t range = 1; range < 3000; ++range) {
    const std::size_t size = fitting_size(range, 512, 32);
    const std::size_t beyond = (range + size - 1) / size * size - range;
    CHECK(size % 32 == 0);
    CHECK(size <= 512);
    CHECK((range <= 512 || size >= 320));
    for (const std::size_t other : {320U, 352U, 384U, 416U, 448U, 480U, 512U})
      if (range > 512) CHECK(beyond <= (range + other - 1) / other * other - range);
  }
  on_every_device([](const Device& device) {
    VisitContext visit(device);
    VisitGrid grid(visit.context, 520, 1);
    grid.bind(visit.kernel, 509);
    Launcher launcher(device.profile, visit.context.queue(), {WorkGroupPolicy::Rule::fit, 0},
                      SplitMode::automatic, 509);
    launcher.launch(visit.kernel, range_1d(509));
    CHECK(launcher.records().size() == 1);
    CHECK(grid.covered_once_by(range_1d(509)));
  });
}

TEST_CASE("the record of a split launch tells main from remainder") {
  on_every_device([](const Device& device) {
    VisitContext visit(device);
    VisitGrid grid(visit.context, 520, 1);
    grid.bind(visit.kernel, 101);
    Launcher launcher(device.profile, visit.context.queue(), {WorkGroupPolicy::Rule::fixed, 32},
                      SplitMode::automatic);
    launcher.launch(visit.kernel, range_1d(101));
    visit.context.queue().finish();
    const auto& records = launcher.records();
    REQUIRE(records.size() == 2);
    CHECK(records[0].kernel == "count_visits");
    CHECK_FALSE(records[0].remainder);
    CHECK(records[0].range.size[0] == 96);
    CHECK(records[0].local == 32);
    CHECK(records[1].remainder);
    CHECK(records[1].range.size[0] == 32);  // a whole group, which the kernel cuts at 101
    CHECK(records[1].range.offset[0] == 96);
    CHECK(records[1].local == 32);
    CHECK(grid.covered_once_by(range_1d(101)));
    CHECK_FALSE(records[0].time_ns.has_value());  // the queue has no profiling
  });
}

TEST_CASE(
    "no group is larger than the longest range, and a range can be one launch beyond its end") {
  on_every_device([](const Device& device) {
    VisitContext visit(device);
    VisitGrid grid(visit.context, 520, 1);
    grid.bind(visit.kernel, 40);
    const WorkGroupPolicy policy{WorkGroupPolicy::Rule::fixed, 64};
    Launcher longest(device.profile, visit.context.queue(), policy, SplitMode::automatic, 40);
    CHECK(longest.local_size_for(visit.kernel) == 40);
    longest.launch(visit.kernel, range_1d(40));
    REQUIRE(longest.records().size() == 1);
    CHECK(longest.records()[0].local == 40);
    CHECK(longest.records()[0].range.size[0] == 40);
    CHECK(grid.covered_once_by(range_1d(40)));

    VisitGrid other(visit.context, 520, 1);
    other.bind(visit.kernel, 101);
    Launcher whole(device.profile, visit.context.queue(), {WorkGroupPolicy::Rule::fixed, 32},
                   SplitMode::round_up);
    whole.launch(visit.kernel, range_1d(101));
    REQUIRE(whole.records().size() == 1);
    CHECK(whole.records()[0].range.size[0] == 128);
    CHECK(other.covered_once_by(range_1d(101)));
  });
}

TEST_CASE("events of a profiling queue end up in the records") {
  on_every_device([](const Device& device) {
    test::TemporaryFolder folder;
    ContextOptions options = VisitContext::with_kernel(folder);
    options.profiling = true;
    Context context(device, options);
    Kernel kernel = context.programs().kernel("visits.cl", "count_visits", {});
    VisitGrid grid(context, 520, 1);
    grid.bind(kernel, 500);
    Launcher launcher(device.profile, context.queue(), {WorkGroupPolicy::Rule::fixed, 32},
                      SplitMode::automatic);
    launcher.launch(kernel, range_1d(500));
    context.queue().finish();
    for (const LaunchRecord& record : launcher.records()) CHECK(record.time_ns.has_value());
  });
}

TEST_CASE(
    "a size that the device forbids, or that does not divide with split off, is refused by name") {
  on_every_device([](const Device& device) {
    VisitContext visit(device);
    VisitGrid grid(visit.context, 520, 1);
    grid.bind(visit.kernel, 101);
    const auto failure = [&](std::size_t local, SplitMode split) -> std::string {
      Launcher launcher(device.profile, visit.context.queue(),
                        {WorkGroupPolicy::Rule::fixed, local}, split);
      try {
        launcher.launch(visit.kernel, range_1d(101));
        visit.context.queue().finish();
      } catch (const DeviceLimit& error) {
        CHECK(launcher.records().empty());
        return error.what();
      }
      return "no failure";
    };
    CHECK(failure(device.profile.max_work_group_size + 1, SplitMode::automatic)
              .find("CL_DEVICE_MAX_WORK_GROUP_SIZE") != std::string::npos);
    CHECK(failure(32, SplitMode::off).find("does not divide") != std::string::npos);
    CHECK(failure(101, SplitMode::off) == "no failure");

    DeviceProfile narrow = device.profile;
    narrow.max_work_item_sizes[0] = 16;
    Launcher launcher(narrow, visit.context.queue(), {WorkGroupPolicy::Rule::fixed, 32},
                      SplitMode::automatic);
    CHECK_THROWS_WITH_AS(launcher.launch(visit.kernel, range_1d(101)),
                         doctest::Contains("CL_DEVICE_MAX_WORK_ITEM_SIZES[0]"), DeviceLimit);
    Kernel small = visit.kernel;
    small.work_group_limit = 16;
    Launcher other(device.profile, visit.context.queue(), {WorkGroupPolicy::Rule::fixed, 32},
                   SplitMode::automatic);
    CHECK_THROWS_WITH_AS(other.launch(small, range_1d(101)),
                         doctest::Contains("CL_KERNEL_WORK_GROUP_SIZE"), DeviceLimit);
  });
}
