#pragma once
/// Between host matrices of doubles and device buffers of f32 or f64.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>

#include "matrix/scaling.hpp"

namespace clgauss {

/// `matrix` in a new buffer, with leading dimension `ld` >= cols(); waits. `what` is for a message
/// about memory.
[[nodiscard]] MatrixView to_device(const Context& context, RealType type, const Matrix& matrix,
                                   Index ld, const std::string& what);

/// A matrix on its way to the device, and the powers of two that its rows and columns are
/// multiplied by, if any.
struct UploadPart {
  UploadPart(const Matrix* to_upload) : matrix(to_upload) {}
  UploadPart(const Matrix* to_upload, std::span<const int> rows_by, std::span<const int> columns_by)
      : matrix(to_upload), rows(rows_by), columns(columns_by) {}

  const Matrix* matrix;
  std::span<const int> rows, columns;
};

/// A and B of a system as `scaling`, which must outlive them, wants them.
[[nodiscard]] UploadPart scaled_matrix(const System& system, const Scaling& scaling);
[[nodiscard]] UploadPart scaled_right_hand_sides(const System& system, const Scaling& scaling);

/// Writes the rows of `parts`, side by side, to `buffer` with leading dimension `ld`, and waits.
/// The numbers are converted by all cores on their way into memory of the driver
/// (launch/staging.hpp), without a second copy on the host. What lies between the rows is
/// undefined.
void upload_rows(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                 std::initializer_list<UploadPart> parts);

/// The same of one matrix as it is, and its sizes, for which it is not read once more.
[[nodiscard]] Sizes upload_and_measure(const Context& context, const cl::Buffer& buffer, Index ld,
                                       RealType type, const Matrix& matrix);

/// Of the device's memory, for columns on their way; a column at least. The context keeps it, see
/// Staging::strip().
inline constexpr std::size_t kStripBytes = std::size_t{128} << 20U;

/// move(first, count, strip) for strips of all of `columns` columns of so many rows: on their way
/// they are the rows of `strip`, memory of the device without gaps.
void by_strips(const Context& context, RealType type, Index rows, Index columns,
               std::size_t strip_bytes,
               const std::function<void(Index first, Index count, const MatrixView& strip)>& move);

/// `buffer` <- A, n-by-n, with leading dimension `ld`, where `transposed` holds A^T: the columns of
/// A lie together. Where host and device have one memory, the host turns them over while it writes
/// them; else the device does, strip by strip. The powers of two that the rows and columns of A are
/// multiplied by are those of `scaling`. Waits until `transposed` was read.
void upload_turned(Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                   const Matrix& transposed, const Scaling& scaling,
                   std::size_t strip_bytes = kStripBytes);

/// The same of A as it is, and its sizes.
[[nodiscard]] Sizes upload_turned_and_measure(Context& context, const cl::Buffer& buffer, Index ld,
                                              RealType type, const Matrix& transposed,
                                              std::size_t strip_bytes = kStripBytes);

/// Of a system's A, of which `transposed` says that system.a holds its transpose.
[[nodiscard]] Sizes upload_and_measure(Context& context, const MatrixView& to, RealType type,
                                       const System& system, bool transposed);

/// The same for numbers that lie one after the other on both sides.
void upload_values(const Context& context, const cl::Buffer& buffer, RealType type,
                   std::span<const double> values);

/// Uploads `matrix`, scaled as an UploadPart, and gives its memory back to the operating system on
/// the way; it is empty then. Waits.
void upload_and_release(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                        Matrix& matrix, const Scaling& scaling);

/// The first `count` elements of `buffer`, and waits.
[[nodiscard]] Values download(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                              RealType type, Index count);

/// The rows x cols numbers of f64 at `view`, and back; both wait.
[[nodiscard]] Matrix read_matrix(const cl::CommandQueue& queue, const MatrixView& view, Index rows,
                                 Index cols);
void write_matrix(const cl::CommandQueue& queue, const MatrixView& view, const Matrix& matrix);

/// Rows of a buffer, all of `bytes` bytes, for enqueue_copy_rows().
struct ByteRows {
  const cl::Buffer& buffer;
  std::size_t begin, pitch;
};
/// Enqueues the copy of `rows` rows. Other than enqueueCopyBufferRect it takes rows of which the
/// last ends where the buffer does, also by NVIDIA's driver, which wants the whole of the last
/// one's pitch inside.
void enqueue_copy_rows(const cl::CommandQueue& queue, const ByteRows& from, const ByteRows& to,
                       std::size_t bytes, Index rows);

/// Enqueues `view` <- I, n-by-n, with zeros between its rows.
void enqueue_identity(Context& context, RealType type, const MatrixView& view, Index n);

}  // namespace clgauss
