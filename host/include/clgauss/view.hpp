#pragma once
/// Matrices on the device, in buffers of clgauss or of the caller.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/opencl.hpp>

namespace CLGAUSS_EXPORT clgauss {

/// A row-major matrix in a buffer: element (i, j) is number offset + i * ld + j, in elements of the
/// call's type. A view owns only a reference to the buffer. To replace a view, copy the new one
/// first, `a = MatrixView(b)`: CLHPP's own assignment releases a reference even where it failed to
/// retain one.
struct MatrixView {
  cl::Buffer buffer;
  Index offset = 0;
  Index ld = 0;

  /// The view that starts at element (row, col) of this one.
  [[nodiscard]] MatrixView at(Index row, Index col) const {
    return {buffer, offset + row * ld + col, ld};
  }
};

}  // namespace clgauss
