#pragma once
/// Files of several arrays with names: .npz, MATLAB's .mat, HDF5.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats.hpp"

namespace clgauss::io {

/// An array as its file describes it.
struct ArrayInfo {
  std::string name;
  Index rows = 0, cols = 0;  // where there is no obstacle and the format tells before it is read
  /// why it is no matrix of numbers, as in "holds text"; empty if it may be one
  std::string obstacle;
  bool complex = false;  // with parts that are read(), real and imaginary one of each number
};

/// An open file. Its functions throw FormatError, naming file and array, and OutOfMemory.
class Archive {
 public:
  Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  virtual ~Archive() = default;

  [[nodiscard]] virtual std::vector<ArrayInfo> arrays() = 0;
  /// An array without obstacle.
  [[nodiscard]] virtual Content read(const ArrayInfo& array) = 0;
};

/// `input` and `options` must outlive what is opened.
[[nodiscard]] std::unique_ptr<Archive> open_npz(const Input& input, const ReadOptions& options);
[[nodiscard]] std::unique_ptr<Archive> open_mat(const Input& input, const ReadOptions& options);
[[nodiscard]] std::unique_ptr<Archive> open_hdf5(const Input& input, const ReadOptions& options);

/// What a matrix is called in a file of several.
struct NamedMatrix {
  std::string_view name;
  const Matrix& matrix;
};

void write_npz(OutputFile& file, std::span<const NamedMatrix> arrays);
void write_mat(OutputFile& file, std::span<const NamedMatrix> arrays);
void write_hdf5(OutputFile& file, std::span<const NamedMatrix> arrays);

/// The array of the path FILE:ARRAY, where FILE is there and FILE:ARRAY is not; else the path is
/// that of a file.
struct Place {
  std::string file, array;
};
[[nodiscard]] Place place_of(const std::string& path);

/// "s.npz:A", as messages call an array.
[[nodiscard]] inline std::string name_of(const Input& input, std::string_view array) {
  return input.name() + ":" + std::string(array);
}

/// With or without the slash with which paths in HDF5 begin.
[[nodiscard]] bool is_called(const ArrayInfo& array, std::string_view name);

/// `arrays` for those who can do with `numbers`: where these are real, that an array is complex is
/// its obstacle.
[[nodiscard]] std::vector<ArrayInfo> as_far_as(Numbers numbers, std::vector<ArrayInfo> arrays);

/// What an array is looked for as, and how an error says to name one: "`before`s.npz:f" or, where
/// one name is that of two, with "`between`s.npz:g" after it.
struct Role {
  std::string_view name, before = {}, between = {};
};

/// The array that is called `wanted`; where that is empty the only one, or the one called as its
/// role. Throws FormatError that names those that there are.
[[nodiscard]] const ArrayInfo& chosen(const Input& input, std::span<const ArrayInfo> arrays,
                                      const std::string& wanted, const Role& role);

}  // namespace clgauss::io
