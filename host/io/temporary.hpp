#pragma once
/// Files that are written under a temporary name in the folder of their target.

#include <filesystem>
#include <system_error>

#include "io/descriptor.hpp"

namespace clgauss::io {

/// A new, empty file beside `target`, with the same name and ".tmp-clgauss-PID-N" appended. It is
/// removed at the end of the scope unless it replaced the target. If this run is killed, the next
/// run that writes to the folder removes it. A lock (flock) held by this process protects the file
/// meanwhile. So no file of a living run is removed, whatever process or host its name refers to.
class TemporaryFile {
 public:
  /// First removes what killed runs of this user left in the folder. Check file().open(); if it is
  /// false, errno gives the reason.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const Descriptor& file() const noexcept { return file_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Renames the file to `target`; returns the error if that fails.
  [[nodiscard]] std::error_code take_place(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  Descriptor file_;
  bool there_ = false;
};

/// Removes every temporary file of this process. Safe in a handler of a signal that ends the
/// process.
void remove_temporaries() noexcept;

}  // namespace clgauss::io
