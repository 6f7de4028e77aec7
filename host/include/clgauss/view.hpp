#pragma once
/// Matrices that lie on the device, in buffers of clgauss or of the caller.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/opencl.hpp>

namespace CLGAUSS_EXPORT clgauss {

/// Row-major matrix in a buffer: element (i, j) is number offset + i * ld + j, in elements of the
/// type that the call names. A view costs nothing and owns nothing but a reference to the buffer.
/// Copy one before it replaces another, `a = MatrixView(b)`: where CLHPP's own assignment fails to
/// take a reference, it gives one up all the same.
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
