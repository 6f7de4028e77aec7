/// The memory walks of the bandwidth reproduction, on every device.

#include <doctest/doctest.h>

#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "tuner/reproduce/bandwidth_rates.hpp"
#include "tuner/reproduce/reproduction.hpp"
#include "unwarmed.hpp"

namespace clgauss::tune {

namespace {

std::vector<ArrayAccess> all_accesses() {
  std::vector<ArrayAccess> accesses;
  for (const bool write : {false, true})
    for (const bool by_columns : {false, true})
      for (const unsigned width : {1U, 4U}) accesses.push_back({write, by_columns, width});
  return accesses;
}

Row walk_row(const char* kernel, std::size_t local, const char* parameters, double ns) {
  Row row;
  row.kernel = kernel;
  row.variant = row.kernel == "empty" ? "" : "float";
  row.n = 100;
  row.local = local;
  row.parameters = parameters;
  row.work = row.kernel == "empty" ? 0 : 40000;
  row.time_ns = ns;
  return row;
}

}  // namespace

TEST_CASE("every walk over the array is right in ranges of all kinds, on every device") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const std::size_t size : {64U, 131U, 300U}) {
      CAPTURE(size);
      ArrayBench bench(context, size, kUnwarmed);
      for (const ArrayAccess& access : all_accesses()) {
        CAPTURE(access.kernel());
        CAPTURE(access.width);
        for (const GroupedRange& range :
             {GroupedRange{16, 3}, GroupedRange{33, 50}, GroupedRange{64, 400}}) {
          const Prepared walk = bench.walk(access, range);
          CAPTURE(walk.outcome.detail);
          CHECK(walk.outcome.status ==
                (size % access.width == 0 ? Status::ok : Status::constraint));
        }
      }
      CHECK(bench.copy().outcome.status == Status::ok);
      CHECK(bench.empty({64, 16}).outcome.status == Status::ok);
    }
  });
}

TEST_CASE("a walk that leaves a row out is found out, on every device") {
  const test::ChangedKernels kernels("bandwidth.cl", "row = get_group_id(0)",
                                     "row = get_group_id(0) + 1");
  test::on_every_device([&](const Device& device) {
    Context context(device, kernels.context_options());
    ArrayBench bench(context, 128, kUnwarmed);
    const Prepared read = bench.walk({false, false, 1}, {32, 64});
    CHECK(read.outcome.status == Status::wrong_result);
    CHECK_FALSE(read.timed_ns);
  });
}

TEST_CASE("a loop that a driver cuts off is a wrong result, never a time") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    ArrayBench bench(context, 300, kUnwarmed);
    const Prepared walk = bench.walk({false, false, 1}, {1, 1});  // 90000 rounds of one work-item
    CHECK(walk.outcome.status == (context.runs_long_loops() ? Status::ok : Status::wrong_result));
    CHECK(static_cast<bool>(walk.timed_ns) == (walk.outcome.status == Status::ok));
  });
}

TEST_CASE("walks, writes and a copy that share an array are timed in turns, on every device") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    ArrayBench bench(context, 256, kUnwarmed);
    // A later one needs more room for partial sums.
    const std::vector<Prepared> all{bench.walk({false, false, 1}, {16, 4}),
                                    bench.copy(),
                                    bench.walk({true, false, 4}, {32, 8}),
                                    bench.arithmetic({16, 4}),
                                    bench.empty({64, 16}),
                                    bench.walk({false, true, 1}, {64, 2000})};
    for (int round = 0; round < 3; ++round)
      for (const Prepared& one : all) {
        REQUIRE(one.timed_ns);
        CHECK(one.timed_ns() > 0);
      }
    const Prepared again = bench.walk({false, false, 1}, {16, 4});  // of the document's numbers
    CHECK(again.outcome.status == Status::ok);
  });
}

TEST_CASE("arrays and groups beyond the device are refused by name") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    ArrayBench bench(context, 64, kUnwarmed);
    const Prepared walk = guarded_prepare([&] {
      return bench.walk({false, false, 1}, {device.profile.max_work_group_size + 1, 4});
    });
    CHECK(walk.outcome.status == Status::device_limit);
    const ExperimentInfo info{"bandwidth", "", "f32", "", "", device.profile};
    ReproduceOptions options;
    options.sizes = {10000000};
    const std::vector<Case> cases = bandwidth().cases({context, info, options});
    REQUIRE(cases.size() == 1);
    CHECK(cases.front().prepare().front().outcome.status == Status::device_limit);
  });
}

TEST_CASE("the document's array is taken where it fits, else a smaller one") {
  DeviceProfile device;
  device.max_alloc_bytes = device.global_mem_bytes = 16ULL << 30U;
  CHECK(largest_array_size(device) == 12288);
  device.max_alloc_bytes = 256ULL << 20U;
  CHECK(largest_array_size(device) == 8192);
  device.global_mem_bytes = 64ULL << 20U;
  CHECK(largest_array_size(device) == 2048);
}

TEST_CASE("rates take the empty launch off") {
  const Measured measured(
      {walk_row("sum_rows", 64, "GROUPS=1024", 3000), walk_row("empty", 64, "GROUPS=1024", 1000),
       walk_row("sum_rows", 256, "GROUPS=7", 500), walk_row("empty", 256, "GROUPS=7", 600)});
  const Rates rates(measured, 100);
  REQUIRE(rates.over_locals(false).size() == 1);
  CHECK(rates.over_locals(false).front().gb_per_s == doctest::Approx(20));
  CHECK(rates.over_groups(false).empty());  // shorter than the launch: no rate
  CHECK_FALSE(rates.copy().has_value());
}

}  // namespace clgauss::tune
