#pragma once
/// Reports the progress of reading one file to a ProgressCallback, about every 4 MB.

#include <clgauss/io.hpp>
#include <string>

namespace clgauss::io {

class Progress {
 public:
  static constexpr std::size_t step_bytes = std::size_t{4} << 20;

  Progress(const ProgressCallback& callback, const std::string& file, std::size_t total_bytes)
      : callback_(callback), what_("reading " + file), total_bytes_(total_bytes) {}

  /// The first `done_bytes` of the file are parsed. Calls between two reports are cheap.
  void at(std::size_t done_bytes) {
    if (done_bytes < next_bytes_ || !callback_) {
      return;
    }
    next_bytes_ = done_bytes + step_bytes;
    callback_(what_, static_cast<double>(done_bytes) / static_cast<double>(total_bytes_));
  }
  void finish() const {
    if (callback_) {
      callback_(what_, 1.0);
    }
  }

 private:
  const ProgressCallback& callback_;
  std::string what_;
  std::size_t total_bytes_;
  std::size_t next_bytes_ = step_bytes;
};

}  // namespace clgauss::io
