#include "io/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clgauss/error.hpp>
#include <system_error>

#include "io/descriptor.hpp"
#include "io/memory.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

std::vector<char, UninitializedAllocator<char>> read_whole(int descriptor,
                                                           const std::string& name) {
  std::vector<char, UninitializedAllocator<char>> bytes;
  std::size_t used = 0;
  const std::size_t most = physical_memory();
  while (true) {
    if (used == bytes.size()) {
      if (used > most / 2) {
        throw OutOfMemory(
            fmt::format("{}: more than {} of input do not fit this machine's {} of memory", name,
                        readable_bytes(used), readable_bytes(most)));
      }
      try {
        bytes.resize(used == 0 ? std::size_t{1} << 16 : 2 * used);
      } catch (const OutOfMemory& error) {
        throw OutOfMemory(fmt::format("{}: {}", name, error.what()));
      }
    }
    const ssize_t got = ::read(descriptor, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw FileError(name, reason_of(errno));
    }
    if (got == 0) {
      bytes.resize(used);
      return bytes;
    }
    used += static_cast<std::size_t>(got);
  }
}

}  // namespace

Input::Input(const std::string& path) : name_(path == "-" ? "standard input" : path) {
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
  // The size 0 may be a lie (files under /proc), and an empty file cannot be mapped; standard input may stand in mid-file.
  if (file && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    mapping_.emplace(descriptor, size);
    if (!mapping_->mapped() && errno == ENOMEM) {
      throw OutOfMemory(
          fmt::format("{}: {} of input do not fit the memory that this program may use", name_,
                      readable_bytes(size)));
    }
  }
  if (mapping_ && mapping_->mapped()) {
    bytes_ = mapping_->bytes();
  } else {  // also what lies where no file can be mapped
    buffer_ = read_whole(descriptor, name_);
    bytes_ = {buffer_.data(), buffer_.size()};
  }
  if (bytes_.starts_with(utf8_mark)) {
    bytes_.remove_prefix(utf8_mark.size());
  }
  if (bytes_.empty()) {
    throw FormatError(name_, 0, 0, "the file is empty");
  }
}

void Input::require_intact() const {
  if (mapping_ && mapping_->mapped() && !mapping_->intact()) {
    throw FileError(name_, "was cut short while it was read, or its disk failed");
  }
}

}  // namespace clgauss::io
