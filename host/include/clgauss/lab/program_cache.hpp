#pragma once
/// The disk cache of built programs.

#include <clgauss/export.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

namespace io {
class Descriptor;
}

/// The turn to build a program, which ends when the last copy of this object, and every copy of the
/// open file in another process, is gone.
using Turn = std::shared_ptr<const io::Descriptor>;

/// A built program in the driver's format.
struct CachedProgram {
  std::string kernel_names;  // CL_PROGRAM_KERNEL_NAMES
  std::vector<unsigned char> binary;

  bool operator==(const CachedProgram&) const = default;
};

/// Built programs on disk, one file per program, written completely or not at all. A key contains
/// the source, the options, the device, its driver and its platform. A cache that is damaged,
/// foreign or not writable is not an error: fetch() then finds nothing and store() does nothing.
/// Because drivers execute what they load, nothing is read from a folder or file that anybody but
/// this user may write to, and no link is followed.
class ProgramCache {
 public:
  explicit ProgramCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<CachedProgram> fetch(const std::string& key) const;
  /// Stores a program. Also removes the temporary files of killed processes from the folder.
  void store(const std::string& key, const CachedProgram& program) const;
  void remove(const std::string& key) const;
  /// Removes the programs that were stored first until the others have `most_bytes` at most.
  void remove_oldest(std::uintmax_t most_bytes) const;
  /// The turn to build the program for `key`. Null if another thread or process has it now. Where
  /// the cache is off or cannot be used, everybody has a turn.
  [[nodiscard]] Turn try_turn(const std::string& key) const;
  /// Why an existing folder is not used; empty if it is used, or if the cache is off.
  [[nodiscard]] std::string problem() const;
  /// The path of the program for `key`; empty if the cache is off.
  [[nodiscard]] std::optional<std::filesystem::path> file_of(const std::string& key) const;
  [[nodiscard]] const std::optional<std::filesystem::path>& folder() const { return folder_; }

 private:
  std::optional<std::filesystem::path> folder_;
};

}  // namespace clgauss
