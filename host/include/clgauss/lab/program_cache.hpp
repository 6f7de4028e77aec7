#pragma once
/// Built programs on disk.

#include <clgauss/export.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// A built program as the driver gave it.
struct CachedProgram {
  std::string kernel_names;  // CL_PROGRAM_KERNEL_NAMES
  std::vector<unsigned char> binary;

  bool operator==(const CachedProgram&) const = default;
};

/// Built programs on disk, one file a program, written whole or not at all. A key holds the source,
/// the options, the device, its driver and its platform. A cache that is damaged, foreign or not
/// writable is never an error: fetch() then finds nothing and store() does nothing. Drivers run
/// what they are given, so nothing is taken from a folder or a file that anybody but this user may
/// write to, and no link is followed.
class ProgramCache {
 public:
  explicit ProgramCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<CachedProgram> fetch(const std::string& key) const;
  /// Also removes what processes that were killed left in the folder.
  void store(const std::string& key, const CachedProgram& program) const;
  void remove(const std::string& key) const;
  /// Why a folder that is there is not used; empty if it is, or if the cache is off.
  [[nodiscard]] std::string problem() const;
  /// Where the program of `key` lies; empty if the cache is off.
  [[nodiscard]] std::optional<std::filesystem::path> file_of(const std::string& key) const;
  [[nodiscard]] const std::optional<std::filesystem::path>& folder() const { return folder_; }

 private:
  std::optional<std::filesystem::path> folder_;
};

}  // namespace clgauss
