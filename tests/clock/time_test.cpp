// Where the time goes, that it adds up, that nothing is built in vain, and that a signal ends the
// program soon.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/npy.hpp"
#include "support/process.hpp"

using namespace clgauss::test;
using nlohmann::json;

namespace {

/// PoCL, with nothing built beforehand: its kernels go to folder / "pocl".
std::string cold_pocl(const TemporaryFolder& folder) {
  std::filesystem::create_directories(folder / "pocl");
  return "CLGAUSS_CACHE=off CLGAUSS_DEVICE=pocl POCL_CACHE_DIR='" + (folder / "pocl").string() +
         "'";
}

/// The work-group sizes that PoCL compiled each kernel for:
/// pocl/<program>/<kernel>/<x>-<y>-<z>[-<more>]/<kernel>.so.
std::map<std::string, std::set<std::string>> compiled(const TemporaryFolder& folder) {
  std::map<std::string, std::set<std::string>> sizes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "pocl"))
    if (entry.path().extension() == ".so")
      sizes[entry.path().stem()].insert(std::regex_replace(
          entry.path().parent_path().filename().string(), std::regex("-(goffs0|smallgrid).*"), ""));
  return sizes;
}

void check_that_parts_add_up(const json& time_s) {
  CAPTURE(time_s.dump());
  double sum = 0;
  for (const auto& [part, seconds] : time_s.items()) {
    CHECK(seconds.get<double>() >= 0);
    if (part != "total") sum += seconds.get<double>();
  }
  const double total = time_s["total"];
  CHECK(std::abs(total - sum) <= std::max(0.02 * total, 0.001));
}

}  // namespace

TEST_CASE("the parts of the time of a batch add up to the total, cold and warm") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", identities(50, 5));
  for (const char* state : {"cold", "warm"}) {
    CAPTURE(state);
    const auto result = run_program(
        folder, "solve --batched a.npy --rhs ones -o x.npy --json r.json", cold_pocl(folder));
    CHECK(result.exit_code == 0);
    check_that_parts_add_up(json::parse(content_of(folder / "r.json"))["time_s"]);
  }
}

TEST_CASE("the parts of the time add up to the total, cold and warm, whatever the method") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 400 --rhs none -o a.npy").exit_code == 0);
  REQUIRE(run_program(folder, "generate --kind random --n 130 --rhs none -o small.npy").exit_code ==
          0);
  for (const std::string solve :
       {"a.npy --rhs ones", "a.npy --rhs ones", "a.npy --rhs ones --in-place", "a.npy --rhs a.npy",
        "small.npy --rhs ones --method gauss",
        "small.npy --rhs ones --local 32 --ndrange shrinking"}) {
    CAPTURE(solve);
    const auto result =
        run_program(folder, "solve " + solve + " -o x.npy --json r.json", cold_pocl(folder));
    CHECK(result.exit_code == 0);
    const json time_s = json::parse(content_of(folder / "r.json"))["time_s"];
    for (const char* part : {"device", "read", "build", "upload", "forward", "backward", "download",
                             "check", "write", "free", "total"})
      CHECK(time_s.contains(part));
    check_that_parts_add_up(time_s);
    const std::string from_time = result.err.substr(result.err.find("\ntime ") + 1),
                      line = from_time.substr(0, from_time.find('\n'));
    for (const auto& [part, seconds] : time_s.items()) {
      CAPTURE(part);
      const bool told = line.find(" " + part + " ") != std::string::npos;
      CHECK(told == (part != "total" && seconds >= 0.01 * time_s["total"].get<double>()));
    }
  }
}

TEST_CASE("a first solve by LU compiles its own kernels, each once, and before the factorisation") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 300 --rhs none -o a.npy").exit_code == 0);
  REQUIRE(run_program(folder, "solve a.npy --rhs ones -o x.npy --json r.json", cold_pocl(folder))
              .exit_code == 0);
  const auto kernels = compiled(folder);
  CHECK(kernels.contains("lu_phases"));
  for (const auto& [kernel, sizes] : kernels) {
    CAPTURE(kernel);
    CHECK(sizes.size() == 1);
    CHECK_FALSE(kernel.starts_with("gauss_"));
    CHECK_FALSE(kernel.starts_with("gemm_"));
    CHECK_FALSE(kernel.starts_with("pack_"));
  }
  const json time_s = json::parse(content_of(folder / "r.json"))["time_s"];
  CHECK(10 * time_s["forward"].get<double>() <= time_s["build"].get<double>());
}

TEST_CASE("remainders reuse the work-group size that is there") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 70 --rhs none -o a.npy").exit_code == 0);
  const auto result = run_program(
      folder, "solve a.npy --rhs ones -o x.npy --local 16 --ndrange shrinking --launches l.csv",
      cold_pocl(folder));
  CHECK(result.exit_code == 0);
  const auto kernels = compiled(folder);
  CHECK(kernels.contains("gauss_fwd"));
  for (const auto& [kernel, sizes] : kernels) {
    CAPTURE(kernel);
    CHECK(sizes.size() == 1);
  }
  CHECK(content_of(folder / "l.csv").find("gauss_fwd,remainder,16,") != std::string::npos);
}

TEST_CASE("a signal ends the program within a second, also while a driver builds or computes") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 3000 --rhs none -o a.npy").exit_code ==
          0);
  for (const std::string signal : {"INT", "TERM"})
    for (const std::string options : {"--pivot tournament", "--local 1"}) {
      CAPTURE(signal);
      CAPTURE(options);
      std::filesystem::remove_all(folder / "pocl");
      const auto start = std::chrono::steady_clock::now();
      const auto result =
          run_program(folder, "solve a.npy --rhs ones -o x.npy --json r.json " + options,
                      cold_pocl(folder) + " timeout --foreground --preserve-status --signal " +
                          signal + " 1.5");
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      CHECK(result.exit_code == 130);
      CHECK(result.err.ends_with("clgauss: interrupted\n"));
      CHECK(passed.count() <= 1.5 + 1 + 1);  // the last second for a machine with much else to do
      std::filesystem::remove_all(folder / "pocl");
      std::set<std::string> left;
      for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        left.insert(entry.path().filename());
      CHECK(left == std::set<std::string>{"a.npy"});
    }
}

TEST_CASE("a terminal is told what goes on, also while nothing comes back from the driver") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 401 --rhs none -o a.npy").exit_code == 0);
  const auto result = run("/usr/bin/script", folder,
                          "-qec '" + program().string() +
                              " solve a.npy --rhs ones --pivot tournament -o x.npy' /dev/null",
                          cold_pocl(folder));
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("building ") != std::string::npos);
  CHECK(result.out.find("scaled residual") != std::string::npos);
}

TEST_CASE("PoCL builds two programs for a first solve, and nothing more for a second size") {
  const TemporaryFolder folder;
  const std::string environment = cold_pocl(folder);
  const auto solve = [&](const std::string& n) {
    return run_program(folder, "generate --kind random --n " + n + " -o s.txt").exit_code == 0 &&
           run_program(folder, "solve s.txt -o x.txt", environment).exit_code == 0;
  };
  REQUIRE(solve("70"));
  const auto is_program = [](const auto& entry) { return entry.path().filename() == "program.bc"; };
  // the loop probe, and the LU with all that a solve takes
  CHECK(std::ranges::count_if(std::filesystem::recursive_directory_iterator(folder / "pocl"),
                              is_program) == 2);
  const auto kernels = compiled(folder);
  CHECK(kernels.contains("diagonal"));
  REQUIRE(solve("71"));
  CHECK(compiled(folder) == kernels);
}
