#pragma once
/// Files that are written under a temporary name beside their place.

#include <filesystem>
#include <system_error>

#include "io/descriptor.hpp"

namespace clgauss::io {

/// A new, empty file beside `target`, called like it and ".tmp-clgauss-PID-N". Removed at the end
/// of the scope, unless it took its place; by the next run into its folder, if this one is killed
/// before: as long as this process lives it holds a lock on the file (flock), so that no living
/// run's file is removed, whatever process or host its name speaks of.
class TemporaryFile {
 public:
  /// Removes first what killed runs of this user left in the folder. Check file().open(): errno
  /// says why not.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const Descriptor& file() const noexcept { return file_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Renames it to `target`, or says why not.
  [[nodiscard]] std::error_code take_place(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  Descriptor file_;
  bool there_ = false;
};

/// Removes every temporary file of this process. For the handler of a signal that ends it.
void remove_temporaries() noexcept;

}  // namespace clgauss::io
