#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "enumeration.hpp"
#include "io/archive.hpp"
#include "io/ascii.hpp"
#include "io/child.hpp"
#include "io/memory.hpp"
#include "io/module.hpp"
#include "io/number.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

using io::Content;
using io::Input;

bool is_npz(std::string_view bytes) {
  return bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6");
}

bool is_mat(std::string_view bytes) {
  constexpr std::size_t kTextBytes = 116;
  return bytes.starts_with("MATLAB ") &&
         bytes.substr(0, kTextBytes).find(" MAT-file") != std::string_view::npos;
}

bool is_hdf5(std::string_view bytes) { return bytes.starts_with("\x89HDF\r\n\x1a\n"); }

/// The description of a format. A new format is a row here and a value of FileFormat. A format for
/// one matrix has `read` and `write`; a format for several named matrices has `open` and a module.
struct Format {
  FileFormat format;
  std::string_view name;
  std::array<std::string_view, 2> extensions;
  bool (*recognises)(std::string_view bytes) = nullptr;  // null if it has no signature
  Content (*read)(const Input&, const ReadOptions&) = nullptr;
  void (*write)(OutputFile&, const Matrix&, const WriteOptions&) = nullptr;
  std::unique_ptr<io::Archive> (*open)(const io::ForeignFormat&, const Input&,
                                       const ReadOptions&) = nullptr;
  std::string_view library = {};  // that its module needs
  Content (*read_any)(const Input&,
                      const ReadOptions&) = nullptr;  // if it supports complex numbers
  void (*write_complex)(OutputFile&, const Matrix& parts, const WriteOptions&) = nullptr;
};

constexpr std::array formats = {
    Format{.format = FileFormat::text,
           .name = "text",
           .extensions = {".txt"},
           .read = io::read_text,
           .write = io::write_text,
           .write_complex = io::write_text},
    Format{.format = FileFormat::matrix_market,
           .name = "mtx",
           .extensions = {".mtx"},
           .recognises = io::is_matrix_market,
           .read = io::read_matrix_market,
           .write = io::write_matrix_market,
           .read_any = io::read_any_matrix_market,
           .write_complex = io::write_complex_matrix_market},
    Format{.format = FileFormat::npy,
           .name = "npy",
           .extensions = {".npy"},
           .recognises = io::is_npy,
           .read = io::read_npy,
           .write = io::write_npy,
           .read_any = io::read_any_npy,
           .write_complex = io::write_complex_npy},
    Format{.format = FileFormat::csv,
           .name = "csv",
           .extensions = {".csv"},
           .read = io::read_csv,
           .write = io::write_csv,
           .write_complex = io::write_csv},
    Format{.format = FileFormat::tsv,
           .name = "tsv",
           .extensions = {".tsv"},
           .read = io::read_tsv,
           .write = io::write_tsv,
           .write_complex = io::write_tsv},
    Format{.format = FileFormat::npz,
           .name = "npz",
           .extensions = {".npz"},
           .recognises = is_npz,
           .open = io::open_npz,
           .library = "libzip (libzip-dev)"},
    Format{.format = FileFormat::mat,
           .name = "mat",
           .extensions = {".mat"},
           .recognises = is_mat,
           .open = io::open_in_child,
           .library = "libmatio (libmatio-dev)"},
    Format{.format = FileFormat::hdf5,
           .name = "h5",
           .extensions = {".h5", ".hdf5"},
           .recognises = is_hdf5,
           .open = io::open_in_child,
           .library = "libhdf5 (libhdf5-dev)"},
};

const Format& entry_of(FileFormat format) {
  return *std::find_if(formats.begin(), formats.end(),
                       [format](const Format& entry) { return entry.format == format; });
}

/// The format of `bytes`. Tables have no signature; they are distinguished by the separator between
/// the first numbers. If the extension belongs to a format with a signature but the file has none,
/// that format's reader reports the error.
FileFormat detect(std::string_view bytes, FileFormat by_extension) {
  for (const Format& entry : formats)
    if (entry.recognises != nullptr && entry.recognises(bytes)) return entry.format;
  if (entry_of(by_extension).recognises != nullptr) return by_extension;
  /// A column name in a spreadsheet may contain %, as in "in %".
  const bool spreadsheet = by_extension == FileFormat::csv || by_extension == FileFormat::tsv;
  const std::string_view line = io::first_line_with_content(bytes, spreadsheet ? "#" : "#%");
  const bool has_tab = line.find('\t') != std::string_view::npos;
  if (has_tab && by_extension == FileFormat::tsv) {
    return FileFormat::tsv;
  }
  if (line.find_first_of(",;") != std::string_view::npos) {
    return FileFormat::csv;
  }
  if (has_tab && by_extension == FileFormat::csv) {
    return FileFormat::tsv;  // spreadsheets also write tabs to .csv files
  }
  return line.find_first_of(" \t") != std::string_view::npos ? FileFormat::text : by_extension;
}

