#pragma once
/// All bytes of a file, a pipe or standard input.

#include <boost/iostreams/device/mapped_file.hpp>
#include <string>
#include <string_view>

namespace clgauss::io {

/// Regular files are mapped, everything else is read whole. Throws FileError if it cannot be read,
/// FormatError if it is empty, OutOfMemory if a pipe delivers more than this machine's memory.
class Input {
 public:
  /// `path` "-" is standard input.
  explicit Input(const std::string& path);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// What messages call the file.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The content without a UTF-8 byte order mark, which spreadsheets put in front.
  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

 private:
  std::string name_;
  boost::iostreams::mapped_file_source mapping_;
  std::string buffer_;
  std::string_view bytes_;
};

}  // namespace clgauss::io
