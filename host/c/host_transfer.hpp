#pragma once
/// A caller's matrices between host memory and buffers. Where host and device have one memory, the
/// buffer is mapped; else the numbers go through the context's pinned memory as they lie, by all
/// cores, and the device turns over what lies by columns, strip by strip.

#include <clgauss/context.hpp>
#include <clgauss/view.hpp>

#include "c/host_matrix.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::c {

/// `matrix` to the begin of `to`, whose offset is 0; what lies between the rows is undefined. Waits
/// until the caller's memory has been read.
template <typename Real>
void upload(Context& context, const HostMatrix<const Real>& matrix, const MatrixView& to,
            std::size_t strip_bytes = kStripBytes);

/// The same from the begin of `from` to the caller's memory; waits.
template <typename Real>
void download(Context& context, const MatrixView& from, const HostMatrix<Real>& matrix,
              std::size_t strip_bytes = kStripBytes);

/// What a matrix on the device holds, in host memory of ours, to be looked at before the caller's
/// memory is written: the buffer itself, mapped, where host and device have one memory; else a
/// copy, which lies as `like` does.
template <typename Real>
class Fetched {
 public:
  /// Waits. The copy is made in `space`, which must outlive this object.
  Fetched(Context& context, const MatrixView& from, const HostMatrix<Real>& like, Values& space);
  Fetched(const Fetched&) = delete;
  Fetched& operator=(const Fetched&) = delete;
  ~Fetched();

  [[nodiscard]] const HostMatrix<const Real>& matrix() const { return matrix_; }

 private:
  Context& context_;
  cl::Buffer buffer_;
  void* mapped_ = nullptr;
  HostMatrix<const Real> matrix_;
};

/// Numbers of memory for a Fetched of this shape.
template <typename Real>
Index fetched_space(const Context& context, const HostMatrix<Real>& like) {
  return context.transfers() == Transfers::mapped ? 0 : doubles_for(like);
}

template <typename Real>
HostMatrix<const Real> constant(const HostMatrix<Real>& matrix) {
  return {matrix.data, matrix.rows, matrix.columns, matrix.row_step, matrix.column_step};
}

/// `matrix` in a new buffer with leading dimension `ld`; waits. `what` is for a message about
/// memory.
template <typename Real>
MatrixView uploaded(Context& context, const HostMatrix<Real>& matrix, Index ld, const char* what) {
  MatrixView view{context.allocate(matrix.rows * ld * sizeof(Real), what), 0, ld};
  upload(context, constant(matrix), view);
  return view;
}

}  // namespace clgauss::c
