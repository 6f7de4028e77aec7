// Writes a matrix, which appears whole or not at all, and reads it again: the extension names the
// format.
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <clgauss/residual.hpp>
#include <cstdio>
#include <filesystem>

int main() try {
  const clgauss::Matrix identity = [] {
    clgauss::Matrix a(3, 3);
    for (clgauss::Index i = 0; i < 3; ++i) a(i, i) = 1;
    return a;
  }();
  bool right = true;
  for (const char* name : {"clgauss_example.mtx", "clgauss_example.npy", "clgauss_example.csv"}) {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
    clgauss::OutputFile file(path.string());
    clgauss::write_matrix(file, identity, clgauss::format_of_extension(path));
    file.commit();
    // A with right-hand sides of its row sums, so that the answer is 1.
    const clgauss::System system = clgauss::read_system(path.string(), "row-sums");
    right &= clgauss::max_difference(system.a, identity) == 0 && system.b(2, 0) == 1;
    std::printf("%s: %zu by %zu\n", path.c_str(), system.a.rows(), system.a.cols());
    std::filesystem::remove(path);
  }
  return right ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
