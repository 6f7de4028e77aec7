#include <doctest/doctest.h>

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
