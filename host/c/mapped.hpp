#pragma once
/// Matrices between host memory and buffers, without a copy in between: the buffer is mapped.

#include <clgauss/context.hpp>
#include <clgauss/view.hpp>

#include "c/host_matrix.hpp"

namespace clgauss::c {

/// `matrix`, row-major with leading dimension `ld`, in a new buffer; waits. `what` is for a message
/// about memory.
template <typename Real>
MatrixView upload(const Context& context, const HostMatrix<const Real>& matrix, Index ld,
                  const char* what) {
  const Index bytes = matrix.rows * ld * sizeof(Real);
  MatrixView view{context.allocate(bytes, what), 0, ld};
  if (matrix.empty()) return view;
  const cl::CommandQueue& queue = context.queue();
  void* const mapped =
      queue.enqueueMapBuffer(view.buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes);
  copy(matrix, row_major(static_cast<Real*>(mapped), matrix.rows, matrix.columns, ld));
  queue.enqueueUnmapMemObject(view.buffer, mapped);
  queue.finish();
  return view;
}

/// What upload() made, back into the caller's memory; waits.
template <typename Real>
void download(const Context& context, const MatrixView& view, const HostMatrix<Real>& matrix) {
  if (matrix.empty()) return;
  const cl::CommandQueue& queue = context.queue();
  void* const mapped = queue.enqueueMapBuffer(view.buffer, CL_TRUE, CL_MAP_READ, 0,
                                              matrix.rows * view.ld * sizeof(Real));
  copy(row_major(static_cast<const Real*>(mapped), matrix.rows, matrix.columns, view.ld), matrix);
  queue.enqueueUnmapMemObject(view.buffer, mapped);
  queue.finish();
}

template <typename Real>
HostMatrix<const Real> constant(const HostMatrix<Real>& matrix) {
  return {matrix.data, matrix.rows, matrix.columns, matrix.row_step, matrix.column_step};
}

}  // namespace clgauss::c
