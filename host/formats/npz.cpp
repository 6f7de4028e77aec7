// NumPy .npz: a zip file of .npy files, through libzip.

#include <zip.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "formats/border.hpp"

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

constexpr std::size_t kPartBytes = std::size_t{1} << 20U;

std::runtime_error damaged() { return std::runtime_error("the zip archive is cut off or damaged"); }

Zip opened(const ForeignFile& file) {
  Source source(zip_source_buffer_create(file.bytes.data(), file.bytes.size(), 0, nullptr));
  Zip zip(zip_open_from_source(source.get(), ZIP_RDONLY, nullptr));
  if (!zip) throw damaged();
  static_cast<void>(source.release());  // now owned by the archive
  return zip;
}

std::vector<ArrayInfo> list_npz(const ForeignFile& file) {
  const Zip zip = opened(file);
  std::vector<ArrayInfo> found;
  const zip_int64_t entries = zip_get_num_entries(zip.get(), 0);
  for (zip_int64_t i = 0; i < entries; ++i) {
    zip_stat_t status{};
    if (zip_stat_index(zip.get(), static_cast<zip_uint64_t>(i), 0, &status) != 0 ||
        (status.valid & ZIP_STAT_NAME) == 0)
      continue;
    ArrayInfo info;
    info.name = status.name;
    if (!info.name.ends_with(kExtension)) continue;
    info.name.resize(info.name.size() - kExtension.size());
    if ((status.valid & ZIP_STAT_SIZE) != 0) info.bytes = status.size;
    found.push_back(std::move(info));
  }
  return found;
}

void read_npz(const ForeignFile& file, const ArrayInfo& array, const TakeBytes& take) {
  const Zip zip = opened(file);
  const ZipFile entry(zip_fopen(zip.get(), (array.name + std::string(kExtension)).c_str(), 0));
  if (!entry) throw damaged();
  std::vector<char> part(kPartBytes);
  while (const zip_int64_t got = zip_fread(entry.get(), part.data(), part.size())) {
    if (got < 0) throw damaged();
    take({part.data(), static_cast<std::size_t>(got)});
  }
}

void write_npz(std::span<const ForeignArray> arrays, const std::string& /*path*/,
               const TakeBytes& take) {
  const auto check = [](bool done) {
    if (!done) throw std::runtime_error("libzip cannot write the file");
  };
  // The archive takes one reference to its source. The other is kept, to read the result from it.
  const Source whole(zip_source_buffer_create(nullptr, 0, 0, nullptr));
  check(whole != nullptr);
  zip_source_keep(whole.get());
  Zip zip(zip_open_from_source(whole.get(), ZIP_TRUNCATE, nullptr));
  check(zip != nullptr);
  for (const ForeignArray& array : arrays) {
    const std::string& header = array.npy_header;
    const std::span<const double> values = array.values;
    // libzip does not write through these pointers.
    const std::array<zip_buffer_fragment_t, 2> parts = {
        {{reinterpret_cast<zip_uint8_t*>(const_cast<char*>(header.data())), header.size()},
         {reinterpret_cast<zip_uint8_t*>(const_cast<double*>(values.data())),
          values.size_bytes()}}};
    Source source(zip_source_buffer_fragment(zip.get(), parts.data(), values.empty() ? 1 : 2, 0));
    check(source != nullptr);
    const zip_int64_t index = zip_file_add(
        zip.get(), (array.name + std::string(kExtension)).c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    check(index >= 0);
    static_cast<void>(source.release());
    check(zip_set_file_compression(zip.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) ==
          0);
  }
  check(zip_close(zip.get()) == 0);
  static_cast<void>(zip.release());
  check(zip_source_open(whole.get()) == 0);
  std::vector<char> part(kPartBytes);
  while (const zip_int64_t got = zip_source_read(whole.get(), part.data(), part.size())) {
    check(got > 0);
    take({part.data(), static_cast<std::size_t>(got)});
  }
  zip_source_close(whole.get());
}

}  // namespace

}  // namespace clgauss::io

const clgauss::io::ForeignFormat clgauss_format = {"libzip", clgauss::io::list_npz,
                                                   clgauss::io::read_npz, clgauss::io::write_npz};
