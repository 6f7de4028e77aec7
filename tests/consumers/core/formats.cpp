// Of the formats of files libclgauss_core has those that take no further library, and says of the
// others what it lacks.
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstdio>
#include <cstring>

int main() {
  using clgauss::FileFormat;
  int failures = 0;
  for (const FileFormat format : {FileFormat::text, FileFormat::matrix_market, FileFormat::npy,
                                  FileFormat::csv, FileFormat::tsv})
    failures += clgauss::is_available(format) ? 0 : 1;
  for (const FileFormat format : {FileFormat::npz, FileFormat::mat, FileFormat::hdf5}) {
    failures += clgauss::is_available(format) ? 1 : 0;
    try {
      clgauss::ReadOptions options;
      options.format = format;
      (void)clgauss::read_matrix("formats.cpp", options);
      ++failures;
    } catch (const clgauss::FileError& error) {
      std::puts(error.what());
      failures += std::strstr(error.what(), "neither reads") != nullptr ? 0 : 1;
    }
  }
  return failures;
}
