#include <doctest/doctest.h>

#include "support/process.hpp"

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
