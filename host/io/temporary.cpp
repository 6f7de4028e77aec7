#include "io/temporary.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <system_error>

namespace clgauss::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-clgauss-";

/// The file names for remove_temporaries(), which may neither lock nor allocate.
struct Name {
  std::atomic<bool> taken = false, set = false;
  std::array<char, PATH_MAX> text;
};
std::array<Name, 16> names;  // global, because a signal handler gets no argument

void remember(const fs::path& path) {
  const std::string& text = path.native();
  for (Name& name : names) {
    if (text.size() >= name.text.size() || name.taken.exchange(true)) continue;
    std::copy_n(text.c_str(), text.size() + 1, name.text.begin());
    name.set = true;
    return;
  }
}

void forget(const fs::path& path) {
  for (Name& name : names) {
    if (!name.set || path != name.text.data()) continue;
    name.set = false;
    name.taken = false;
    return;
  }
}

/// Whether `name` ends in the mark, a process id and a number.
bool is_temporary(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return false;
  const std::string_view numbers = name.substr(mark + kMark.size());
  const std::size_t dash = numbers.find('-');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dash != std::string_view::npos && is_number(numbers.substr(0, dash)) &&
         is_number(numbers.substr(dash + 1));
}

bool is_at(const Descriptor& file, const fs::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file.number(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Removes `path` if it is a file of this user that no living process has locked. Errors are
/// ignored, as this is optional.
void remove_if_left(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.open() || ::fstat(file.number(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return;
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) return;
  if (is_at(file, path)) ::unlink(path.c_str());
}

void remove_left(const fs::path& folder) {
  std::error_code unreadable;
  fs::directory_iterator entry(folder, unreadable);
  for (; entry != fs::directory_iterator(); entry.increment(unreadable)) {
    if (unreadable) return;
    if (is_temporary(entry->path().filename().native())) remove_if_left(entry->path());
  }
}

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& target) {
  remove_left(target.has_parent_path() ? target.parent_path() : ".");
  for (int attempt = 0; attempt < 1000; ++attempt) {
    path_ = target;
    path_ += fmt::format("{}{}-{}", kMark, ::getpid(), attempt);
    // Refuses existing files, which may be someone else's, and planted links.
    file_ = Descriptor(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_.open() && errno == EEXIST) continue;
    if (!file_.open()) return;
    // Before the file was locked, another run may have removed it as the leftover of a killed run.
    // Where locks do not work, no run removes files.
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;
    if (!is_at(file_, path_)) continue;
    remember(path_);
    there_ = true;
    return;
  }
  file_ = {};
  errno = EEXIST;
}

TemporaryFile::~TemporaryFile() {
  if (!there_) return;
  ::unlink(path_.c_str());
  forget(path_);
}

std::error_code TemporaryFile::take_place(const fs::path& target) {
  std::error_code error;
  fs::rename(path_, target, error);
  if (error) return error;
  forget(path_);
  there_ = false;
  return {};
}

void remove_temporaries() noexcept {
  for (const Name& name : names)
    if (name.set) ::unlink(name.text.data());
}

}  // namespace clgauss::io
