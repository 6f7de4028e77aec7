#pragma once
/// Tables of numbers, one row a line: what plain text and CSV/TSV have in common.

#include "io/formats.hpp"
#include "io/text_cursor.hpp"

namespace clgauss::io {

struct Dialect {
  char delimiter;  // 0: blanks
  CharacterClass characters;
  bool names_columns;  // files like this often begin with a line of column names
};

/// Throws FormatError for anything but lines with equally many numbers. Comments and blank lines
/// are passed over.
[[nodiscard]] Content read_table(const Input& input, const ReadOptions& options,
                                 const Dialect& dialect);

/// Writes each row as a line of numbers with `delimiter` between them.
void write_table(OutputFile& file, const Matrix& matrix, char delimiter,
                 const WriteOptions& options);

}  // namespace clgauss::io
