#pragma once
/// Transfers of a caller's matrices between host memory and buffers. Where host and device share
/// memory, the buffer is mapped. Otherwise all cores copy the numbers unchanged through the
/// context's pinned memory, and the device transposes column-major matrices strip by strip.

#include <clgauss/context.hpp>
#include <clgauss/view.hpp>

#include "c/host_matrix.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::c {

/// Copies `matrix` to the beginning of `to`, whose offset is 0; the gaps between its rows are
/// undefined. Waits until the caller's memory has been read.
template <typename Real>
void upload(Context& context, const HostMatrix<const Real>& matrix, const MatrixView& to,
            std::size_t strip_bytes = kStripBytes);

/// Copies from the beginning of `from` to the caller's memory, and waits.
template <typename Real>
void download(Context& context, const MatrixView& from, const HostMatrix<Real>& matrix,
              std::size_t strip_bytes = kStripBytes);

/// The content of a matrix on the device in our own host memory, to be checked before the caller's
/// memory is written. Where host and device share memory, this is the mapped buffer; otherwise a
/// copy in the order of `like`.
template <typename Real>
class Fetched {
 public:
  /// Waits. The copy, if there is one, is made in `space`, which must outlive this object.
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

/// The number of doubles that a Fetched of this shape needs as `space`.
template <typename Real>
Index fetched_space(const Context& context, const HostMatrix<Real>& like) {
  return context.transfers() == Transfers::mapped ? 0 : doubles_for(like);
}

template <typename Real>
HostMatrix<const Real> constant(const HostMatrix<Real>& matrix) {
  return {matrix.data, matrix.rows, matrix.columns, matrix.row_step, matrix.column_step};
}

/// Uploads `matrix` to a new buffer with leading dimension `ld`, and waits. `what` names the matrix
/// in a message about memory.
template <typename Real>
MatrixView uploaded(Context& context, const HostMatrix<Real>& matrix, Index ld, const char* what) {
  MatrixView view{context.allocate(matrix.rows * ld * sizeof(Real), what), 0, ld};
  upload(context, constant(matrix), view);
  return view;
}

}  // namespace clgauss::c
