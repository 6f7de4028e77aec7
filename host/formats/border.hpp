#pragma once
/// The border between clgauss and its modules libclgauss_npz.so, libclgauss_mat.so and
/// libclgauss_h5.so. A module is the only code that uses libzip, libmatio or libhdf5, has nothing
/// else of clgauss in it, and is opened at the first file that needs it.
///
/// A module exports two names: clgauss_border, CLGAUSS_BORDER_HERE, and clgauss_format, which
/// may be used only if that is the library's own. What the functions throw are exceptions
/// of the C++ library, and what `take` throws.

#include <clgauss/matrix.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The check sum, and the C++ library, whose types cross the border.
#if defined(_LIBCPP_VERSION)
#define CLGAUSS_BORDER_HERE CLGAUSS_BORDER " libc++"
#elif defined(_GLIBCXX_DEBUG) || !_GLIBCXX_USE_CXX11_ABI
#define CLGAUSS_BORDER_HERE CLGAUSS_BORDER " another libstdc++"
#else
#define CLGAUSS_BORDER_HERE CLGAUSS_BORDER " libstdc++"
#endif

namespace clgauss::io {

/// An array as its file describes it.
struct ArrayInfo {
  std::string name;
  Index rows = 0, cols = 0;  // 0 with an obstacle, or if unknown before reading
  /// Why it is not a matrix of numbers, such as "holds text"; empty if it may be one.
  std::string obstacle;
  bool complex = false;  // each number has a real and an imaginary part
  Index bytes = 0;       // only in .npz: of the .npy file that holds the array
};

/// A file to be read.
struct ForeignFile {
  std::string_view bytes;
  bool is_copy = false;  // in memory, of what was unpacked or came from a pipe
  /// By which a library can open it; of what is in memory this makes another copy. Not for .npz.
  std::function<std::string()> path = {};
};

/// An array to be written.
struct ForeignArray {
  std::string name;
  Index rows = 0, cols = 0;
  std::span<const double> values;  // row-major
  std::string npy_header;          // .npz holds .npy files
};

using TakeBytes = std::function<void(std::string_view bytes)>;

struct ForeignFormat {
  const char* library;  // its name in messages

  /// Throws std::exception with the reason why the file cannot be read.
  std::vector<ArrayInfo> (*list)(const ForeignFile& file);

  /// Passes an array without obstacle to `take`, part by part: its doubles in row-major order, a
  /// complex number as two; of .npz its .npy file. Throws std::exception with the reason why the
  /// file cannot be read, std::bad_alloc if there is not enough memory.
  void (*read)(const ForeignFile& file, const ArrayInfo& array, const TakeBytes& take);

  /// Writes a new file: either to the empty file `path`, or through `take`. Throws
  /// std::length_error with the reason if the format cannot hold an array, any other
  /// std::exception if there is not enough memory.
  void (*write)(std::span<const ForeignArray> arrays, const std::string& path,
                const TakeBytes& take);
};

}  // namespace clgauss::io

/// A module's entry, defined once in each.
extern "C" CLGAUSS_EXPORT const clgauss::io::ForeignFormat clgauss_format;
