#pragma once
/// Where the tests find what they read. The environment outranks the build, so that built tests run
/// on another machine.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace clgauss::test {

[[nodiscard]] std::filesystem::path data_folder();
[[nodiscard]] std::filesystem::path kernel_folder();
/// The kernel file of that name in it.
[[nodiscard]] std::filesystem::path kernel_file(const std::string& name);
[[nodiscard]] std::filesystem::path program();
[[nodiscard]] std::filesystem::path tune_program();
[[nodiscard]] std::filesystem::path bench_program();
/// The OpenCL layer of tests/faults.
[[nodiscard]] std::filesystem::path fault_layer();
/// For OPENCL_LAYERS: the fault layer next to the drivers, and before it what the variable has.
[[nodiscard]] std::string layers_over_faults();

[[nodiscard]] inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A new empty folder, removed with all that is in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "clgauss-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace clgauss::test
