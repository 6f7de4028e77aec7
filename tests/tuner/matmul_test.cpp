/// The rungs of the matmul reproductions against a plain product, on every device.

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "statistics.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "tuner/measure/latency.hpp"
#include "tuner/reproduce/matmul_cases.hpp"
#include "unwarmed.hpp"

namespace clgauss::tune {

namespace {

std::vector<float> plain_product(const Product& product) {
  const Index n = product.n();
  std::vector<float> c(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index k = 0; k < n; ++k)
        sum += static_cast<double>(product.a()[i * n + k]) *
               static_cast<double>(product.b()[k * n + j]);
      c[i * n + j] = static_cast<float>(sum);
    }
  return c;
}

/// Every rung is right, or says why the device cannot run it. Returns how many are right.
std::size_t check_rungs(MatmulBench& bench, const std::vector<float>& expected,
                        const std::vector<MatmulRung>& rungs) {
  std::size_t right = 0;
  for (const MatmulRung& rung : rungs) {
    CAPTURE(rung.name);
    CAPTURE(rung.parameters);
    const Outcome outcome = guarded_prepare([&] { return bench.multiply(rung.make()); }).outcome;
    CAPTURE(outcome.detail);
    if (outcome.status == Status::device_limit) {
      CHECK_FALSE(outcome.detail.empty());
      continue;
    }
    REQUIRE(outcome.status == Status::ok);
    const bool same = std::ranges::equal(bench.result(), expected);
    CHECK(same);
    if (same) ++right;
  }
  return right;
}

}  // namespace

TEST_CASE("the check of a product finds single wrong elements and NaN") {
  for (const Index n : {Index{1}, Index{33}}) {
    const Product product(n, 3);
    const std::vector<float> c = plain_product(product);
    CHECK(product.matches(c, n, n));
    for (const Index place : {Index{0}, n * n / 2, n * n - 1})
      for (const float wrong : {c[place] + 1, c[place] + 0.5F, std::nanf("")}) {
        std::vector<float> spoilt = c;
        spoilt[place] = wrong;
        CHECK_FALSE(product.matches(spoilt, n, n));
      }
  }
}

TEST_CASE("the check of a part of a product looks at that part only") {
  const Index n = 20;
  const Product product(n);
  std::vector<float> c = plain_product(product);
  c[n * n - 1] += 1;
  CHECK(product.matches(c, n - 1, n));
  CHECK(product.matches(c, n, n - 1));
  CHECK_FALSE(product.matches(c, n, n));
}

TEST_CASE("the CPU loops are right, whole and in part") {
  for (const Index n : {Index{1}, Index{7}, Index{32}, Index{33}, Index{100}}) {
    CAPTURE(n);
    const Product product(n);
    CpuMatrices matrices(product);
    for (const CpuLoop& loop : {cpu_naive(), cpu_buffered_column(), cpu_blocked(), openmp_ijk(),
                                openmp_ikj(), openmp_blocked()}) {
      CAPTURE(loop.name);
      CHECK(prepare_cpu(loop, matrices, n, kUnwarmed).outcome.status == Status::ok);
      CHECK(prepare_cpu(loop, matrices, (n + 1) / 2, kUnwarmed).outcome.status == Status::ok);
      CHECK(cpu_count(loop, n, false) == n);
      CHECK(cpu_count(loop, 2048, true) == 2048);
      CHECK(cpu_count(loop, 4096, false) < 4096);
      CHECK(cpu_count(loop, 4096, false) % kCpuBlock == 0);
    }
    if (has_openblas()) CHECK(prepare_openblas(matrices, kUnwarmed).outcome.status == Status::ok);
  }
}

TEST_CASE("a loop that is timed in part is scaled to the whole") {
  const Product product(64);
  CpuMatrices matrices(product);
  CpuLoop slow = cpu_naive();
  slow.multiply = [](Index n, Index count, const float* a, const float* b, float* c) {
    cpu_naive().multiply(n, count, a, b, c);
    std::this_thread::sleep_for(count * std::chrono::microseconds(100));
  };
  const Prepared part = prepare_cpu(slow, matrices, 32, {1, 60, {}});
  CHECK(part.expected_s >= 32 * 100e-6);
  REQUIRE(part.timed_ns);
  CHECK(part.timed_ns() >= 64 * 100e3);
  CHECK(prepare_cpu(cpu_naive(), matrices, 64, {1, 1e-9, {}}).outcome.status == Status::timeout);
}

TEST_CASE("every rung is right at every size on every device") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {Index{1}, Index{7}, Index{32}, Index{33}, Index{100}}) {
      CAPTURE(n);
      const Product product(n);
      const std::vector<float> expected = plain_product(product);
      MatmulBench bench(context, product, kUnwarmed);
      CHECK(check_rungs(bench, expected, ladder_rungs(context.profile(), n)) ==
            (n % 32 == 0 ? 16 : 15));
      CHECK(check_rungs(bench, expected, kernels_rungs(context, n)) >= 5);
      CHECK(check_rungs(bench, expected, steps_rungs(context.profile(), n)) == 9);
      CHECK(bench.multiply_by_gemm().outcome.status == Status::ok);
      CHECK(std::ranges::equal(bench.result(), expected));
      CHECK(bench.copy_in().outcome.status == Status::ok);
      CHECK(bench.copy_out().outcome.status == Status::ok);
    }
  });
}

