// Plain text: numbers separated by blanks, one row per line.

#include "io/table.hpp"

namespace clgauss::io {

namespace {

constexpr Dialect plain{.delimiter = 0, .characters = CharacterClass("#%", "")};

}  // namespace

Content read_text(const Input& input, const ReadOptions& options) {
  return read_table(input, options, plain);
}

void write_text(OutputFile& file, const Matrix& matrix, const WriteOptions& options) {
  write_table(file, matrix, ' ', options);
}

}  // namespace clgauss::io
