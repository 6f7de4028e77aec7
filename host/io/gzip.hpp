#pragma once
/// gzip: unpacks input, and compresses output whose name ends in .gz.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes.hpp"

namespace clgauss::io {

[[nodiscard]] inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// The unpacked `bytes`, of one gzip member or several. Throws FormatError if they are truncated or
/// damaged, OutOfMemory beyond `most` bytes: three megabytes can unpack to three gigabytes.
[[nodiscard]] Bytes unpacked(std::string_view bytes, const std::string& name, Index most);

/// Compresses to `file`, which stays open.
class GzipWriter {
 public:
  explicit GzipWriter(std::FILE* file);
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  ~GzipWriter();

  /// False if the file did not accept everything, as with fwrite().
  [[nodiscard]] bool write(std::string_view bytes);
  [[nodiscard]] bool finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace clgauss::io
