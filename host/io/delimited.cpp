// CSV and TSV: numbers with commas, semicolons or tabs between them, one row a line. '%' begins no
// comment here: 50% in a spreadsheet is not 50. Where semicolons stand between the fields a comma
// is a decimal comma: that is how spreadsheets write where people write 1,5. Between tabs or in
// quotes it may as well separate thousands.

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
