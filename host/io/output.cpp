#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstdio>
#include <mutex>
#include <set>
#include <system_error>

namespace clgauss {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error_number) {
  throw FileError(path == "-" ? "standard output" : path,
                  std::generic_category().message(error_number));
}

/// Where writing to `path` ends up: symbolic links followed, the last one even if it points to
/// nothing yet.
fs::path follow_links(const std::string& path) {
  constexpr int most_links = 40;  // as the Linux kernel
  fs::path target = path;
  std::error_code no_link;
  for (int i = 0; i < most_links && fs::is_symlink(target, no_link); ++i) {
    target = target.parent_path() / fs::read_symlink(target);
  }
  return target;
}

/// The temporary files of all OutputFiles, which a thread that ends the program removes. Never destroyed: that thread may come
/// while main() returns.
struct Temporaries {
  std::mutex mutex;
  std::set<fs::path> paths;

  static Temporaries& all() {
    static auto* const temporaries = new Temporaries;
    return *temporaries;
  }
  void add(const fs::path& path) {
    const std::scoped_lock lock(mutex);
    paths.insert(path);
  }
  void forget(const fs::path& path) {
    const std::scoped_lock lock(mutex);
    paths.erase(path);
  }
};

}  // namespace

void OutputFile::remove_all_temporaries() {
  Temporaries& temporaries = Temporaries::all();
  const std::scoped_lock lock(temporaries.mutex);
  std::error_code nobody_to_tell;
  for (const fs::path& path : temporaries.paths) fs::remove(path, nobody_to_tell);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    file_ = stdout;
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (status.type() == fs::file_type::none) {  // a loop of links, a folder that may not be searched
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
  // Renaming would also replace a file that is protected against writing.
  if (fs::exists(status) && access(target_.c_str(), W_OK) != 0) {
    fail(path_, errno);
  }
  // "x": never write into a file of someone else; one left behind by a crash is passed over.
  for (int attempt = 0; file_ == nullptr; ++attempt) {
    temporary_ = target_;
    temporary_ += fmt::format(".tmp-{}-{}", getpid(), attempt);
    file_ = std::fopen(temporary_.c_str(), "wbx");
    if (file_ == nullptr && (errno != EEXIST || attempt == 1000)) {
      fail(path_, errno);
    }
  }
  Temporaries::all().add(temporary_);
  if (fs::exists(status)) {
    std::error_code keeps_default;  // the mode of the old file is a courtesy
    fs::permissions(temporary_, status.permissions(), keeps_default);
  }
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) {
    std::fclose(file_);
  }
  if (!temporary_.empty()) {
    std::error_code nobody_to_tell;
    fs::remove(temporary_, nobody_to_tell);
    Temporaries::all().forget(temporary_);
  }
}

void OutputFile::write(std::string_view bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail(path_, errno);
  }
}

void OutputFile::commit() {
  std::FILE* file = file_;
  if (std::fflush(file) != 0 || std::ferror(file) != 0) {
    fail(path_, errno);
  }
  if (file == stdout) {
    return;
  }
  file_ = nullptr;
  if (std::fclose(file) != 0) {  // a network file system may find the disk full only now
    fail(path_, errno);
  }
  if (!temporary_.empty()) {
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) {
      throw FileError(path_, error.message());
    }
    Temporaries::all().forget(temporary_);
    temporary_.clear();
  }
}

}  // namespace clgauss
