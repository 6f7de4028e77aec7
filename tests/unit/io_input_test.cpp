// Files that change or fail while they are read.

#include <array>

#include "io/input.hpp"
#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;
namespace fs = std::filesystem;

namespace {

/// Reads a matrix whose file is cut short as soon as the reader tells how far it is.
void check_cut_short(FileFormat format, Index n) {
  const Files folder;
  const std::string path = folder.path("A");
  OutputFile file(path);
  Matrix matrix(n, n);
  for (double& value : matrix.values()) value = 0.12345678901234567;
  write_matrix(file, matrix, format);
  file.commit();
  ReadOptions options;
  options.format = format;
  bool cut = false;
  options.progress = [&](std::string_view, double) {
    if (!std::exchange(cut, true)) fs::resize_file(path, 4096);
  };
  CAPTURE(file_format_name(format));
  check_throws<FileError>([&] { (void)read_matrix(path, options); }, "cut short while it was read");
  CHECK(cut);
}

}  // namespace

TEST_CASE("input: a file that is cut short while it is read") {
  // Progress is told every 4 MB of text, and every 64 MB of .npy.
  check_cut_short(FileFormat::text, 700);
  check_cut_short(FileFormat::csv, 700);
  check_cut_short(FileFormat::matrix_market, 700);
  check_cut_short(FileFormat::npy, 3200);
}

TEST_CASE(
    "input: a cut-short file reads as zeros, once for all readers of it, and the next is whole") {
  const Files folder;
  const std::string path = folder.file("A", std::string(100'000, '7'));
  const io::Input one(path), other(path);
  fs::resize_file(path, 10);
  CHECK(one.bytes()[99'999] == '\0');
  CHECK(one.bytes()[50'000] == '\0');
  check_throws<FileError>([&] { (void)one.parsed([] { return 1; }); }, "A: was cut short");
  CHECK(other.parsed([] { return 1; }) == 1);  // nobody has looked at what is missing
  CHECK(other.bytes()[70'000] == '\0');
  CHECK_THROWS_AS((void)other.parsed([]() -> int { throw FormatError("A", 1, 1, "zeros"); }),
                  FileError);
  const io::Input whole(folder.file("B", "78"));
  CHECK(whole.parsed([&] { return whole.bytes(); }) == "78");
}

TEST_CASE("input: more mappings than are watched are read instead") {
  const Files folder;
  const std::string path = folder.file("A", "text");
  std::vector<std::unique_ptr<io::Input>> inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(std::make_unique<io::Input>(path));
  for (const auto& input : inputs) CHECK(input->bytes() == "text");
}

TEST_CASE("input: files under /proc and devices") {
  CHECK(io::Input("/proc/self/status").bytes().starts_with("Name:"));
  check_throws<FormatError>([] { io::Input("/dev/null"); }, "/dev/null: the file is empty");
  check_throws<FileError>([] { io::Input("/proc"); }, "is a directory");
}

TEST_CASE("matrix: sizes beyond this machine name themselves") {
  constexpr Index huge = Index{1} << 32U;
  check_throws<OutOfMemory>([] { Matrix(huge, huge); }, "4294967296 x 4294967296");
  check_throws<OutOfMemory>([] { Matrix(huge, 1000); }, "34.36 TB");
  check_throws<DimensionError>([] { Matrix(huge, huge, Values()); }, "0 values cannot fill");
#ifndef __SANITIZE_ADDRESS__  // which ends a program that asks for so much
  check_throws<OutOfMemory>([] { Values(Index{1} << 50U); }, "9.007 PB");
#endif
}
