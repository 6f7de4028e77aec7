// MATLAB's .mat, levels 4, 5 and 7.3, through libmatio. The format is column-major.
// https://www.mathworks.com/help/pdf_doc/matlab/matfile_format.pdf

#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>

#include "formats/border.hpp"
#include "io/exact.hpp"

namespace clgauss::io {

namespace {

struct Close {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, Close>;
using File = std::unique_ptr<mat_t, Close>;

File opened(const ForeignFile& from) {
  File file(Mat_Open(from.path().c_str(), MAT_ACC_RDONLY));
  if (!file)
    throw std::runtime_error("the file is cut off or damaged, or not a .mat of level 4, 5 or 7.3");
  if (from.is_copy && Mat_GetVersion(file.get()) == MAT_FT_MAT73)
    throw std::runtime_error("a .mat of level 7.3 is read neither packed nor from a pipe");
  return file;
}

std::string obstacle_of(const matvar_t& variable) {
  switch (variable.class_type) {
    case MAT_C_CELL:
      return "is a cell array";
    case MAT_C_STRUCT:
      return "is a struct";
    case MAT_C_CHAR:
      return "holds text";
    case MAT_C_SPARSE:
    case MAT_C_DOUBLE:
    case MAT_C_SINGLE:
    case MAT_C_INT8:
    case MAT_C_UINT8:
    case MAT_C_INT16:
    case MAT_C_UINT16:
    case MAT_C_INT32:
    case MAT_C_UINT32:
    case MAT_C_INT64:
    case MAT_C_UINT64:
      break;
    default:
      return "holds no numbers";
  }
  return variable.rank == 2 ? "" : fmt::format("has {} dimensions, 2 are read", variable.rank);
}

/// Throws unless the arrays of a level 5 file fill it: libmatio treats a truncated array as the end
/// of the file. The header has 128 bytes; its last two give the byte order. After it, each array
/// begins with its type and its length.
void require_whole(std::string_view rest) {
  constexpr std::size_t kHeader = 128, kTag = 8;
  if (!rest.starts_with("MATLAB 5")) return;
  const bool swapped = rest.size() >= kHeader && rest.substr(kHeader - 2, 2) == "MI";
  rest.remove_prefix(std::min(kHeader, rest.size()));
  while (!rest.empty()) {
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < sizeof length && rest.size() >= kTag; ++i)
      length |= std::uint32_t{static_cast<unsigned char>(rest[swapped ? kTag - 1 - i : 4 + i])}
                << 8 * i;
    if (rest.size() < kTag || length > rest.size() - kTag)
      throw std::runtime_error("the file is cut off or damaged: an array is longer than it");
    rest.remove_prefix(kTag + length);
  }
}

std::vector<ArrayInfo> list_mat(const ForeignFile& from) {
  require_whole(from.bytes);
  const File file = opened(from);
  std::vector<ArrayInfo> found;
  while (const Variable variable{Mat_VarReadNextInfo(file.get())}) {
    if (variable->name == nullptr) continue;
    ArrayInfo info{variable->name, 0, 0, obstacle_of(*variable), variable->isComplex != 0};
    if (info.obstacle.empty()) {
      info.rows = variable->dims[0];
      info.cols = variable->dims[1];
    }
    found.push_back(std::move(info));
  }
  return found;
}

/// Calls `with` with a null pointer of the C type that `type` stands for.
template <typename With>
void with_type(matio_types type, With with) {
  switch (type) {
    case MAT_T_DOUBLE:
      return with(static_cast<const double*>(nullptr));
    case MAT_T_SINGLE:
      return with(static_cast<const float*>(nullptr));
    case MAT_T_INT8:
      return with(static_cast<const std::int8_t*>(nullptr));
    case MAT_T_UINT8:
      return with(static_cast<const std::uint8_t*>(nullptr));
    case MAT_T_INT16:
      return with(static_cast<const std::int16_t*>(nullptr));
    case MAT_T_UINT16:
      return with(static_cast<const std::uint16_t*>(nullptr));
    case MAT_T_INT32:
      return with(static_cast<const std::int32_t*>(nullptr));
    case MAT_T_UINT32:
      return with(static_cast<const std::uint32_t*>(nullptr));
    case MAT_T_INT64:
      return with(static_cast<const std::int64_t*>(nullptr));
    case MAT_T_UINT64:
      return with(static_cast<const std::uint64_t*>(nullptr));
    default:
      throw std::runtime_error("its numbers are of a type that is not read");
  }
}

template <typename T>
double exact_number(T value, Index row, Index col) {
  if constexpr (std::integral<T>)
    if (!is_exact(value)) throw std::runtime_error(inexact_text(value, row, col));
  return static_cast<double>(value);
}

/// The numbers of an array. libmatio stores the real and the imaginary parts of complex numbers in
/// separate arrays.
template <typename T>
class Parts {
 public:
  Parts(const void* data, bool complex) {
    if (!complex) {
      parts_.push_back(static_cast<const T*>(data));
      return;
    }
    const auto* split = static_cast<const mat_complex_split_t*>(data);
    for (const void* part : {split->Re, split->Im}) {
      if (part == nullptr)
        throw std::runtime_error("the file is damaged: half of the complex numbers is missing");
      parts_.push_back(static_cast<const T*>(part));
    }
  }

