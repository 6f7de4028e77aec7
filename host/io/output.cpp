#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstdio>
#include <system_error>

#include "io/ascii.hpp"
#include "io/gzip.hpp"
#include "io/temporary.hpp"

namespace clgauss {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error_number) {
  throw FileError(path == "-" ? "standard output" : path,
                  std::generic_category().message(error_number));
}

/// The final target of `path`: follows symbolic links, even if the last one points to a file that
/// does not exist yet.
fs::path follow_links(const std::string& path) {
  constexpr int most_links = 40;  // the Linux kernel's limit
  fs::path target = path;
  std::error_code no_link;
  for (int i = 0; i < most_links && fs::is_symlink(target, no_link); ++i) {
    target = target.parent_path() / fs::read_symlink(target);
  }
  return target;
}

bool status_of(const std::string& path, struct stat& status) {
  return (path == "-" ? fstat(STDOUT_FILENO, &status) : stat(path.c_str(), &status)) == 0;
}

/// The canonical path of a file that may not exist yet.
fs::path place_of(const std::string& path) {
  std::error_code no_folder;  // reported when the file is opened
  return fs::weakly_canonical(fs::absolute(follow_links(path)), no_folder);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    file_ = stdout;
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (status.type() == fs::file_type::none) {  // a loop of links, or an inaccessible folder
    throw FileError(path_, error.message());
  }
  if (fs::is_directory(status)) {
    throw FileError(path_, "is a directory, a file is needed");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr) {
      fail(path_, errno);
    }
    return;
  }
  target_ = follow_links(path_);
  if (target_.filename().empty()) {
    fail(path_, ENOENT);
  }
  // Renaming would replace even a write-protected file.
  if (fs::exists(status) && access(target_.c_str(), W_OK) != 0) {
    fail(path_, errno);
  }
  temporary_ = std::make_unique<io::TemporaryFile>(target_);
  // A second descriptor, because the first one holds the lock on the file until it is renamed.
  io::Descriptor written;
  if (temporary_->file().open()) {
    written = io::Descriptor(fcntl(temporary_->file().number(), F_DUPFD_CLOEXEC, 0));
  }
  file_ = written.open() ? fdopen(written.number(), "wb") : nullptr;
  if (file_ == nullptr) {
    fail(path_, errno);
  }
  static_cast<void>(written.release());
  if (fs::exists(status)) {
    std::error_code keeps_default;  // keeping the old file's mode is optional
    fs::permissions(temporary_->path(), status.permissions(), keeps_default);
  }
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) {
    std::fclose(file_);
  }
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!gzip_ && io::lowercase(path_).ends_with(".gz"))
    gzip_ = std::make_unique<io::GzipWriter>(file_);
  const bool whole = gzip_ ? gzip_->write(bytes)
                           : std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  if (!whole) fail(path_, errno);
}

void OutputFile::commit() {
  std::FILE* file = file_;
  if (gzip_ && !gzip_->finish()) fail(path_, errno);
  if (std::fflush(file) != 0 || std::ferror(file) != 0) {
    fail(path_, errno);
  }
  if (file == stdout) {
    return;
  }
  file_ = nullptr;
  if (std::fclose(file) != 0) {  // a network file system may report a full disk only here
    fail(path_, errno);
  }
  if (temporary_) {
    if (const std::error_code error = temporary_->take_place(target_)) {
      throw FileError(path_, error.message());
    }
    temporary_.reset();
  }
}

bool same_output(const std::string& one, const std::string& other) {
  if (one == "-" && other == "-") {
    return true;
  }
  struct stat a {
  }, b{};
  const bool a_exists = status_of(one, a), b_exists = status_of(other, b);
  if (a_exists && b_exists) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && !S_ISCHR(a.st_mode);
  }
  return !a_exists && !b_exists && place_of(one) == place_of(other);
}

}  // namespace clgauss
