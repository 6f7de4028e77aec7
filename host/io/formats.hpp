#pragma once
/// Readers and writers of the individual formats. The table in format.cpp selects among them.

#include <clgauss/complex.hpp>
#include <clgauss/io.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.hpp"

namespace clgauss::io {

/// Which numbers a caller accepts: real ones only, or also complex ones.
enum class Numbers { real, any };

/// The content of a file, row-major. It is not a Matrix yet, so that read_system can split off b
/// without a second copy of A.
struct Content {
  Index rows = 0;
  Index cols = 0;
  Values values;                         // if complex, the real and imaginary part of each number
  FileFormat format = FileFormat::text;  // the format of the file
  bool complex = false;
};

[[nodiscard]] Content read_text(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_matrix_market(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_npy(const Input& input, const ReadOptions& options);
/// The same, but these also accept complex numbers.
[[nodiscard]] Content read_any_matrix_market(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_any_npy(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_csv(const Input& input, const ReadOptions& options);
[[nodiscard]] Content read_tsv(const Input& input, const ReadOptions& options);

/// The content of an .npy file of one to three dimensions, in C order.
struct Array {
  std::vector<Index> shape;
  Values values;  // if complex, the real and imaginary part of each number
  bool complex = false;
};

/// Real or complex numbers.
[[nodiscard]] Array read_npy_array(const Input& input, const ReadOptions& options);

/// The signature and header of an .npy file in C order, by default of doubles.
[[nodiscard]] std::string npy_header(std::span<const Index> shape, std::string_view dtype = "<f8");
/// `values` as in Array.
void write_npy_array(OutputFile& file, std::span<const Index> shape, std::span<const double> values,
                     bool complex = false);

void write_text(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
void write_matrix_market(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
void write_npy(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
/// Write complex numbers: `parts` holds the real and imaginary part of each.
void write_complex_matrix_market(OutputFile& file, const Matrix& parts,
                                 const WriteOptions& options);
void write_complex_npy(OutputFile& file, const Matrix& parts, const WriteOptions& options);
void write_csv(OutputFile& file, const Matrix& matrix, const WriteOptions& options);
void write_tsv(OutputFile& file, const Matrix& matrix, const WriteOptions& options);

/// The message that refuses a negative number.
[[nodiscard]] std::string negative_text(double value);

/// The weights of the rows of A, from the file that --weights names. The file holds a column or a
/// single row with one finite number >= 0 per row of A. Throws as read_matrix does, and
/// DimensionError that names the files and shapes.
[[nodiscard]] std::vector<double> read_weights(const std::string& path, const Matrix& a,
                                               const std::string& a_path, ReadOptions options);

/// Whether --rhs selects the columns that follow A in the same file.
[[nodiscard]] inline bool is_augmented(std::string_view rhs) {
  return rhs.empty() || rhs == "augmented";
}

/// Detects the format, by content first and by extension second, and reads the file. From a file
/// with several arrays, it reads the one that the path names (FILE:ARRAY), the only one, or the one
/// named `role`. An error message shows how to name another: `before`, then its name. `path` "-" is
/// standard input.
[[nodiscard]] Content read_content(const std::string& path, const ReadOptions& options,
                                   std::string_view role, Numbers numbers = Numbers::real,
                                   std::string_view before = {});

/// The content of a file with a system. If the file holds arrays named A and b, and the path names
/// no array, both are read. An error message shows how to name two others, with `between` in
/// between.
struct SystemContent {
  Content a;
  std::optional<Content> b;
};
[[nodiscard]] SystemContent read_system_content(const std::string& path, const ReadOptions& options,
                                                Numbers numbers = Numbers::real,
                                                std::string_view between = " ");

/// The b that --rhs selects for A, real and of any shape: from a file, or by a word other than
/// "augmented".
[[nodiscard]] Matrix read_right_hand_sides(const std::string& rhs, const Matrix& a,
                                           const std::string& a_path, const ReadOptions& options);

/// `content` as complex numbers.
[[nodiscard]] ComplexMatrix complex_matrix(Content content);

/// The matrix [A | b].
[[nodiscard]] Matrix augmented(const System& system);

/// The formats that can store complex numbers: "text, mtx and npy", with `last` in place of "and".
[[nodiscard]] std::string formats_of_complex(std::string_view last);

/// Why no file of this format can be read or written, to follow the name of a file; empty if one
/// can be. Opens the format's module, if it has one.
[[nodiscard]] std::string unavailable_text(FileFormat format);

/// Whether the first bytes are those of an .npy file or of a Matrix Market file.
[[nodiscard]] bool is_npy(std::string_view bytes);
[[nodiscard]] bool is_matrix_market(std::string_view bytes);

/// The first line with more than blanks and a comment, trimmed and without its comment; empty if
/// there is none.
[[nodiscard]] std::string_view first_line_with_content(std::string_view bytes,
                                                       std::string_view comments);

}  // namespace clgauss::io
