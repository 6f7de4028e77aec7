// HDF5 datasets of one or two dimensions, through libhdf5. https://docs.hdfgroup.org/hdf5/v1_10/

#define H5_USE_110_API  // later releases keep this API
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "formats/border.hpp"
#include "io/exact.hpp"

namespace clgauss::io {

namespace {

/// The result of H5Xopen() or H5Xcreate(), closed at the end of the scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id_ < 0)
      throw std::runtime_error(
          fmt::format("the file is damaged, or not HDF5: libhdf5 finds no {}", what));
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const {
    return id_;
  }  // NOLINT(google-explicit-constructor): as libhdf5 uses them

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status, const char* what) {
  if (status < 0)
    throw std::runtime_error(
        fmt::format("the file is cut off or damaged: libhdf5 cannot {}", what));
}

/// By default, libhdf5 also prints every error that it returns. This turns printing off and
/// restores the caller's setting at the end of the scope.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// libhdf5 opens no file by the name of a link in /proc. This is a path that no file on disk can
/// have, for a file in memory.
constexpr const char* kNoPlace = "/dev/null/clgauss";

/// Access to a file in memory, which is never written to disk; or to a file on disk without locks,
/// because some network file systems have none and nothing is written.
Handle access_to(std::optional<std::string_view> in_memory) {
  constexpr std::size_t kStep = std::size_t{1} << 20U;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (!in_memory) {
    H5Pset_file_locking(access, false, true);
  } else {
    H5Pset_fapl_core(access, kStep, false);
    // libhdf5 copies the image.
    if (!in_memory->empty())
      H5Pset_file_image(access, const_cast<char*>(in_memory->data()), in_memory->size());
  }
  return {access, H5Pclose, "access"};
}

Handle opened(const ForeignFile& file) {
  const Handle access = access_to(file.is_copy ? std::optional(file.bytes) : std::nullopt);
  return {H5Fopen(file.is_copy ? kNoPlace : file.path().c_str(), H5F_ACC_RDONLY, access), H5Fclose,
          "signature or superblock"};
}

std::string obstacle_of(hid_t type, int rank) {
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
    case H5T_INTEGER:
      if (H5Tget_size(type) > sizeof(double)) return "has numbers of more than 64 bits";
      break;
    case H5T_COMPOUND:
      return H5Tget_nmembers(type) == 2 ? "is complex, only real numbers are read"
                                        : "has elements of several parts";
    case H5T_STRING:
      return "holds text";
    default:
      return "holds no floating-point or whole numbers";
  }
  return rank == 1 || rank == 2 ? "" : fmt::format("has {} dimensions, 1 and 2 are read", rank);
}

ArrayInfo info_of(hid_t dataset, std::string name) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "type");
  const Handle space(H5Dget_space(dataset), H5Sclose, "shape");
  const int rank = H5Sget_simple_extent_ndims(space);
  ArrayInfo info{std::move(name), 0, 0, obstacle_of(type, rank)};
  if (!info.obstacle.empty()) return info;
  std::array<hsize_t, 2> shape = {0, 1};
  check(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "tell its shape");
  info.rows = shape[0];
  info.cols = shape[1];
  return info;
}

herr_t add_dataset(hid_t file, const char* name, const H5O_info_t* object, void* list) {
  constexpr std::size_t kMost = 10'000;
  auto& found = *static_cast<std::vector<ArrayInfo>*>(list);
  if (object->type != H5O_TYPE_DATASET) return 0;
  try {
    const Handle dataset(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, "dataset");
    found.push_back(info_of(dataset, std::string("/") + name));
  } catch (const std::runtime_error&) {  // an exception must not pass through libhdf5, the caller
    found.push_back({std::string("/") + name, 0, 0, "is damaged"});
  }
  return found.size() < kMost ? 0 : 1;
}

std::vector<ArrayInfo> list_h5(const ForeignFile& from) {
  const Silence silence;
  const Handle file = opened(from);
  std::vector<ArrayInfo> found;
  check(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, add_dataset, &found), "list what it holds");
  return found;
}

