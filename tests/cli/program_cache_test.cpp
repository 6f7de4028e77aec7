#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/thorough.hpp"

using namespace clgauss::test;

TEST_CASE("a kernel cache that others may write to is not used, and the user is told once") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "0 1 5\n1 0 7\n");
  const auto cache = folder / "clgauss";
  std::filesystem::create_directory(cache);
  std::filesystem::permissions(cache, std::filesystem::perms::all);
  const auto result =
      run_program(folder, "solve s.txt", "XDG_CACHE_HOME=" + folder.path().string());
  CHECK(result.exit_code == 0);
  const std::size_t said = result.err.find("built kernels are not kept");
  CHECK(said != std::string::npos);
  CHECK(result.err.find("built kernels are not kept", said + 1) == std::string::npos);
  CHECK(std::filesystem::is_empty(cache));
}

TEST_CASE("a solve that has its kernels built says nothing of the compiler") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "0 1 5\n1 0 7\n");
  for (const char* command : {"solve s.txt --method mixed", "solve s.txt --method lu"}) {
    CAPTURE(command);
    const TemporaryFolder cache;
    const auto result = run_program(
        folder, command,
        "XDG_CACHE_HOME=" + cache.path().string() + " POCL_CACHE_DIR=" + cache.path().string());
    CHECK(result.exit_code == 0);
    CHECK(result.err.find("warning") == std::string::npos);
  }
}

TEST_CASE(
    "a full disk where the driver keeps its kernels is an error, not the end of the process") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "0 1 5\n1 0 7\n");
  const auto result = run_script(folder, R"(mkdir full
export XDG_CACHE_HOME=$PWD/cache POCL_CACHE_DIR=$PWD/full
exec unshare --mount --map-root-user sh -c "mount -t tmpfs -o size=1m none full || exit 77
'$CLGAUSS' solve s.txt --device pocl --method lu")");
  if (result.exit_code == 77 || result.err.find("unshare") != std::string::npos) {
    MESSAGE("not tried: a file system of its own takes rights that this user has not");
    return;
  }
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("POCL_CACHE_DIR") != std::string::npos);
  CHECK(result.out.empty());
}

// It compiles a kernel at the first launch with each work-group size.
TEST_CASE("PoCL compiles each kernel of a method for one work-group size") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind spd --n 80 --seed 1 -o a.mtx").exit_code == 0);
  for (const char* method : {"gauss", "rbt"}) {
    CAPTURE(method);
    const TemporaryFolder cache;
    const auto result = run_program(
        folder, std::string("solve a.mtx --device pocl --method ") + method,
        "XDG_CACHE_HOME=" + cache.path().string() + " POCL_CACHE_DIR=" + (cache / "pocl").string());
    CHECK(result.exit_code == 0);
    std::set<std::string> kernels;
    std::size_t compiled = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache / "pocl")) {
      if (entry.path().extension() != ".so") continue;
      ++compiled;  // PROGRAM/KERNEL/WORK-GROUP/KERNEL.so
      kernels.insert(entry.path().parent_path().parent_path().string());
      const std::string kernel = entry.path().stem();
      CAPTURE(kernel);
      // The solves are those of CPUs, of which the estimate needs the kernels, too.
      CHECK(kernel != "trsv_step");
      CHECK(kernel != "block_solve");
      CHECK(kernel != "lu_swap_solve");
    }
    CHECK(compiled > 5);
    CHECK(compiled == kernels.size());
  }
}

TEST_CASE("PoCL has compiled all kernels of a solve before its last launches") {
  constexpr int kN = 80;
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind spd --n 80 --seed 1 -o real.mtx").exit_code == 0);
  std::string complex = "%%MatrixMarket matrix array complex general\n80 81\n";
  for (int j = 0; j <= kN; ++j)
    for (int i = 0; i < kN; ++i) complex += i == j ? "9 1\n" : (i + j) % 3 == 0 ? "0 1\n" : "0 0\n";
  write_file(folder / "complex.mtx", complex);
  for (const std::string system : {"real.mtx --method ldlt", "complex.mtx"}) {
    CAPTURE(system);
    const auto compiled = [&](const std::string& faults, int exit_code) {
      const TemporaryFolder cache;
      const auto result = run_program(folder, "solve --no-rcond --device pocl -o x.txt " + system,
                                      "OPENCL_LAYERS='" + layers_over_faults() +
                                          "' CLGAUSS_FAULT_CALLS=clEnqueueNDRangeKernel " + faults +
                                          " XDG_CACHE_HOME='" + cache.path().string() +
                                          "' POCL_CACHE_DIR='" + (cache / "pocl").string() + "'");
      CHECK_MESSAGE(result.exit_code == exit_code, result.err);
      std::set<std::string> kernels;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(cache / "pocl"))
        if (entry.path().extension() == ".so") kernels.insert(entry.path().stem());
      return kernels;
    };
    const std::set<std::string> all = compiled("CLGAUSS_FAULT_LOG=launches", 0);
    const std::string launches = content_of(folder / "launches");
    std::filesystem::remove(folder / "launches");
    const auto count = std::ranges::count(launches, '\n');
    REQUIRE(count > 5);
    CHECK(compiled("CLGAUSS_FAULT_AT=" + std::to_string(count - 1), 5) == all);
  }
}

TEST_CASE("warm leaves nothing to build") {
  if (!thorough()) {
    MESSAGE("not tried: it builds every kernel anew; ./test.sh --all tries it");
    return;
  }
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "2 1 5\n1 3 7\n");
  const std::string caches =
      "XDG_CACHE_HOME=" + folder.path().string() + " POCL_CACHE_DIR=" + (folder / "pocl").string();
  const auto warmed = run_program(folder, "warm --device pocl --max-n 60", caches);
  CHECK(warmed.exit_code == 0);
  CHECK(warmed.out.find("kernels give right answers") != std::string::npos);
  const auto count = [&] {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "pocl"))
      files += entry.path().extension() == ".so" ? 1 : 0;
    return files;
  };
  const std::size_t before = count();
  CHECK(before > 0);
  for (const char* method : {"lu", "mixed", "cholesky"}) {
    CAPTURE(method);
    CHECK(run_program(folder, std::string("solve s.txt --device pocl --method ") + method, caches)
              .exit_code == 0);
    CHECK(count() == before);
  }
  CHECK(run_program(folder, "warm --max-n 0", caches).exit_code == 2);
}
