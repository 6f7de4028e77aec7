#pragma once
/// A file without a place on a disk, for libraries that read and write by name alone.

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

  /// A name for this process, and for children that it forks.
  [[nodiscard]] std::string path() const;
  void write(std::string_view bytes);
  /// All that was written; of the first call for good. Throws FileError, which names `file`, if
  /// that is not in memory.
  [[nodiscard]] std::string_view bytes(const std::string& file);

 private:
  Descriptor file_;
  std::optional<Mapping> mapping_;
};

}  // namespace clgauss::io
