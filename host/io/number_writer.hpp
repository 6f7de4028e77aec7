#pragma once
/// Writes numbers as text in large blocks, either in the shortest form that reads back the same or
/// with a given number of digits.

#include <charconv>
#include <clgauss/io.hpp>
#include <string>

namespace clgauss::io {

class NumberWriter {
 public:
  NumberWriter(OutputFile& file, const WriteOptions& options)
      : file_(file), digits_(options.digits.value_or(0)), buffer_(buffer_bytes, '\0') {}

  /// Appends `value` and `separator`.
  void number(double value, char separator) {
    if (buffer_.size() - used_ < longest) {
      flush();
    }
    char* at = buffer_.data() + used_;
    at = digits_ > 0
             ? std::to_chars(at, at + longest, value, std::chars_format::general, digits_).ptr
             : std::to_chars(at, at + longest, value).ptr;
    *at++ = separator;
    used_ = static_cast<std::size_t>(at - buffer_.data());
  }

  /// Call it after the last number. The destructor does not flush, because it could not report a
  /// full disk.
  void flush() {
    file_.write(std::string_view(buffer_).substr(0, used_));
    used_ = 0;
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
  static constexpr std::size_t longest = 32;  // -1.2345678901234567e-308 takes 24

  OutputFile& file_;
  int digits_;  // 0: the shortest form
  std::string buffer_;
  std::size_t used_ = 0;
};

}  // namespace clgauss::io