/// About 8 MB, rounded to whole rows of chunks, so that each chunk is unpacked only once.
Index rows_at_once(hid_t dataset, Index cols) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose, "layout");
  std::array<hsize_t, 2> chunk = {1, 1};
  if (H5Pget_layout(creation) == H5D_CHUNKED) H5Pget_chunk(creation, 2, chunk.data());
  const Index rows = (Index{1} << 20U) / std::max<Index>(cols, 1) + 1;
  return (rows + chunk[0] - 1) / chunk[0] * chunk[0];
}

template <typename Integer>
void read_integers(hid_t dataset, hid_t type, hid_t memory, hid_t space, std::span<double> numbers,
                   Index first_row, Index cols) {
  std::vector<Integer> integers(numbers.size());
  check(H5Dread(dataset, type, memory, space, H5P_DEFAULT, integers.data()), "read it");
  for (Index i = 0; i < integers.size(); ++i) {
    if (!is_exact(integers[i]))
      throw std::runtime_error(inexact_text(integers[i], first_row + i / cols, i % cols));
    numbers[i] = static_cast<double>(integers[i]);
  }
}

void read_h5(const ForeignFile& from, const ArrayInfo& array, const TakeBytes& take) {
  const Silence silence;
  const Handle file = opened(from);
  const Handle dataset(H5Dopen2(file, array.name.c_str(), H5P_DEFAULT), H5Dclose, "dataset");
  const Handle type(H5Dget_type(dataset), H5Tclose, "type");
  const Handle space(H5Dget_space(dataset), H5Sclose, "shape");
  if (array.rows == 0 || array.cols == 0) return;
  const Index step = std::min(rows_at_once(dataset, array.cols), array.rows);
  std::vector<double> numbers(step * array.cols);
  for (Index row = 0; row < array.rows; row += step) {
    const std::array<hsize_t, 2> from = {row, 0},
                                 count = {std::min(step, array.rows - row), array.cols};
    const std::span<double> part(numbers.data(), count[0] * count[1]);
    const hsize_t length = part.size();
    const Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose, "memory");
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr),
          "select it");
    if (H5Tget_class(type) == H5T_FLOAT)
      check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part.data()),
            "read it");
    else if (H5Tget_sign(type) == H5T_SGN_NONE)
      read_integers<std::uint64_t>(dataset, H5T_NATIVE_UINT64, memory, space, part, row,
                                   array.cols);
    else
      read_integers<std::int64_t>(dataset, H5T_NATIVE_INT64, memory, space, part, row, array.cols);
    take({reinterpret_cast<const char*>(part.data()), part.size_bytes()});
  }
}

void write_h5(std::span<const ForeignArray> arrays, const std::string& /*path*/,
              const TakeBytes& take) {
  const Silence silence;
  const Handle file(H5Fcreate(kNoPlace, H5F_ACC_TRUNC, H5P_DEFAULT, access_to("")), H5Fclose,
                    "room");
  for (const ForeignArray& array : arrays) {
    const std::array<hsize_t, 2> shape = {array.rows, array.cols};
    const Handle space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "room");
    const Handle dataset(H5Dcreate2(file, array.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose, "room");
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()),
          "write it");
  }
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "write it");
  const ssize_t bytes = H5Fget_file_image(file, nullptr, 0);
  check(bytes < 0 ? -1 : 0, "write it");
  const auto size = static_cast<std::size_t>(bytes);
  const auto whole = std::make_unique_for_overwrite<char[]>(size);
  check(H5Fget_file_image(file, whole.get(), size) < 0 ? -1 : 0, "write it");
  take({whole.get(), size});
}

}  // namespace

}  // namespace clgauss::io

const clgauss::io::ForeignFormat clgauss_format = {"libhdf5", clgauss::io::list_h5,
                                                   clgauss::io::read_h5, clgauss::io::write_h5};
