#pragma once
/// Files: matrices and systems in augmented text, Matrix Market, NumPy .npy and .npz, CSV and TSV,
/// MATLAB .mat, HDF5; gzip of any. Everything is read as f64, whole numbers that no f64 holds are
/// refused.

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

/// "text", "mtx", "npy", "csv", "tsv", "npz", "mat" or "h5" (the values of `--format`); empty for
/// anything else.
[[nodiscard]] std::optional<FileFormat> parse_file_format(std::string_view name);
[[nodiscard]] std::string_view file_format_name(FileFormat format);
/// The names of all formats, in that order.
[[nodiscard]] std::vector<std::string> file_format_names();
/// Whether this build reads and writes the format: .npz, .mat and .h5 need libraries that may have
/// been missing.
[[nodiscard]] bool is_available(FileFormat format);
/// The format of a file name's extension, in any case and with or without .gz after it: .mtx .npy
/// .csv .tsv .npz .mat .h5 .hdf5, and text for any other.
[[nodiscard]] FileFormat format_of_extension(const std::filesystem::path& path);

/// Called with what a caller should know about a file that was read, as "A.csv: line 1 names the
/// columns ('x;y') and is skipped".
using NoteCallback = std::function<void(std::string_view note)>;
/// Writes each note to standard error, once: "note       A.csv: line 1 ...".
[[nodiscard]] NoteCallback notes_to_standard_error();

struct ReadOptions {
  std::optional<FileFormat> format;  // empty: by content, then by extension
  bool allow_nonfinite = false;      // accept NaN and Inf instead of refusing them
  bool allow_negative = true;        // real numbers below 0; else they are refused
  ProgressCallback progress;
  NoteCallback note = notes_to_standard_error();  // empty: nobody is told
};

/// Reads one matrix; `path` "-" is standard input, FILE:ARRAY an array in a file of several (.npz,
/// .mat, .h5). Without ARRAY the only array is read, or the one called A. Throws FileError,
/// FormatError (with line and column), OutOfMemory (before allocating, when the dense matrix cannot
/// fit this machine's memory). A one-dimensional .npy becomes a column.
[[nodiscard]] Matrix read_matrix(const std::string& path, const ReadOptions& options = {});

/// Reads A x = b. With an empty `rhs`, or "augmented", the file holds the augmented matrix [A | b],
/// n rows of n + nrhs numbers, nrhs >= 1 (Matrix Market files, which mostly hold A alone, ask for
/// the word if nrhs > 1); otherwise it holds the square A, and `rhs` is "ones" (b = 1), "row-sums"
/// (b = A 1, so x = 1) or a file with b, n-by-nrhs (a single row of n numbers counts as a column).
/// Of a file of several arrays A and b are read, with `rhs` A, and as `rhs` b; FILE:ARRAY names
/// others. Throws as read_matrix, and DimensionError naming the file and shapes. `options.format`
/// is about `path`; the format of `rhs` is always found from its content and extension.
[[nodiscard]] System read_system(const std::string& path, const std::string& rhs,
                                 const ReadOptions& options = {});

/// A file that appears whole or not at all: bytes go to a temporary name beside it, commit()
/// renames. "-" is standard output; a device or pipe (/dev/null) is written directly. What goes to
/// a name that ends in .gz is compressed. The constructor throws FileError if the place cannot be
/// written, so that a long run fails before it starts. Without commit() the destructor removes the
/// temporary file; what a killed program left is removed by the next OutputFile in that folder.
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
  std::filesystem::path target_;                  // where the link behind path_ points to
  std::unique_ptr<io::TemporaryFile> temporary_;  // none: written directly
  std::FILE* file_ = nullptr;
  std::unique_ptr<io::GzipWriter> gzip_;  // none: written as it is
};

/// Whether the two paths name one file, by whatever names and links, so that a second output would
/// replace or mix with the first. Devices (/dev/null) are not files.
[[nodiscard]] bool same_output(const std::string& one, const std::string& other);

struct WriteOptions {
  /// significant ones, in text; empty: as few as read back the same number
  std::optional<int> digits;
};

/// Writes `matrix`; binary formats as little-endian f8; .npz, .mat (level 5) and .h5 hold it as the
/// array x. Throws FileError where !is_available(format).
void write_matrix(OutputFile& file, const Matrix& matrix, FileFormat format,
                  const WriteOptions& options = {});

/// Writes [A | b], or the arrays A and b where the format has names.
void write_system(OutputFile& file, const System& system, FileFormat format,
                  const WriteOptions& options = {});

}  // namespace clgauss
