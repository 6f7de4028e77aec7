// Reads a matrix from the file that is its argument; on an error says why and ends with 2.
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstdio>

int main(int /*count*/, char** arguments) try {
  const clgauss::Matrix matrix = clgauss::read_matrix(arguments[1]);
  std::printf("%zu x %zu\n", matrix.rows(), matrix.cols());
} catch (const clgauss::FileError& error) {
  std::puts(error.what());
  return 2;
}
