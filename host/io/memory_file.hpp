#pragma once
/// A file in memory, for libraries that access files only by name.

#include <optional>
#include <string>
#include <string_view>

#include "io/descriptor.hpp"
#include "io/mapping.hpp"

namespace clgauss::io {

class MemoryFile {
 public:
  /// Throws OutOfMemory.
  MemoryFile();

  /// A path that is valid in this process and in children that it forks.
  [[nodiscard]] std::string path() const;
  void write(std::string_view bytes);
  /// Everything written so far; valid as long as this object. Throws OutOfMemory, which names
  /// `file`, if it cannot be mapped.
  [[nodiscard]] std::string_view bytes(const std::string& file);

 private:
  Descriptor file_;
  std::optional<Mapping> mapping_;
};

}  // namespace clgauss::io
