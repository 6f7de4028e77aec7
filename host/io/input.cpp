#include "io/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <system_error>

#include "io/descriptor.hpp"
#include "io/gzip.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

Bytes read_whole(int descriptor, const std::string& name) {
  return read_all(name, "holds", most_unsized_bytes(), [&](char* place, std::size_t count) {
    while (true) {
      const ssize_t got = ::read(descriptor, place, count);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw FileError(name, reason_of(errno));
    }
  });
}

}  // namespace

Input::Input(const std::string& path, Index most_unpacked) : name_(name_of(path)) {
  std::optional<Descriptor> file;
  if (path != "-") {
    file.emplace(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file->open()) {
      throw FileError(name_, reason_of(errno));
    }
  }
  const int descriptor = file ? file->number() : STDIN_FILENO;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    throw FileError(name_, reason_of(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    throw FileError(name_, "is a directory, a file is needed");
  }
  // A size of 0 may be wrong (files under /proc), and an empty file cannot be mapped. Standard
  // input may be positioned in the middle of a file.
  if (file && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    mapping_.emplace(descriptor, size);
    if (!mapping_->mapped() && errno == ENOMEM) {
      throw OutOfMemory(
          fmt::format("{}: {} of input do not fit the memory that this program may use", name_,
                      readable_bytes(size)));
    }
  }
  if (mapped()) {
    bytes_ = mapping_->bytes();
  } else {  // also files on file systems that cannot map them
    buffer_ = read_whole(descriptor, name_);
    bytes_ = {buffer_.data(), buffer_.size()};
  }
  if (is_gzip(bytes_)) unpack(most_unpacked);
  if (bytes_.starts_with(utf8_mark)) {
    bytes_.remove_prefix(utf8_mark.size());
  }
  if (bytes_.empty()) {
    throw FormatError(name_, 0, 0, "the file is empty");
  }
}

void Input::unpack(Index most) {
  buffer_ = parsed([&] { return unpacked(bytes_, name_, most); });
  bytes_ = {buffer_.data(), buffer_.size()};
  mapping_.reset();
}

void Input::require_intact() const {
  if (mapped() && !mapping_->intact()) {
    throw FileError(name_, "was cut short while it was read, or its disk failed");
  }
}

}  // namespace clgauss::io
