#pragma once
/// All bytes of a file, a pipe or standard input.

#include <clgauss/error.hpp>
#include <clgauss/matrix.hpp>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/mapping.hpp"

namespace clgauss::io {

/// Regular files are mapped, everything else is read whole. Throws FileError if it cannot be read, FormatError if it is empty,
/// OutOfMemory if it does not fit this machine's memory.
class Input {
 public:
  /// `path` "-" is standard input.
  explicit Input(const std::string& path);

  /// What messages call the file.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The content without a UTF-8 byte order mark, which spreadsheets put in front. Only to be looked at within parsed().
  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

  /// What `parse` makes of the bytes. Throws FileError if the file was cut short meanwhile: then zeros stood where its bytes
  /// were, and neither a value nor a fault found in them means anything.
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

  std::string name_;
  std::optional<Mapping> mapping_;
  std::vector<char, UninitializedAllocator<char>> buffer_;
  std::string_view bytes_;
};

}  // namespace clgauss::io
