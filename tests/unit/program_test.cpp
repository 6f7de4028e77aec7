#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/program.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/paths.hpp"

using namespace clgauss;
using clgauss::test::TemporaryFolder;

namespace {

const std::string kKey = "some device\nsome driver\n-DREAL_BITS=64\nkernel void f() {}\n";
const std::vector<unsigned char> kBinary{0, 1, 2, 255, 10, 13, 0};

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void overwrite(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("the program cache gives back what was stored, and only for its key") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder / "not yet there");
  CHECK_FALSE(cache.fetch(kKey).has_value());
  cache.store(kKey, kBinary);
  CHECK(cache.fetch(kKey) == kBinary);
  CHECK_FALSE(cache.fetch(kKey + " ").has_value());
  cache.store(kKey, {7});
  CHECK(cache.fetch(kKey) == std::vector<unsigned char>{7});
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "not yet there"), {}) ==
        1);  // no temporary file left
}

TEST_CASE("a damaged or foreign cache file is as good as none") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  cache.store(kKey, kBinary);
  const auto path = *cache.file_of(kKey);
  const std::string good = content_of(path);
  for (std::size_t size = 0; size < good.size(); ++size) {  // truncated anywhere
    overwrite(path, good.substr(0, size));
    CHECK_FALSE(cache.fetch(kKey).has_value());
  }
  for (std::size_t i = 0; i < good.size(); ++i) {  // one bit wrong anywhere
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    overwrite(path, bad);
    CHECK_FALSE(cache.fetch(kKey).has_value());
  }
  overwrite(path, good);
  std::filesystem::rename(path, *cache.file_of("another key"));
  CHECK_FALSE(cache.fetch("another key").has_value());
}

TEST_CASE("a cache that cannot be written harms nothing") {
  const TemporaryFolder folder;
  overwrite(folder / "file", "not a folder");
  const ProgramCache cache(folder / "file");
  cache.store(kKey, kBinary);
  CHECK_FALSE(cache.fetch(kKey).has_value());
  const ProgramCache off(std::nullopt);
  off.store(kKey, kBinary);
  CHECK_FALSE(off.fetch(kKey).has_value());
  CHECK_FALSE(off.file_of(kKey).has_value());
}

TEST_CASE("a kernel's source holds its includes and tells the driver where lines come from") {
  const std::string source = kernel_source("gauss.cl", std::nullopt);
  CHECK(source.find("#include") == std::string::npos);
  CHECK(source.find("#line 1 \"common.clh\"") != std::string::npos);
  CHECK(source.find("kernel void gauss_fwd(") != std::string::npos);
  CHECK(source == kernel_source("gauss.cl", test::kernel_folder()));
  CHECK_THROWS_AS((void)kernel_source("no_such.cl", std::nullopt), FileError);
  CHECK_THROWS_AS((void)kernel_source("gauss.cl", "/nowhere"), FileError);
}
