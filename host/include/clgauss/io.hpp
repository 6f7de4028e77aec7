#pragma once
/// Matrices and systems in files: augmented text, Matrix Market, NumPy .npy and .npz, CSV and TSV,
/// MATLAB .mat, HDF5, and any of them with gzip. Everything is read as f64; integers that f64
/// cannot represent are refused.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace clgauss::io {
class GzipWriter;
class TemporaryFile;
}  // namespace clgauss::io

namespace CLGAUSS_EXPORT clgauss {

enum class FileFormat { text, matrix_market, npy, csv, tsv, npz, mat, hdf5 };

/// The format for a value of `--format`: "text", "mtx", "npy", "csv", "tsv", "npz", "mat" or "h5";
/// empty for anything else.
[[nodiscard]] std::optional<FileFormat> parse_file_format(std::string_view name);
[[nodiscard]] std::string_view file_format_name(FileFormat format);
/// The names of all formats, in the order above.
[[nodiscard]] std::vector<std::string> file_format_names();
/// Whether files of the format can be read and written. .npz, .mat and .h5 need a module each:
/// libclgauss_npz.so, libclgauss_mat.so, libclgauss_h5.so. This call opens it, and is false if the
/// module is not installed, or a library that it needs.
[[nodiscard]] bool is_available(FileFormat format);
/// The format of a file name's extension, ignoring case and a final .gz: .mtx .npy .csv .tsv .npz
/// .mat .h5 .hdf5, and text for any other.
[[nodiscard]] FileFormat format_of_extension(const std::filesystem::path& path);

/// Called with notes about a file that was read, such as "A.csv: line 1 names the columns ('x;y')
/// and is skipped".
using NoteCallback = std::function<void(std::string_view note)>;
/// A callback that writes each note to standard error once: "note       A.csv: line 1 ...".
[[nodiscard]] NoteCallback notes_to_standard_error();

struct ReadOptions {
  std::optional<FileFormat> format;  // accept NaN and Inf
  bool allow_nonfinite = false;      // accept NaN and Inf instead of refusing them
  bool allow_negative = true;        // accept real numbers below 0
  ProgressCallback progress;
  NoteCallback note = notes_to_standard_error();  // empty: notes are dropped
};

/// Reads one matrix. `path` "-" is standard input; FILE:ARRAY is an array in a file with several
/// (.npz, .mat, .h5). Without ARRAY, the only array is read, or the one named A. A one-dimensional
/// .npy becomes a column. Throws FileError, FormatError (with line and column), and OutOfMemory
/// (before allocating, if the dense matrix exceeds this machine's memory).
[[nodiscard]] Matrix read_matrix(const std::string& path, const ReadOptions& options = {});

/// Reads A x = b. With an empty `rhs`, or "augmented", the file holds the augmented matrix [A | b]:
/// n rows of n + nrhs numbers, nrhs >= 1. For a Matrix Market file with nrhs > 1 the word
/// "augmented" is required, because such files mostly hold A alone. Otherwise the file holds the
/// square A, and `rhs` is "ones" (b = 1), "row-sums" (b = A 1, so x = 1) or a file with b,
/// n-by-nrhs (a single row of n numbers counts as a column). From a file of several arrays A and b
/// are read; if `rhs` is given, only A, and from the file `rhs` b. FILE:ARRAY names other arrays.
/// `options.format` applies to `path`; the format of `rhs` is always detected from its content and
/// extension. Throws as read_matrix() does, and DimensionError that names the file and the shapes.
[[nodiscard]] System read_system(const std::string& path, const std::string& rhs,
                                 const ReadOptions& options = {});

/// A file that is written completely or not at all: bytes go to a temporary file beside it, which
/// commit() renames. "-" is standard output; a device or pipe (/dev/null) is written directly.
/// Output to a name that ends in .gz is compressed. The constructor throws FileError if the target
/// cannot be written, so that a long run fails before it starts. Without commit() the destructor
/// removes the temporary file. The next OutputFile in the folder removes the temporary files of
/// killed programs.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  void commit();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  std::filesystem::path target_;                  // path_ with symbolic links followed
  std::unique_ptr<io::TemporaryFile> temporary_;  // null: written directly
  std::FILE* file_ = nullptr;
  std::unique_ptr<io::GzipWriter> gzip_;  // null: not compressed
};

/// Whether the two paths are the same file, under any names and links, so that a second output
/// would replace the first or mix with it. Devices (/dev/null) do not count as files.
[[nodiscard]] bool same_output(const std::string& one, const std::string& other);

struct WriteOptions {
  /// Significant digits in text; empty: as few as read back the same number.
  std::optional<int> digits;
};

/// Writes `matrix`. Binary formats use little-endian f8. In .npz, .mat (level 5) and .h5 the array
/// is named x. Throws FileError if !is_available(format).
void write_matrix(OutputFile& file, const Matrix& matrix, FileFormat format,
                  const WriteOptions& options = {});

/// Writes [A | b], or the arrays A and b if the format has named arrays.
void write_system(OutputFile& file, const System& system, FileFormat format,
                  const WriteOptions& options = {});

}  // namespace clgauss
