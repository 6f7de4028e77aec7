#pragma once
/// Reads and writes small files as a whole.

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "io/memory.hpp"

namespace clgauss {

/// The bytes of a file. Throws FileError if the file cannot be read, OutOfMemory if it is larger
/// than the limit for JSON files.
[[nodiscard]] inline std::string file_content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path.string(), std::generic_category().message(errno));
  std::string content;
  std::array<char, 1U << 16U> part;
  while (file.read(part.data(), part.size()), file.gcount() > 0) {
    content.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (content.size() > io::most_json_bytes())
      throw OutOfMemory(fmt::format("{}: holds more than the {} that are read of such a file",
                                    path.string(), io::readable_bytes(io::most_json_bytes())));
  }
  if (file.bad()) throw FileError(path.string(), std::generic_category().message(errno));
  return content;
}

/// Writes a file whole or not at all. Throws FileError.
inline void write_whole(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path.string());
  file.write(text);
  file.commit();
}

}  // namespace clgauss
