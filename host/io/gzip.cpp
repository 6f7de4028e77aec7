#include "io/gzip.hpp"

#include <algorithm>
#include <boost/iostreams/filter/gzip.hpp>
#include <clgauss/error.hpp>
#include <clgauss/export.hpp>

namespace clgauss::io {

namespace bio = boost::iostreams;

namespace {

struct BytesSource {
  using char_type = char;
  using category = bio::source_tag;

  std::string_view rest;

  std::streamsize read(char* place, std::streamsize count) {
    const std::size_t got = std::min(rest.size(), static_cast<std::size_t>(count));
    std::copy_n(rest.data(), got, place);
    rest.remove_prefix(got);
    return got == 0 ? -1 : static_cast<std::streamsize>(got);
  }
};

}  // namespace

Bytes unpacked(std::string_view bytes, const std::string& name, Index most) {
  constexpr std::streamsize kBuffer = 1 << 16;
  try {
    bio::gzip_decompressor gzip(bio::gzip::default_window_bits, kBuffer);
    BytesSource source{bytes};
    return read_all(name, "unpacks to", most, [&](char* place, std::size_t count) {
      const std::streamsize got = gzip.read(source, place, static_cast<std::streamsize>(count));
      return got < 0 ? std::size_t{0} : static_cast<std::size_t>(got);
    });
  } catch (const std::ios_base::failure&) {
    throw FormatError(name, 0, 0, "the compressed data are cut off or damaged");
  }
}

namespace {

struct FileSink {
  using char_type = char;
  using category = bio::sink_tag;

  std::FILE* file;
  bool whole = true;

  std::streamsize write(const char* bytes, std::streamsize count) {
    const auto wanted = static_cast<std::size_t>(count);
    whole = std::fwrite(bytes, 1, wanted, file) == wanted && whole;
    return count;
  }
};

}  // namespace

struct CLGAUSS_HIDDEN GzipWriter::Implementation {
  FileSink sink;
  bio::gzip_compressor gzip;
};

GzipWriter::GzipWriter(std::FILE* file) : implementation_(new Implementation{{file}, {}}) {}

GzipWriter::~GzipWriter() = default;

bool GzipWriter::write(std::string_view bytes) {
  auto& [sink, gzip] = *implementation_;
  gzip.write(sink, bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return sink.whole;
}

bool GzipWriter::finish() {
  auto& [sink, gzip] = *implementation_;
  gzip.close(sink, std::ios_base::out);
  return sink.whole;
}

}  // namespace clgauss::io
