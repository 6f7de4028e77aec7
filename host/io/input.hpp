#pragma once
/// All bytes of a file, a pipe or standard input, unpacked if they are gzip.

#include <clgauss/error.hpp>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "io/bytes.hpp"
#include "io/mapping.hpp"

namespace clgauss::io {

/// The name of the file at `path` in messages.
[[nodiscard]] inline std::string name_of(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// Maps regular files and reads everything else completely; unpacks gzip. Throws FileError if the
/// file cannot be read, FormatError if it is empty or damaged gzip, OutOfMemory if it exceeds this
/// machine's memory.
class Input {
 public:
  /// `path` "-" is standard input. `most_unpacked` limits the bytes that gzip data may unpack to.
  explicit Input(const std::string& path, Index most_unpacked = most_unsized_bytes());
  /// A part of a file that was unpacked into memory.
  Input(std::string name, Bytes bytes) : name_(std::move(name)), buffer_(std::move(bytes)) {
    bytes_ = {buffer_.data(), buffer_.size()};
  }

  /// The name of the file in messages.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The content without the UTF-8 byte order mark that spreadsheets write. Access it only within
  /// parsed().
  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

  /// Whether bytes() is the file itself, mapped, and not a copy that was read or unpacked.
  [[nodiscard]] bool mapped() const noexcept { return mapping_ && mapping_->mapped(); }

  /// The result of `parse`. Throws FileError if the file was truncated during parsing. In that case
  /// the missing bytes read as zeros, so neither the result nor an error of `parse` is valid.
  template <std::invocable Parse>
  [[nodiscard]] auto parsed(Parse parse) const {
    try {
      auto value = parse();
      require_intact();
      return value;
    } catch (const Error&) {
      require_intact();
      throw;
    }
  }

 private:
  void require_intact() const;
  void unpack(Index most);

  std::string name_;
  std::optional<Mapping> mapping_;
  Bytes buffer_;
  std::string_view bytes_;
};

}  // namespace clgauss::io
