#pragma once
/// A file descriptor that is closed at the end of the scope.

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace clgauss::io {

class Descriptor {
 public:
  Descriptor() = default;
  /// Takes ownership of a descriptor that open() returned.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { (void)close(); }

  [[nodiscard]] bool open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }
  /// Closes the file. False if written data did not reach the disk.
  [[nodiscard]] bool close() noexcept {
    return !open() || ::close(std::exchange(number_, -1)) == 0;
  }
  /// Returns the descriptor, which the caller must close.
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// Writes all of `bytes`. On failure it returns false and sets errno.
[[nodiscard]] inline bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace clgauss::io
