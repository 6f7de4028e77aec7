// NumPy .npz: a zip file of .npy files, through libzip.

#include "io/archive.hpp"

#ifdef CLGAUSS_WITH_ZIP

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>

#include "io/bytes.hpp"

namespace clgauss::io {

namespace {

constexpr std::string_view kExtension = ".npy";

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Zip = std::unique_ptr<zip_t, CloseZip>;
using ZipFile = std::unique_ptr<zip_file_t, CloseZip>;
using Source = std::unique_ptr<zip_source_t, CloseZip>;

class NpzArchive : public Archive {
 public:
  NpzArchive(const Input& input, const ReadOptions& options);

  [[nodiscard]] std::vector<ArrayInfo> arrays() override;
  [[nodiscard]] Content read(const ArrayInfo& array) override;

 private:
  [[nodiscard]] static FormatError damaged(const std::string& name) {
    return {name, 0, 0, "the zip archive is cut off or damaged"};
  }

  const Input& input_;
  const ReadOptions& options_;
  Zip zip_;
};

NpzArchive::NpzArchive(const Input& input, const ReadOptions& options)
    : input_(input), options_(options) {
  Source source(zip_source_buffer_create(input.bytes().data(), input.bytes().size(), 0, nullptr));
  zip_.reset(zip_open_from_source(source.get(), ZIP_RDONLY, nullptr));
  if (!zip_) throw damaged(input.name());
  static_cast<void>(source.release());  // now owned by the archive
}

std::vector<ArrayInfo> NpzArchive::arrays() {
  std::vector<ArrayInfo> found;
  const zip_int64_t entries = zip_get_num_entries(zip_.get(), 0);
  for (zip_int64_t i = 0; i < entries; ++i) {
    const char* const text = zip_get_name(zip_.get(), static_cast<zip_uint64_t>(i), 0);
    std::string name = text == nullptr ? "" : text;
    if (!name.ends_with(kExtension)) continue;
    name.resize(name.size() - kExtension.size());
    found.push_back({std::move(name), 0, 0, {}});
  }
  return found;
}

Content NpzArchive::read(const ArrayInfo& array) {
  const std::string name = name_of(input_, array.name);
  const std::string entry = array.name + std::string(kExtension);
  zip_stat_t status{};
  const ZipFile file(zip_fopen(zip_.get(), entry.c_str(), 0));
  if (!file || zip_stat(zip_.get(), entry.c_str(), 0, &status) != 0) throw damaged(name);
  const Index most = most_unsized_bytes();
  if ((status.valid & ZIP_STAT_SIZE) != 0 && status.size > most)
    throw OutOfMemory(
        fmt::format("{}: unpacks to {}, more than the {} that are taken of such a file", name,
                    readable_bytes(status.size), readable_bytes(most)));
  Bytes bytes = read_all(name, "unpacks to", most, [&](char* place, std::size_t count) {
    const zip_int64_t got = zip_fread(file.get(), place, count);
    if (got < 0) throw damaged(name);
    return static_cast<std::size_t>(got);
  });
  return read_npy(Input(name, std::move(bytes)), options_);
}

}  // namespace

std::unique_ptr<Archive> open_npz(const Input& input, const ReadOptions& options) {
  return std::make_unique<NpzArchive>(input, options);
}

void write_npz(OutputFile& output, std::span<const NamedMatrix> arrays) {
  const auto check = [&](bool done) {
    if (!done)
      throw OutOfMemory(output.path() +
                        ": libzip cannot write the file, which is built in memory first");
  };
  // The archive takes one reference to its source. The other is kept, to read the result from it.
  const Source whole(zip_source_buffer_create(nullptr, 0, 0, nullptr));
  check(whole != nullptr);
  zip_source_keep(whole.get());
  Zip zip(zip_open_from_source(whole.get(), ZIP_TRUNCATE, nullptr));
  check(zip != nullptr);
  std::vector<std::string> headers;  // must stay in memory until the archive is closed
  headers.reserve(arrays.size());
  for (const auto& [name, matrix] : arrays) {
    const std::string& header =
        headers.emplace_back(npy_header(std::array{matrix.rows(), matrix.cols()}));
    const std::span<const double> values = matrix.values();
    // libzip does not write through these pointers.
    const std::array<zip_buffer_fragment_t, 2> parts = {
        {{reinterpret_cast<zip_uint8_t*>(const_cast<char*>(header.data())), header.size()},
         {reinterpret_cast<zip_uint8_t*>(const_cast<double*>(values.data())),
          values.size_bytes()}}};
    Source source(zip_source_buffer_fragment(zip.get(), parts.data(), values.empty() ? 1 : 2, 0));
    check(source != nullptr);
    const zip_int64_t index =
        zip_file_add(zip.get(), (std::string(name) + std::string(kExtension)).c_str(), source.get(),
                     ZIP_FL_ENC_UTF_8);
    check(index >= 0);
    static_cast<void>(source.release());
    check(zip_set_file_compression(zip.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) ==
          0);
  }
  check(zip_close(zip.get()) == 0);
  static_cast<void>(zip.release());
  check(zip_source_open(whole.get()) == 0);
  std::vector<char> part(std::size_t{1} << 20U);
  while (const zip_int64_t got = zip_source_read(whole.get(), part.data(), part.size())) {
    check(got > 0);
    output.write({part.data(), static_cast<std::size_t>(got)});
  }
  zip_source_close(whole.get());
}

}  // namespace clgauss::io

#else

namespace clgauss::io {

std::unique_ptr<Archive> open_npz(const Input& input, const ReadOptions& /*options*/) {
  refuse_unavailable(input.name(), FileFormat::npz);
}
void write_npz(OutputFile& file, std::span<const NamedMatrix> /*arrays*/) {
  refuse_unavailable(file.path(), FileFormat::npz);
}

}  // namespace clgauss::io

#endif