/// The module of a format for several matrices; throws FileError without it.
const io::ForeignFormat& module_of(const Format& entry, const std::string& file) {
  const io::ForeignFormat* const format = io::open_module(entry.name, entry.library).format;
  if (format == nullptr) throw FileError(file, io::unavailable_text(entry.format));
  return *format;
}

/// Writes `arrays`, of which A or x is the first. Modules build a file in memory, some with another
/// copy of the matrix.
void write_arrays(OutputFile& file, const Format& entry, std::span<const io::NamedMatrix> arrays) {
  const Matrix& matrix = arrays.front().matrix;
  io::require_memory(file.path(), matrix.rows(), matrix.cols(), 3);
  io::write_arrays(module_of(entry, file.path()), file, arrays);
}

}  // namespace

std::optional<FileFormat> parse_file_format(std::string_view name) {
  for (const Format& entry : formats) {
    if (entry.name == name) {
      return entry.format;
    }
  }
  return std::nullopt;
}

std::string_view file_format_name(FileFormat format) { return entry_of(format).name; }

bool is_available(FileFormat format) { return io::unavailable_text(format).empty(); }

std::vector<std::string> file_format_names() {
  std::vector<std::string> names;
  for (const Format& entry : formats) names.emplace_back(entry.name);
  return names;
}

FileFormat format_of_extension(const std::filesystem::path& path) {
  const std::string extension = io::lowercase(path.extension().string());
  if (extension == ".gz" && path.has_stem()) return format_of_extension(path.stem());
  for (const Format& entry : formats) {
    if (std::ranges::find(entry.extensions, extension) != entry.extensions.end() &&
        !extension.empty()) {
      return entry.format;
    }
  }
  return FileFormat::text;
}

NoteCallback notes_to_standard_error() {
  return [told = std::make_shared<std::set<std::string>>()](std::string_view note) {
    if (told->emplace(note).second) fmt::print(stderr, "note       {}\n", note);
  };
}

Matrix read_matrix(const std::string& path, const ReadOptions& options) {
  Content content = io::read_content(path, options, "A");
  return {content.rows, content.cols, std::move(content.values)};
}

void write_matrix(OutputFile& file, const Matrix& matrix, FileFormat format,
                  const WriteOptions& options) {
  const Format& entry = entry_of(format);
  if (entry.open == nullptr) return entry.write(file, matrix, options);
  write_arrays(file, entry, std::array{io::NamedMatrix{"x", matrix}});
}

bool writes_complex(FileFormat format) { return entry_of(format).write_complex != nullptr; }

ComplexMatrix read_complex_matrix(const std::string& path, const ReadOptions& options) {
  return io::complex_matrix(io::read_content(path, options, "A", io::Numbers::any));
}

std::variant<Matrix, ComplexMatrix> read_any_matrix(const std::string& path,
                                                    const ReadOptions& options) {
  Content content = io::read_content(path, options, "A", io::Numbers::any);
  if (content.complex) return io::complex_matrix(std::move(content));
  return Matrix(content.rows, content.cols, std::move(content.values));
}

void write_matrix(OutputFile& file, const ComplexMatrix& matrix, FileFormat format,
                  const WriteOptions& options) {
  const Format& entry = entry_of(format);
  if (entry.write_complex == nullptr)
    throw FileError(file.path(), fmt::format("complex numbers are not written as {}, only as {}",
                                             entry.name, io::formats_of_complex("and")));
  entry.write_complex(file, matrix.parts(), options);
}

void write_system(OutputFile& file, const System& system, FileFormat format,
                  const WriteOptions& options) {
  const Format& entry = entry_of(format);
  if (entry.open == nullptr) return entry.write(file, io::augmented(system), options);
  const std::array arrays = {io::NamedMatrix{"A", system.a}, io::NamedMatrix{"b", system.b}};
  write_arrays(file, entry, std::span(arrays).first(system.b.cols() > 0 ? 2 : 1));
}

