#include "c/host_transfer.hpp"

#include <algorithm>

#include "kernels/common/transpose.hpp"
#include "launch/staging.hpp"

namespace clgauss::c {

namespace {

/// A column without gaps, viewed as one row, so that it is copied as one item instead of many.
template <typename Real>
HostMatrix<Real> as_it_lies(const HostMatrix<Real>& matrix, Index ld) {
  if (matrix.columns == 1 && matrix.row_step == 1 && ld == 1)
    return {matrix.data, 1, matrix.rows, matrix.rows, 1};
  return matrix;
}

/// Writes a matrix whose rows are contiguous.
template <typename Real>
void write_rows(const Context& context, const HostMatrix<const Real>& matrix,
                const cl::Buffer& buffer, Index ld) {
  context.staging().write(context.queue(), buffer, matrix.rows, ld * sizeof(Real),
                          [&](Index first, Index last, std::byte* out) {
                            auto* row = reinterpret_cast<Real*>(out);
                            for (Index i = first; i < last; ++i, row += ld)
                              std::copy_n(matrix.data + i * matrix.row_step, matrix.columns, row);
                          });
}

template <typename Real>
void read_rows(const Context& context, const cl::Buffer& buffer, Index ld,
               const HostMatrix<Real>& matrix) {
  context.staging().read(context.queue(), buffer, matrix.rows, ld * sizeof(Real),
                         [&](Index first, Index last, const std::byte* in) {
                           const auto* row = reinterpret_cast<const Real*>(in);
                           for (Index i = first; i < last; ++i, row += ld)
                             std::copy_n(row, matrix.columns, matrix.data + i * matrix.row_step);
                         });
}

/// `count` columns of `matrix`, viewed as the rows that they are in memory.
template <typename Real>
HostMatrix<Real> columns_of(const HostMatrix<Real>& matrix, Index first, Index count) {
  return {matrix.data + first * matrix.column_step, count, matrix.rows, matrix.column_step, 1};
}

template <typename Real>
void upload_mapped(const Context& context, const HostMatrix<const Real>& matrix,
                   const MatrixView& to) {
  const cl::CommandQueue& queue = context.queue();
  void* const mapped = queue.enqueueMapBuffer(to.buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                              matrix.rows * to.ld * sizeof(Real));
  copy(matrix, row_major(static_cast<Real*>(mapped), matrix.rows, matrix.columns, to.ld));
  queue.enqueueUnmapMemObject(to.buffer, mapped);
  queue.finish();
}

}  // namespace

template <typename Real>
void upload(Context& context, const HostMatrix<const Real>& caller, const MatrixView& to,
            std::size_t strip_bytes) {
  if (caller.empty()) return;
  if (context.transfers() == Transfers::mapped) return upload_mapped(context, caller, to);
  const HostMatrix<const Real> matrix = as_it_lies(caller, to.ld);
  if (matrix.column_step == 1)
    return write_rows(context, matrix, to.buffer, std::max(to.ld, matrix.columns));
  by_strips(context, kRealType<Real>, matrix.rows, matrix.columns, strip_bytes,
            [&](Index first, Index count, const MatrixView& strip) {
              write_rows(context, columns_of(matrix, first, count), strip.buffer, strip.ld);
              enqueue_transpose(context, kRealType<Real>, strip, {to.buffer, first, to.ld}, count,
                                matrix.rows);
            });
}

template <typename Real>
void download(Context& context, const MatrixView& from, const HostMatrix<Real>& caller,
              std::size_t strip_bytes) {
  if (caller.empty()) return;
  if (context.transfers() == Transfers::mapped) {
    Values none;
    return copy(Fetched<Real>(context, from, caller, none).matrix(), caller);
  }
  const HostMatrix<Real> matrix = as_it_lies(caller, from.ld);
  if (matrix.column_step == 1)
    return read_rows(context, from.buffer, std::max(from.ld, matrix.columns), matrix);
  by_strips(context, kRealType<Real>, matrix.rows, matrix.columns, strip_bytes,
            [&](Index first, Index count, const MatrixView& strip) {
              enqueue_transpose(context, kRealType<Real>, {from.buffer, first, from.ld}, strip,
                                matrix.rows, count);
              read_rows(context, strip.buffer, strip.ld, columns_of(matrix, first, count));
            });
}

template <typename Real>
Fetched<Real>::Fetched(Context& context, const MatrixView& from, const HostMatrix<Real>& like,
                       Values& space)
    : context_(context), buffer_(from.buffer) {
  const Index rows = like.rows, columns = like.columns;
  if (like.empty()) return;
  if (context.transfers() == Transfers::mapped) {
    mapped_ = context.queue().enqueueMapBuffer(buffer_, CL_TRUE, CL_MAP_READ, 0,
                                               rows * from.ld * sizeof(Real));
    matrix_ = row_major(static_cast<const Real*>(mapped_), rows, columns, from.ld);
    return;
  }
  const HostMatrix<Real> copied = c::like(like, space.data());
  download(context, from, copied);
  matrix_ = constant(copied);
}

template <typename Real>
Fetched<Real>::~Fetched() {
  if (mapped_ != nullptr)  // a failure changes nothing, as nothing was written
    clEnqueueUnmapMemObject(context_.queue()(), buffer_(), mapped_, 0, nullptr, nullptr);
}

template class Fetched<float>;
template class Fetched<double>;
template void upload(Context&, const HostMatrix<const float>&, const MatrixView&, std::size_t);
template void upload(Context&, const HostMatrix<const double>&, const MatrixView&, std::size_t);
template void download(Context&, const MatrixView&, const HostMatrix<float>&, std::size_t);
template void download(Context&, const MatrixView&, const HostMatrix<double>&, std::size_t);

}  // namespace clgauss::c
