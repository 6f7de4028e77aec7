#pragma once
/// Where the tests find what they read. The environment outranks the build, so that built tests run
/// on another machine.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "temporary_folder.hpp"

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

using clgauss::TemporaryFolder;

}  // namespace clgauss::test