  [[nodiscard]] std::span<const T* const> parts() const { return parts_; }

 private:
  std::vector<const T*> parts_;
};

void take_numbers(std::span<const double> numbers, const TakeBytes& take) {
  take({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

template <typename T>
void take_columns(const Parts<T>& numbers, const ArrayInfo& array, const TakeBytes& take) {
  const auto parts = numbers.parts();
  const Index width = array.cols * parts.size();
  const Index step = std::min((Index{1} << 20U) / width + 1, array.rows);
  std::vector<double> strip(step * width);
  for (Index top = 0; top < array.rows; top += step) {
    const Index rows = std::min(step, array.rows - top);
    for (Index part = 0; part < parts.size(); ++part)
      for (Index col = 0; col < array.cols; ++col)
        for (Index row = 0; row < rows; ++row)
          strip[row * width + col * parts.size() + part] =
              exact_number(parts[part][col * array.rows + top + row], top + row, col);
    take_numbers({strip.data(), rows * width}, take);
  }
}

template <typename T>
void take_sparse(const mat_sparse_t& sparse, const ArrayInfo& array, const TakeBytes& take) {
  const Parts<T> numbers(sparse.data, array.complex);
  const auto parts = numbers.parts();
  const Index width = array.cols * parts.size();
  std::vector<double> dense(array.rows * width);
  const Index entries = std::min<Index>(sparse.nir, sparse.ndata);
  const auto damaged = [] {
    return std::runtime_error("the sparse matrix is damaged: its indices contradict its size");
  };
  if (sparse.njc != array.cols + 1) throw damaged();
  for (Index col = 0; col < array.cols; ++col) {
    if (sparse.jc[col] > sparse.jc[col + 1] || sparse.jc[col + 1] > entries) throw damaged();
    for (Index k = sparse.jc[col]; k < sparse.jc[col + 1]; ++k) {
      const Index row = sparse.ir[k];
      if (row >= array.rows) throw damaged();
      for (Index part = 0; part < parts.size(); ++part)
        dense[row * width + col * parts.size() + part] += exact_number(parts[part][k], row, col);
    }
  }
  take_numbers(dense, take);
}

void read_mat(const ForeignFile& from, const ArrayInfo& array, const TakeBytes& take) {
  const File file = opened(from);
  const Variable variable(Mat_VarReadInfo(file.get(), array.name.c_str()));
  if (array.rows == 0 || array.cols == 0) return;
  if (variable && (variable->isComplex != 0) != array.complex)
    throw std::runtime_error("the file was changed meanwhile");
  if (!variable || Mat_VarReadDataAll(file.get(), variable.get()) != 0 || variable->data == nullptr)
    throw std::runtime_error("the file is cut off or damaged: libmatio cannot read the array");
  with_type(variable->data_type, [&](auto* of_type) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(of_type)>>;
    if (variable->class_type == MAT_C_SPARSE)
      return take_sparse<T>(*static_cast<const mat_sparse_t*>(variable->data), array, take);
    if (variable->nbytes / sizeof(T) < array.rows * array.cols)
      throw std::runtime_error(
          "the file is cut off or damaged: the array is shorter than its shape");
    take_columns(Parts<T>(variable->data, array.complex), array, take);
  });
}

void write_mat(std::span<const ForeignArray> arrays, const std::string& path,
               const TakeBytes& /*take*/) {
  const auto check = [](bool done) {
    if (!done) throw std::runtime_error("libmatio cannot write the file");
  };
  const auto header =
      fmt::format("MATLAB 5.0 MAT-file, written by clgauss {}", CLGAUSS_PROJECT_VERSION);
  File file(Mat_CreateVer(path.c_str(), header.c_str(), MAT_FT_MAT5));
  check(file != nullptr);
  for (const ForeignArray& array : arrays) {
    /// Level 5 stores the size of an array as a 32-bit integer.
    constexpr Index kMostBytes = std::numeric_limits<std::int32_t>::max() - 1024;
    if (array.values.size() > kMostBytes / sizeof(double))
      throw std::length_error(fmt::format(
          "a .mat of level 5 takes arrays up to 2.147 GB, {} is {} x {}: write .h5 or .npy",
          array.name, array.rows, array.cols));
    std::vector<double> columns(array.values.size());
    for (Index row = 0; row < array.rows; ++row)
      for (Index col = 0; col < array.cols; ++col)
        columns[col * array.rows + row] = array.values[row * array.cols + col];
    std::array<std::size_t, 2> shape = {array.rows, array.cols};
    const Variable variable(Mat_VarCreate(array.name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 2,
                                          shape.data(), columns.data(), MAT_F_DONT_COPY_DATA));
    check(variable && Mat_VarWrite(file.get(), variable.get(), MAT_COMPRESSION_NONE) == 0);
  }
  check(Mat_Close(file.release()) == 0);
}

}  // namespace

}  // namespace clgauss::io

const clgauss::io::ForeignFormat clgauss_format = {"libmatio", clgauss::io::list_mat,
                                                   clgauss::io::read_mat, clgauss::io::write_mat};
