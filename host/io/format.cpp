#include <algorithm>
#include <array>
#include <string>

#include "io/ascii.hpp"
#include "io/formats.hpp"

namespace clgauss {

namespace {

using io::Content;
using io::Input;

/// Everything there is to know about a format; a new one is a line here and a value of FileFormat.
struct Format {
  FileFormat format;
  std::string_view name;
  std::string_view extension;
  Content (*read)(const Input&, const ReadOptions&);
  void (*write)(OutputFile&, const Matrix&, const WriteOptions&);
};

constexpr std::array formats = {
    Format{FileFormat::text, "text", ".txt", io::read_text, io::write_text},
    Format{FileFormat::matrix_market, "mtx", ".mtx", io::read_matrix_market,
           io::write_matrix_market},
    Format{FileFormat::npy, "npy", ".npy", io::read_npy, io::write_npy},
    Format{FileFormat::csv, "csv", ".csv", io::read_csv, io::write_csv},
    Format{FileFormat::tsv, "tsv", ".tsv", io::read_tsv, io::write_tsv},
};

const Format& entry_of(FileFormat format) {
  return *std::find_if(formats.begin(), formats.end(),
                       [format](const Format& entry) { return entry.format == format; });
}

/// The format of `bytes`. Only .npy and Matrix Market have a signature; tables are told apart by
/// what stands between the first numbers, and a file that says .mtx or .npy without the signature
/// is left to that parser to refuse.
FileFormat detect(std::string_view bytes, FileFormat by_extension) {
  if (io::is_npy(bytes)) {
    return FileFormat::npy;
  }
  if (io::is_matrix_market(bytes)) {
    return FileFormat::matrix_market;
  }
  if (by_extension == FileFormat::npy || by_extension == FileFormat::matrix_market) {
    return by_extension;
  }
  const std::string_view line = io::first_line_with_content(bytes, "#%");
  const bool has_tab = line.find('\t') != std::string_view::npos;
  if (has_tab && by_extension == FileFormat::tsv) {
    return FileFormat::tsv;
  }
  if (line.find_first_of(",;") != std::string_view::npos) {
    return FileFormat::csv;
  }
  if (has_tab && by_extension == FileFormat::csv) {
    return FileFormat::tsv;  // spreadsheets also write tabs into a .csv
  }
  return line.find_first_of(" \t") != std::string_view::npos ? FileFormat::text : by_extension;
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

FileFormat format_of_extension(const std::filesystem::path& path) {
  const std::string extension = io::lowercase(path.extension().string());
  for (const Format& entry : formats) {
    if (entry.extension == extension) {
      return entry.format;
    }
  }
  return FileFormat::text;
}

Matrix read_matrix(const std::string& path, const ReadOptions& options) {
  Content content = io::read_content(path, options);
  return {content.rows, content.cols, std::move(content.values)};
}

void write_matrix(OutputFile& file, const Matrix& matrix, FileFormat format,
                  const WriteOptions& options) {
  entry_of(format).write(file, matrix, options);
}

namespace io {

Content read_content(const std::string& path, const ReadOptions& options) {
  const Input input(path);
  return input.parsed([&] {
    const FileFormat format =
        options.format ? *options.format : detect(input.bytes(), format_of_extension(path));
    Content content = entry_of(format).read(input, options);
    content.format = format;
    return content;
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
