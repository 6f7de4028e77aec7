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

/// What messages call the file at `path`.
[[nodiscard]] inline std::string name_of(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

/// Regular files are mapped, everything else is read whole; gzip is unpacked. Throws FileError if
/// it cannot be read, FormatError if it is empty or damaged gzip, OutOfMemory if it does not fit
/// this machine's memory.
class Input {
 public:
  /// `path` "-" is standard input. Of gzip at most `most_unpacked` bytes are taken.
  explicit Input(const std::string& path, Index most_unpacked = most_unsized_bytes());
  /// A part of a file, unpacked into memory.
  Input(std::string name, Bytes bytes) : name_(std::move(name)), buffer_(std::move(bytes)) {
    bytes_ = {buffer_.data(), buffer_.size()};
  }

  /// What messages call the file.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The content without a UTF-8 byte order mark, which spreadsheets put in front. Only to be
  /// looked at within parsed().
  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

  /// Whether bytes() are those that lie at the path, and not what was read or unpacked from there.
  [[nodiscard]] bool mapped() const noexcept { return mapping_ && mapping_->mapped(); }

  /// What `parse` makes of the bytes. Throws FileError if the file was cut short meanwhile: then
  /// zeros stood where its bytes were, and neither a value nor a fault found in them means
  /// anything.
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
