#pragma once
/// A file in memory that outlives its being cut short.

#include <csignal>
#include <cstddef>
#include <string_view>

namespace clgauss::io {

/// The first `size` bytes of an open file, mapped for reading. Bytes that cannot be had any more
/// (the file was cut short, its disk failed), for which the system sends SIGBUS, read as zeros from
/// the first such page on, and intact() says so; a handler of that signal is in place while there
/// are mappings.
class Mapping {
 public:
  /// Check mapped(): a file that cannot be mapped (errno says why) can mostly still be read.
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
  std::size_t place_ = 0;  // among the ranges that the handler knows
};

/// Makes the handler of SIGBUS again the one that was there before, beneath that of mappings that
/// there are by now: for who lets others, such as drivers, replace handlers.
void restore_bus_handler(const struct sigaction& before);

}  // namespace clgauss::io
