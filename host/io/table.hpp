#pragma once
/// Tables of numbers, one row a line: what plain text and CSV/TSV have in common.

#include "io/formats.hpp"
#include "io/text_cursor.hpp"

namespace clgauss::io {

struct Dialect {
  char delimiter;  // 0: blanks
  CharacterClass characters;
  bool of_spreadsheets = false;  // a first line of column names is skipped, fields may be in quotes
  bool decimal_commas = false;   // 1,5 is one number and a half
};

/// Throws FormatError for anything but lines with equally many numbers: for all that is wrong at
/// once, the first ten problems with their places. Comments and blank lines are skipped, and a line
/// of column names with a note.
[[nodiscard]] Content read_table(const Input& input, const ReadOptions& options,
                                 const Dialect& dialect);

/// Writes each row as a line of numbers with `delimiter` between them.
void write_table(OutputFile& file, const Matrix& matrix, char delimiter,
                 const WriteOptions& options);

}  // namespace clgauss::io
