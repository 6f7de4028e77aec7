#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clgauss/error.hpp>
#include <clgauss/lab/tuned.hpp>
#include <system_error>

#include "file_content.hpp"
#include "session/environment.hpp"

namespace clgauss {

namespace {

namespace fs = std::filesystem;

/// A lock that one process at a time can hold. Released at the end of the scope, or of the process.
class FileLock {
 public:
  explicit FileLock(const fs::path& path)
      : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw FileError(path.string(), std::generic_category().message(errno));
    while (flock(descriptor_, LOCK_EX) != 0)
      if (errno != EINTR) {
        const int error = errno;
        close(descriptor_);
        throw FileError(path.string(), std::generic_category().message(error));
      }
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { close(descriptor_); }

 private:
  int descriptor_;
};

bool same_place(const TunedEntry& a, const TunedEntry& b) {
  return a.what == b.what && a.type == b.type && a.n == b.n;
}

}  // namespace

TunedStore TunedStore::of_environment() { return TunedStore(user_tuned_folder()); }

std::optional<fs::path> TunedStore::file_of(const DeviceProfile& device) const {
  return folder_ ? std::optional(*folder_ / tuned_path(device)) : std::nullopt;
}

TunedDevice TunedStore::read(const DeviceProfile& device) const {
  const auto path = file_of(device);
  std::error_code not_there;
  if (!path || !fs::exists(*path, not_there))
    return {device.name, device.vendor, device.platform_name, device.compute_units, {}};
  return parse_tuned(file_content(*path), path->string());
}

std::vector<fs::path> TunedStore::files() const {
  std::vector<fs::path> paths;
  std::error_code not_there;
  if (!folder_ || !fs::exists(*folder_, not_there)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(*folder_, not_there))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

void TunedStore::put(const DeviceProfile& device, std::span<const TunedEntry> entries) const {
  const auto path = file_of(device);
  if (!path)
    throw FileError("the store of tuned numbers",
                    "set XDG_DATA_HOME or HOME to an absolute folder");
  std::error_code error;
  fs::create_directories(path->parent_path(), error);
  if (error) throw FileError(path->parent_path().string(), error.message());
  const FileLock lock(path->string() + ".lock");
  TunedDevice tuned = read(device);
  for (const TunedEntry& entry : entries) {
    std::erase_if(tuned.entries, [&](const TunedEntry& old) { return same_place(old, entry); });
    tuned.entries.push_back(entry);
  }
  write_whole(*path, tuned_text(tuned));
}

}  // namespace clgauss
