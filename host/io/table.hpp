#pragma once
/// Tables of numbers with one row per line: the common part of plain text and CSV/TSV.

#include "io/formats.hpp"
#include "io/text_cursor.hpp"

namespace clgauss::io {

struct Dialect {
  char delimiter;  // 0: blanks
  CharacterClass characters;
  bool of_spreadsheets = false;  // skips a line of column names; fields may be quoted
  bool decimal_commas = false;   // 1,5 means 1.5
};

/// Reads a table. Throws FormatError unless all lines have equally many numbers; the error lists
/// the first ten problems with their places. Comments, blank lines and a line of column names are
/// skipped, the latter with a note.
[[nodiscard]] Content read_table(const Input& input, const ReadOptions& options,
                                 const Dialect& dialect);

/// Writes each row as a line of numbers separated by `delimiter`.
void write_table(OutputFile& file, const Matrix& matrix, char delimiter,
                 const WriteOptions& options);

}  // namespace clgauss::io
