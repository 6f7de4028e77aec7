#pragma once
/// A mapped file that stays readable if the file is truncated.

#include <csignal>
#include <cstddef>
#include <string_view>

namespace clgauss::io {

/// The first `size` bytes of an open file, mapped for reading. If a page can no longer be read (the
/// file was truncated, its disk failed), the system sends SIGBUS. Then all bytes from that page on
/// read as zeros, and intact() returns false. The handler of that signal is installed while there
/// are mappings.
class Mapping {
 public:
  /// Check mapped(): it is false if the file could not be mapped, and errno gives the reason. Such
  /// a file can usually still be read.
  Mapping(int descriptor, std::size_t size);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  [[nodiscard]] bool mapped() const noexcept { return begin_ != nullptr; }
  [[nodiscard]] bool intact() const noexcept;
  [[nodiscard]] std::string_view bytes() const noexcept { return {begin_, size_}; }

 private:
  char* begin_ = nullptr;
  std::size_t size_;
  std::size_t place_ = 0;  // index among the ranges that the handler knows
};

/// Restores `before` as the SIGBUS handler. If mappings exist by now, their handler stays installed
/// and falls back to `before`. For code that lets others, such as drivers, replace handlers.
void restore_bus_handler(const struct sigaction& before);

}  // namespace clgauss::io
