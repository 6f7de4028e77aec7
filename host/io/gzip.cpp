#include "io/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/export.hpp>
#include <new>
#include <optional>

namespace clgauss::io {

namespace {

/// zlib's widest window, in the format of gzip.
constexpr int kGzipWindow = MAX_WBITS + 16;
/// zlib's own default.
constexpr int kMemoryLevel = 8;

/// zlib counts the bytes at a stream's ends in 32 bits.
uInt at_most(std::size_t count) {
  return static_cast<uInt>(std::min(count, std::size_t{1} << 30U));
}

Bytef* bytes_of(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() { inflateEnd(&stream_); }

  /// Up to `count` further bytes of the content, as many as there are; no value if the data are
  /// damaged or end within a member.
  std::optional<std::size_t> read(char* place, std::size_t count) {
    stream_.next_out = bytes_of(place);
    stream_.avail_out = at_most(count);
    while (stream_.avail_out > 0 && !(rest_.empty() && between_members_)) {
      if (between_members_) inflateReset(&stream_);
      const uInt given = at_most(rest_.size());
      stream_.next_in = bytes_of(rest_.data());
      stream_.avail_in = given;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      rest_.remove_prefix(given - stream_.avail_in);
      between_members_ = code == Z_STREAM_END;
      if (code != Z_OK && code != Z_STREAM_END) return std::nullopt;  // also: no input is left
    }
    return static_cast<std::size_t>(stream_.next_out - bytes_of(place));
  }

 private:
  std::string_view rest_;
  bool between_members_ = false;
  z_stream stream_{};
};

}  // namespace

Bytes unpacked(std::string_view bytes, const std::string& name, Index most) {
  Unpacker unpacker(bytes);
  return read_all(name, "unpacks to", most, [&](char* place, std::size_t count) {
    const std::optional<std::size_t> got = unpacker.read(place, count);
    if (!got) throw FormatError(name, 0, 0, "the compressed data are cut off or damaged");
    return *got;
  });
}

struct CLGAUSS_HIDDEN GzipWriter::Implementation {
  std::FILE* file;
  z_stream stream{};
  bool whole = true;

  /// Compresses `bytes` and writes what comes out; with Z_FINISH also the end of the member.
  void write(std::string_view bytes, int flush) {
    std::array<char, 1 << 16> packed;
    do {
      const uInt given = at_most(bytes.size());
      stream.next_in = bytes_of(bytes.data());
      stream.avail_in = given;
      do {
        stream.next_out = bytes_of(packed.data());
        stream.avail_out = static_cast<uInt>(packed.size());
        deflate(&stream, flush);
        const std::size_t made = packed.size() - stream.avail_out;
        whole = std::fwrite(packed.data(), 1, made, file) == made && whole;
      } while (stream.avail_out == 0);
      bytes.remove_prefix(given);
    } while (!bytes.empty());
  }
};

GzipWriter::GzipWriter(std::FILE* file) : implementation_(new Implementation{file}) {
  if (deflateInit2(&implementation_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow,
                   kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipWriter::~GzipWriter() { deflateEnd(&implementation_->stream); }

bool GzipWriter::write(std::string_view bytes) {
  implementation_->write(bytes, Z_NO_FLUSH);
  return implementation_->whole;
}

bool GzipWriter::finish() {
  implementation_->write({}, Z_FINISH);
  return implementation_->whole;
}

}  // namespace clgauss::io
