#include "io/input.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "io/memory.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

std::string read_whole(std::FILE* file, const std::string& name) {
  std::string bytes;
  std::size_t used = 0;
  const std::size_t most = physical_memory();
  while (true) {
    if (used == bytes.size()) {
      if (used > most / 2) {
        throw OutOfMemory(fmt::format(
            "{}: more than {} bytes of input do not fit this machine's {} bytes of memory", name,
            used, most));
      }
      bytes.resize(used == 0 ? std::size_t{1} << 16 : 2 * used);
    }
    const std::size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, file);
    used += got;
    if (got == 0) {
      if (std::ferror(file) != 0) {
        throw FileError(name, reason_of(errno));
      }
      bytes.resize(used);
      return bytes;
    }
  }
}

}  // namespace

Input::Input(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  if (path == "-") {
    buffer_ = read_whole(stdin, name_);
    bytes_ = buffer_;
  } else {
    std::error_code no_status;  // fopen below reports what is wrong with the path
    const auto status = std::filesystem::status(path, no_status);
    if (std::filesystem::is_directory(status)) {
      throw FileError(name_, "is a directory, a file is needed");
    }
    const auto close = [](std::FILE* f) { std::fclose(f); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
    if (!file) {
      throw FileError(name_, reason_of(errno));
    }
    // The size 0 may be a lie (files under /proc), and an empty file cannot be mapped.
    if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path) > 0) {
      mapping_.open(path);
      bytes_ = {mapping_.data(), mapping_.size()};
    } else {
      buffer_ = read_whole(file.get(), name_);
      bytes_ = buffer_;
    }
  }
  if (bytes_.starts_with(utf8_mark)) {
    bytes_.remove_prefix(utf8_mark.size());
  }
  if (bytes_.empty()) {
    throw FormatError(name_, 0, 0, "the file is empty");
  }
}

}  // namespace clgauss::io