namespace io {

std::string formats_of_complex(std::string_view last) {
  std::vector<std::string_view> names;
  for (const Format& entry : formats)
    if (entry.write_complex != nullptr) names.push_back(entry.name);
  return enumeration(names, last);
}

std::string unavailable_text(FileFormat format) {
  const Format& entry = entry_of(format);
  if (entry.open == nullptr) return {};
  const std::string obstacle = open_module(entry.name, entry.library).obstacle;
  return obstacle.empty() ? "" : fmt::format("is {}, and {}", entry.extensions[0], obstacle);
}

namespace {

/// Returns read(input, array, format) for a file that exists.
template <typename Read>
auto with_file(const std::string& path, const ReadOptions& options, Read read) {
  const Place place = place_of(path);
  const Input input(place.file);
  return input.parsed([&] {
    const FileFormat format =
        options.format ? *options.format : detect(input.bytes(), format_of_extension(place.file));
    return read(input, place.array, entry_of(format));
  });
}

Content read_plain(const Input& input, const std::string& array, const Format& entry,
                   const ReadOptions& options, Numbers numbers) {
  if (!array.empty())
    throw FormatError(
        input.name(), 0, 0,
        fmt::format("holds one matrix without a name, there is no array {}", in_quotes(array)));
  const auto read =
      numbers == Numbers::any && entry.read_any != nullptr ? entry.read_any : entry.read;
  Content content = read(input, options);
  content.format = entry.format;
  return content;
}

}  // namespace

namespace {

void refuse_negative(const Content& content, const std::string& name) {
  const auto is_negative = [](double value) { return value < 0; };
  const Index i = find_first(content.values, is_negative);
  if (content.complex || i == content.values.size()) return;
  throw FormatError(name, 0, 0,
                    fmt::format("row {}, column {}: {}", i / content.cols + 1, i % content.cols + 1,
                                negative_text(content.values[i])));
}

}  // namespace

Content read_content(const std::string& path, const ReadOptions& options, std::string_view role,
                     Numbers numbers, std::string_view before) {
  return with_file(path, options,
                   [&](const Input& input, const std::string& array, const Format& entry) {
                     Content content;
                     if (entry.open == nullptr) {
                       content = read_plain(input, array, entry, options, numbers);
                     } else {
                       const std::unique_ptr<Archive> archive =
                           entry.open(module_of(entry, input.name()), input, options);
                       const auto arrays = as_far_as(numbers, archive->arrays());
                       content = archive->read(chosen(input, arrays, array, {role, before, {}}));
                       content.format = entry.format;
                     }
                     if (!options.allow_negative) refuse_negative(content, input.name());
                     return content;
                   });
}

SystemContent read_system_content(const std::string& path, const ReadOptions& options,
                                  Numbers numbers, std::string_view between) {
  return with_file(
      path, options,
      [&](const Input& input, const std::string& array, const Format& entry) -> SystemContent {
        if (entry.open == nullptr) return {read_plain(input, array, entry, options, numbers), {}};
        const std::unique_ptr<Archive> archive =
            entry.open(module_of(entry, input.name()), input, options);
        const std::vector<ArrayInfo> arrays = as_far_as(numbers, archive->arrays());
        const ArrayInfo& a = chosen(input, arrays, array, {"A", {}, between});
        const bool both =
            array.empty() && is_called(a, "A") &&
            std::ranges::any_of(arrays, [](const ArrayInfo& each) { return is_called(each, "b"); });
        SystemContent system{archive->read(a), {}};
        if (both) system.b = archive->read(chosen(input, arrays, "b", {"b", {}, {}}));
        system.a.format = entry.format;
        return system;
      });
}

std::string_view first_line_with_content(std::string_view bytes, std::string_view comments) {
  while (!bytes.empty()) {
    const std::size_t newline = std::min(bytes.find('\n'), bytes.size());
    std::string_view line = bytes.substr(0, newline);
    line = line.substr(0, line.find_first_of(comments));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos) {
      return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    }
    bytes.remove_prefix(std::min(newline + 1, bytes.size()));
  }
  return {};
}

}  // namespace io

}  // namespace clgauss
