#include "io/memory_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <system_error>

#include "operating_system.hpp"

namespace clgauss::io {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw OutOfMemory(what + ": " + std::generic_category().message(errno));
}

}  // namespace

MemoryFile::MemoryFile() : file_(operating_system::open_memory_file()) {
  if (!file_.open()) fail("a file in memory");
}

std::string MemoryFile::path() const { return operating_system::name_of_open_file(file_.number()); }

void MemoryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.number(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail("a file in memory");
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string_view MemoryFile::bytes(const std::string& file) {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail(file);
  if (status.st_size == 0) return {};
  mapping_.emplace(file_.number(), static_cast<std::size_t>(status.st_size));
  if (!mapping_->mapped()) fail(file);
  return mapping_->bytes();
}

}  // namespace clgauss::io
