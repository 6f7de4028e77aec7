#pragma once
/// Small files as a whole.

#include <cerrno>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace clgauss {

/// The bytes of a file. Throws FileError if it cannot be opened.
[[nodiscard]] inline std::string file_content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path.string(), std::generic_category().message(errno));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Writes a file whole or not at all. Throws FileError.
inline void write_whole(const std::filesystem::path& path, std::string_view text) {
  OutputFile file(path.string());
  file.write(text);
  file.commit();
}

}  // namespace clgauss
