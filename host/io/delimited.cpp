// CSV and TSV: numbers with commas, semicolons or tabs between them, one row a line. '%' begins no
// comment here: 50% in a spreadsheet is not 50.

#include "io/table.hpp"

namespace clgauss::io {

namespace {

constexpr Dialect comma{',', CharacterClass("#", ","), true};
constexpr Dialect semicolon{';', CharacterClass("#", ";"), true};
constexpr Dialect tab{'\t', CharacterClass("#", "\t"), true};

}  // namespace

Content read_csv(const Input& input, const ReadOptions& options) {
  const std::string_view line = first_line_with_content(input.bytes(), "#");
  const bool semicolons = line.find(';') != std::string_view::npos;
  return read_table(input, options, semicolons ? semicolon : comma);
}

Content read_tsv(const Input& input, const ReadOptions& options) {
  return read_table(input, options, tab);
}

void write_csv(OutputFile& file, const Matrix& matrix, const WriteOptions& options) {
  write_table(file, matrix, ',', options);
}
void write_tsv(OutputFile& file, const Matrix& matrix, const WriteOptions& options) {
  write_table(file, matrix, '\t', options);
}

}  // namespace clgauss::io
