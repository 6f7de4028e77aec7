#include <doctest/doctest.h>

#include "support/process.hpp"
#include "tuner/rows/t4.hpp"

using namespace clgauss::test;

TEST_CASE("reproduce: usage errors exit with 2, name the fault and leave nothing behind") {
  const TemporaryFolder folder;
  for (const std::string arguments :
       {"", "matmul", "all extra", "matmul-ladder --sizes 0", "matmul-ladder --sizes 8:4",
        "matmul-ladder --sizes many", "bandwidth --sizes 0", "bandwidth --local 0",
        "bandwidth --groups -1", "matmul-kernels --reps 0", "matmul-ladder --budget soon",
        "matmul-ladder --timeout 0", "matmul-ladder --nonsense"}) {
    CAPTURE(arguments);
    const auto result = run_tune(folder, "reproduce " + arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err.starts_with("clgauss-tune: "));
    CHECK(result.out.empty());
  }
  CHECK(run_tune(folder, "reproduce matmul").err.find("matmul-ladder, matmul-kernels") !=
        std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("reproduce: help has examples and the names") {
  const TemporaryFolder folder;
  const auto result = run_tune(folder, "reproduce --help");
  CHECK(result.exit_code == 0);
  for (const char* part :
       {"Examples:", "matmul-ladder", "matmul-kernels", "matmul-cpu-gpu", "bandwidth", "all"})
    CHECK(result.out.find(part) != std::string::npos);
}

TEST_CASE("reproduce: rows are kept, found again, and every experiment prints its table") {
  const TemporaryFolder folder;
  const std::string all =
      "reproduce all --sizes 64 --local 16,32 --groups 1,2 --reps 2 -q -o results "
      "--device pocl";
  const auto first = run_tune(folder, all);
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  for (const char* part : {"Vatutin", "tG / tS", "blocked_4 32", "Lopatin", "kernel_5, 128", "Zhao",
                           "gpu_unrolled", "Tutubalin", "write float4 by columns"}) {
    CAPTURE(part);
    CHECK(first.out.find(part) != std::string::npos);
  }
  const std::string rows = content_of(folder / "results/bandwidth/rows.csv");
  for (const char* name : {"matmul-ladder", "matmul-kernels", "matmul-cpu-gpu", "bandwidth"}) {
    CAPTURE(name);
    const auto t4 =
        clgauss::tune::read_t4((folder / ("results/" + std::string(name) + "/rows.json")).string());
    CHECK_FALSE(t4.results.empty());
  }
  CHECK(content_of(folder / "results/report.html").find("Tutubalin") != std::string::npos);
  const auto second = run_tune(folder, all);
  CHECK(second.exit_code == 0);
  CHECK(second.err.find("0 of ") != std::string::npos);
  CHECK(content_of(folder / "results/bandwidth/rows.csv") == rows);
}

TEST_CASE("reproduce: the budget ends it in good order") {
  const TemporaryFolder folder;
  const auto result = run_tune(
      folder, "reproduce matmul-kernels --sizes 64 --budget 0.000001s -q -o r --device pocl");
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("left: the budget is used up") != std::string::npos);
}
