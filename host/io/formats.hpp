#pragma once
/// The readers and writers of the single formats; format.cpp holds the table that chooses among
/// them.

#include <clgauss/complex.hpp>
#include <clgauss/io.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.hpp"

namespace clgauss::io {

/// What a file may hold: complex numbers are for those who can do with them.
enum class Numbers { real, any };

/// What a file holds, row-major. Not yet a Matrix, so that read_system can part A from b without a
/// second copy of A.
struct Content {
  Index rows = 0;
  Index cols = 0;
  Values values;                         // of complex numbers real and imaginary part of each
  FileFormat format = FileFormat::text;  // that it was read in
  bool complex = false;
};

[[nodiscard]] Content read_text(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_matrix_market(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_npy(const Input& input, const ReadOptions& options);
/// The same where complex numbers may come.
[[nodiscard]] Content read_any_matrix_market(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_any_npy(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_csv(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_tsv(const Input& input, const ReadOptions& options);

/// What a .npy file of one to three dimensions holds, in C order.
struct Array {
  std::vector<Index> shape;
  Values values;
};

[[nodiscard]] Array read_npy_array(const Input& input, const ReadOptions& options);

/// Signature and header of an .npy in C order, of doubles if `dtype` says nothing else.
[[nodiscard]] std::string npy_header(std::span<const Index> shape, std::string_view dtype = "<f8");
void write_npy_array(OutputFile& file, std::span<const Index> shape,
                     std::span<const double> values);

void write_text(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
void write_matrix_market(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
void write_npy(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
/// Of complex numbers, `parts` with real and imaginary part of each.
void write_complex_matrix_market(OutputFile& file, const Matrix& parts,
                                 const WriteOptions& options);
void write_complex_npy(OutputFile& file, const Matrix& parts, const WriteOptions& options);
void write_csv(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
void write_tsv(OutputFile& file, const Matrix& matrix, const WriteOptions& options);

/// Why a number below 0 is refused.
[[nodiscard]] std::string negative_text(double value);

/// The weights of the rows of A, as --weights names their file: a column, or a single row, of as
/// many finite numbers from 0 on. Throws as read_matrix, and DimensionError naming file and shapes.
[[nodiscard]] std::vector<double> read_weights(const std::string& path, const Matrix& a,
                                               const std::string& a_path, ReadOptions options);

/// Whether --rhs asks for the columns after A of the file itself.
[[nodiscard]] inline bool is_augmented(std::string_view rhs) {
  return rhs.empty() || rhs == "augmented";
}

/// Finds the format, by content before extension, and reads; of several arrays the one that the
/// path names (FILE:ARRAY), the only one, or the one called `role`; an error says how to name
/// another, `before` and its name. `path` "-" is standard input.
[[nodiscard]] Content read_content(const std::string& path, const ReadOptions& options,
                                   std::string_view role, Numbers numbers = Numbers::real,
                                   std::string_view before = {});

/// What a file holds that is to be a system: where it holds arrays called A and b, and the path
/// names none, both of them. An error says how to name two others, with `between` between.
struct SystemContent {
  Content a;
  std::optional<Content> b;
};
[[nodiscard]] SystemContent read_system_content(const std::string& path, const ReadOptions& options,
                                                Numbers numbers = Numbers::real,
                                                std::string_view between = " ");

/// b as --rhs says it for A, real and of any shape: from a file, or by a word other than augmented.
[[nodiscard]] Matrix read_right_hand_sides(const std::string& rhs, const Matrix& a,
                                           const std::string& a_path, const ReadOptions& options);

/// What was read, as complex numbers.
[[nodiscard]] ComplexMatrix complex_matrix(Content content);

/// [A | b]
[[nodiscard]] Matrix augmented(const System& system);

/// "text, mtx and npy", with another last word: those that complex numbers are written as.
[[nodiscard]] std::string formats_of_complex(std::string_view last);

/// Throws FileError: this build reads and writes no such files.
[[noreturn]] void refuse_unavailable(const std::string& file, FileFormat format);

/// Whether the first bytes are those of an .npy or a Matrix Market file.
[[nodiscard]] bool is_npy(std::string_view bytes);
[[nodiscard]] bool is_matrix_market(std::string_view bytes);

/// The first line that has more than blanks and a comment, without the comment and the blanks
/// around; empty if there is none.
[[nodiscard]] std::string_view first_line_with_content(std::string_view bytes,
                                                       std::string_view comments);

}  // namespace clgauss::io
