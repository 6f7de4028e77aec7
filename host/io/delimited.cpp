// CSV and TSV: numbers separated by commas, semicolons or tabs, one row per line. '%' does not
// begin a comment here, because 50% in a spreadsheet is not 50. Between semicolons, a comma is a
// decimal comma: spreadsheets write that in locales where 1,5 is a number. Between tabs or in
// quotes, a comma could also separate thousands.

#include "io/table.hpp"

namespace clgauss::io {

namespace {

constexpr Dialect comma{
    .delimiter = ',', .characters = CharacterClass("#", ","), .of_spreadsheets = true};
constexpr Dialect semicolon{.delimiter = ';',
                            .characters = CharacterClass("#", ";"),
                            .of_spreadsheets = true,
                            .decimal_commas = true};
constexpr Dialect tab{
    .delimiter = '\t', .characters = CharacterClass("#", "\t"), .of_spreadsheets = true};

bool has_outside_quotes(std::string_view line, char wanted) {
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == wanted && !quoted) return true;
  }
  return false;
}

}  // namespace

Content read_csv(const Input& input, const ReadOptions& options) {
  const std::string_view line = first_line_with_content(input.bytes(), "#");
  return read_table(input, options, has_outside_quotes(line, ';') ? semicolon : comma);
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
