#pragma once
/// Temporary folders.

#include <stdlib.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <filesystem>
#include <string>
#include <system_error>

namespace clgauss {

/// A new empty folder in the system's temporary directory. The folder and its contents are removed
/// at the end of the scope. Throws FileError if the folder cannot be made.
class TemporaryFolder {
 public:
  /// The folder's name begins with `name`.
  explicit TemporaryFolder(const std::string& name = "clgauss") {
    std::string path = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr)
      throw FileError(path, std::generic_category().message(errno));
    path_ = path;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code nobody_to_tell;
    std::filesystem::remove_all(path_, nobody_to_tell);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace clgauss
