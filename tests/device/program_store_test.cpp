#include <doctest/doctest.h>

#include <clgauss/lab/program.hpp>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "support/devices.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

/// The key that a cache file says it is for: behind 18 bytes of magic, a checksum and two lengths.
std::string key_in(const std::string& file) {
  std::uint64_t size = 0;
  std::memcpy(&size, file.data() + 22, sizeof size);
  return file.substr(38, size);
}

/// Key and program of the one entry of `cache`, which lies in `folder`, whose kernels have these
/// names.
std::pair<std::string, CachedProgram> entry_of(const ProgramCache& cache,
                                               const std::filesystem::path& folder,
                                               const std::string& kernel) {
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string key = key_in(content_of(file.path()));
    const auto program = cache.fetch(key);
    if (program && program->kernel_names.find(kernel) != std::string::npos) return {key, *program};
  }
  return {};
}

}  // namespace

TEST_CASE("a cached program that is another's, or none, is built again and stored again") {
  on_every_device([](const Device& device) {
    const TemporaryFolder folder;
    const ProgramCache cache(folder.path());
    const cl::Context context(device.handle);
    const auto build = [&](const char* file, const char* kernel, const Defines& defines) {
      ContextOptions options;
      options.cache_folder = folder.path();
      options.driver_caches = false;  // else PoCL's programs are left to its own cache
      ProgramStore store(context, device.handle, options);
      return store.kernel(file, kernel, defines);
    };
    const auto probe = [&] { return build("loop_probe.cl", "count_steps", {}); };
    (void)probe();
    (void)build("scale.cl", "scale", real_defines(RealType::f32));
    const auto [key, own] = entry_of(cache, folder.path(), "count_steps");
    const auto [other_key, other] = entry_of(cache, folder.path(), "scale");
    REQUIRE_FALSE(own.binary.empty());
    REQUIRE_FALSE(other.binary.empty());
    std::vector<CachedProgram> all{other, {own.kernel_names, other.binary}, {"scale", own.binary}};
    // rusticl 22.3 ends the process over a binary that it did not make.
    if (device.profile.platform_name != "rusticl") all.push_back({own.kernel_names, {1, 2, 3}});
    for (const CachedProgram& wrong : all) {
      CAPTURE(wrong.kernel_names);
      CAPTURE(wrong.binary.size());
      cache.store(key, wrong);
      CHECK(probe().name == "count_steps");
      REQUIRE(cache.fetch(key).has_value());
      CHECK(cache.fetch(key)->kernel_names == own.kernel_names);
      CHECK_FALSE(*cache.fetch(key) == wrong);
    }
  });
}
