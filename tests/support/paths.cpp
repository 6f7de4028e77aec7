#include "support/paths.hpp"

#include <fmt/format.h>

#include "support/file_folder.hpp"

namespace clgauss::test {

namespace {

std::filesystem::path path_from(const char* variable, const char* built_in) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : built_in;
}

}  // namespace

std::filesystem::path data_folder() { return path_from("CLGAUSS_TEST_DATA", CLGAUSS_DATA); }
std::filesystem::path file_folder() { return path_from("CLGAUSS_TEST_FILES", CLGAUSS_FILES); }
std::filesystem::path kernel_file(const std::string& name) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kernel_folder()))
    if (entry.path().filename() == name) return entry.path();
  return kernel_folder() / name;
}

std::filesystem::path kernel_folder() { return path_from("CLGAUSS_TEST_KERNELS", CLGAUSS_KERNELS); }
std::filesystem::path program() { return path_from("CLGAUSS_TEST_PROGRAM", CLGAUSS_PROGRAM); }
std::filesystem::path tune_program() {
  return path_from("CLGAUSS_TEST_TUNE_PROGRAM", CLGAUSS_TUNE_PROGRAM);
}
std::filesystem::path bench_program() {
  return path_from("CLGAUSS_TEST_BENCH_PROGRAM", CLGAUSS_BENCH_PROGRAM);
}
std::filesystem::path fault_layer() {
  return path_from("CLGAUSS_TEST_FAULT_LAYER", CLGAUSS_FAULT_LAYER);
}
std::string layers_over_faults() {
  const char* const others = std::getenv("OPENCL_LAYERS");
  return fault_layer().string() + (others == nullptr ? "" : fmt::format(":{}", others));
}

}  // namespace clgauss::test
