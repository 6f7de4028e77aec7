#pragma once
/// Files that hold several named arrays: .npz, MATLAB's .mat, HDF5. Modules read and write them.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/border.hpp"
#include "io/formats.hpp"

namespace clgauss::io {

/// An open file. Its functions throw FormatError, which names the file and the array, and
/// OutOfMemory.
class Archive {
 public:
  Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  virtual ~Archive() = default;

  [[nodiscard]] virtual std::vector<ArrayInfo> arrays() = 0;
  /// Reads an array, which must not have an obstacle.
  [[nodiscard]] virtual Content read(const ArrayInfo& array) = 0;
};

/// An .npz file. `format` is that of its module; `input` and `options` must outlive the archive.
[[nodiscard]] std::unique_ptr<Archive> open_npz(const ForeignFormat& format, const Input& input,
                                                const ReadOptions& options);

/// A matrix and its name in a file of several.
struct NamedMatrix {
  std::string_view name;
  const Matrix& matrix;
};

/// Writes a file of `format`, which a module builds in memory. Throws OutOfMemory, and FileError if
/// the format cannot hold one of the matrices.
void write_arrays(const ForeignFormat& format, OutputFile& file,
                  std::span<const NamedMatrix> arrays);

/// The parts of a path FILE:ARRAY, if FILE exists and FILE:ARRAY does not. Otherwise `file` is the
/// whole path.
struct Place {
  std::string file, array;
};
[[nodiscard]] Place place_of(const std::string& path);

/// The name of an array in messages: "s.npz:A".
[[nodiscard]] inline std::string name_of(const Input& input, std::string_view array) {
  return input.name() + ":" + std::string(array);
}

/// Whether the array has this name. The slash at the start of an HDF5 path is optional.
[[nodiscard]] bool is_called(const ArrayInfo& array, std::string_view name);

/// `arrays` for a caller that accepts `numbers`. If these are only real, complex arrays get an
/// obstacle.
[[nodiscard]] std::vector<ArrayInfo> as_far_as(Numbers numbers, std::vector<ArrayInfo> arrays);

/// The role that an array is wanted for. The other members tell a message how to name arrays:
/// "`before`s.npz:f". If the name of a file stands for two arrays, "`between`s.npz:g" follows.
struct Role {
  std::string_view name, before = {}, between = {};
};

/// The array named `wanted`. If that is empty: the only array, or the one named like its role.
/// Throws FormatError that lists the arrays.
[[nodiscard]] const ArrayInfo& chosen(const Input& input, std::span<const ArrayInfo> arrays,
                                      const std::string& wanted, const Role& role);

}  // namespace clgauss::io