TEST_CASE("a kernel that is wrong is found out, on every device") {
  const test::ChangedKernels kernels("matmul_steps.cl", "if (i < n && j < n) c[i * n + j] = sum;",
                                     "if (i < n && j + 1 < n) c[i * n + j] = sum;");
  test::on_every_device([&](const Device& device) {
    Context context(device, kernels.context_options());
    const Product product(33);
    MatmulBench bench(context, product, kUnwarmed);
    const auto rungs = steps_rungs(context.profile(), 33);
    REQUIRE(rungs[5].name == "gpu_tiles");  // the first kernel that stores in these words
    CHECK(bench.multiply(rungs[4].make()).outcome.status == Status::ok);
    CHECK(bench.multiply(rungs[5].make()).outcome.status == Status::wrong_result);
  });
}

TEST_CASE("what a device cannot do is a row that says why") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const auto status_of = [&](Index n, const MatmulKernel& kernel) {
      const Product product(n);
      MatmulBench bench(context, product, kUnwarmed);
      return guarded_prepare([&] { return bench.multiply(kernel); }).outcome;
    };
    MatmulKernel large = ladder_rungs(context.profile(), 8).front().make();
    large.local = {context.profile().max_work_group_size + 1, 1};
    const Outcome refused = status_of(8, large);
    CHECK(refused.status == Status::device_limit);
    CHECK(refused.detail.find("CL_DEVICE_MAX_WORK_") != std::string::npos);
    if (device.profile.attributes.nvidia) return;  // takes more local memory than it reports
    MatmulKernel hungry = ladder_rungs(context.profile(), 8)[1].make();
    hungry.local_bytes = device.profile.local_mem_bytes + 1;
    CHECK(status_of(8, hungry).detail.find("bytes of local memory") != std::string::npos);
  });
}

TEST_CASE("n that fits neither the device nor the check is one row") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const ExperimentInfo info{"matmul-ladder", "", "f32", "", "", device.profile};
    ReproduceOptions options;
    options.sizes = {65536, 100000};
    for (const auto& make : {matmul_kernels, matmul_cpu_gpu}) {
      const std::vector<Case> cases = make().cases({context, info, options});
      if (device.profile.global_mem_bytes > 3ULL * 65536 * 65536 * 4) continue;
      REQUIRE(cases.size() == 2);
      CHECK(cases[0].prepare().front().outcome.status == Status::device_limit);
      CHECK(cases[1].prepare().front().outcome.status == Status::constraint);
    }
  });
}

TEST_CASE(
    "latencies are those of a dependent access, and a chain that ends elsewhere is found out") {
  const test::ChangedKernels wrong("latency.cl", "for (uint s = 0; s < steps; ++s) at = next[at];",
                                   "for (uint s = 1; s < steps; ++s) at = next[at];");
  constexpr double kLeastNs = 0.1;  // no memory answers faster
  test::on_every_device([&](const Device& device) {
    Context context(device), broken(device, wrong.context_options());
    for (const Prepared& latency :
         {global_latency(context, 1U << 16U, kUnwarmed), local_latency(context, kUnwarmed)}) {
      CAPTURE(latency.outcome.detail);
      REQUIRE(latency.outcome.status == Status::ok);
      CHECK(median(time_at_once({5}, latency).times_ns) > kLeastNs);
    }
    CHECK(global_latency(broken, 1U << 16U, kUnwarmed).outcome.status == Status::wrong_result);
  });
}

TEST_CASE("findings put published and measured ratios side by side") {
  Row row;
  row.kernel = "kernel_1";
  row.parameters = "GROUP=8x1";
  row.n = 1000;
  row.time_ns = 2e6;
  Row cpu = row;
  cpu.kernel = "cpu_naive";
  cpu.parameters = "";
  cpu.time_ns = 6e6;
  const Findings findings = matmul_kernels().findings({cpu, row});
  REQUIRE(findings.tables.size() == 3);
  CHECK(findings.tables[2].rows.back().back().find("no sub-group shuffle") != std::string::npos);
  const auto& lines = findings.tables[0].rows;
  REQUIRE(lines.size() == 2);
  CHECK(lines[1][1] == "48.27 +- 0.01");
  CHECK(lines[1][2] == "90.25 +- 0.02");
  CHECK(lines[1][4] == "2 (single run)");
  CHECK(lines[1][5] == "3 +- 0");
  CHECK(text(findings).find("kernel_1, 8x1") != std::string::npos);
}

}  // namespace clgauss::tune
