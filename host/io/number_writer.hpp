#pragma once
/// Numbers to text with 17 significant digits, in large writes.

#include <charconv>
#include <clgauss/io.hpp>
#include <string>

namespace clgauss::io {

class NumberWriter {
 public:
  explicit NumberWriter(OutputFile& file) : file_(file), buffer_(buffer_bytes, '\0') {}

  /// Appends `value` and `separator`.
  void number(double value, char separator) {
    if (buffer_.size() - used_ < longest) {
      flush();
    }
    char* at = buffer_.data() + used_;
    at = std::to_chars(at, at + longest, value, std::chars_format::general, 17).ptr;
    *at++ = separator;
    used_ = static_cast<std::size_t>(at - buffer_.data());
  }

  /// To be called after the last number. The destructor does not flush, for it could not report a
  /// full disk.
  void flush() {
    file_.write(std::string_view(buffer_).substr(0, used_));
    used_ = 0;
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
  static constexpr std::size_t longest = 32;  // -1.2345678901234567e-308 takes 24

  OutputFile& file_;
  std::string buffer_;
  std::size_t used_ = 0;
};

}  // namespace clgauss::io
