#pragma once
/// gzip: what is read from it, and what is written to names that end in .gz.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes.hpp"

namespace clgauss::io {

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// What `bytes` unpack to, of one member or several. Throws FormatError if they are cut off or
/// damaged, OutOfMemory beyond `most` bytes: three megabytes can unpack to three gigabytes.
[[nodiscard]] Bytes unpacked(std::string_view bytes, const std::string& name, Index most);

/// Compresses into `file`, which stays open.
class GzipWriter {
 public:
  explicit GzipWriter(std::FILE* file);
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  ~GzipWriter();

  /// False if the file took less, as after fwrite().
  [[nodiscard]] bool write(std::string_view bytes);
  [[nodiscard]] bool finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace clgauss::io
