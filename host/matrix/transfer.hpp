#pragma once
/// Transfers between host matrices of doubles and device buffers of f32 or f64.

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

/// Copies `matrix` to a new buffer with leading dimension `ld` >= cols(), and waits. `what` names
/// it in a message about memory.
[[nodiscard]] MatrixView to_device(const Context& context, RealType type, const Matrix& matrix,
                                   Index ld, const std::string& what);

/// A matrix to upload, and the powers of two, if any, by which its rows and columns are multiplied.
struct UploadPart {
  UploadPart(const Matrix* to_upload) : matrix(to_upload) {}
  UploadPart(const Matrix* to_upload, std::span<const int> rows_by, std::span<const int> columns_by)
      : matrix(to_upload), rows(rows_by), columns(columns_by) {}

  const Matrix* matrix;
  std::span<const int> rows, columns;
};

/// A of a system, scaled by `scaling`, which must outlive the result; likewise B.
[[nodiscard]] UploadPart scaled_matrix(const System& system, const Scaling& scaling);
[[nodiscard]] UploadPart scaled_right_hand_sides(const System& system, const Scaling& scaling);

/// Writes the rows of `parts`, side by side, to `buffer` with leading dimension `ld`, and waits.
/// All cores convert the numbers directly into the driver's memory (launch/staging.hpp), without a
/// second copy on the host. The gaps between rows are undefined.
void upload_rows(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                 std::initializer_list<UploadPart> parts);

/// As upload_rows() for one unscaled matrix. Also returns its sizes, without a second pass.
[[nodiscard]] Sizes upload_and_measure(const Context& context, const cl::Buffer& buffer, Index ld,
                                       RealType type, const Matrix& matrix);

/// Device memory for the columns of one strip; at least one column. The context keeps it, see
/// Staging::strip().
inline constexpr std::size_t kStripBytes = std::size_t{128} << 20U;

/// Divides `columns` columns of `rows` rows each into strips, and calls move(first, count, strip)
/// for each. The strip's columns are the rows of `strip`, device memory without gaps.
void by_strips(const Context& context, RealType type, Index rows, Index columns,
               std::size_t strip_bytes,
               const std::function<void(Index first, Index count, const MatrixView& strip)>& move);

/// `buffer` <- A, n-by-n, with leading dimension `ld`, from `transposed`, which holds A^T. If host
/// and device share memory, the host transposes while it writes. Otherwise the device transposes,
/// strip by strip. Rows and columns of A are scaled by `scaling`. Waits until `transposed` has been
/// read.
void upload_turned(Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                   const Matrix& transposed, const Scaling& scaling,
                   std::size_t strip_bytes = kStripBytes);

/// As upload_turned() for an unscaled A. Also returns its sizes.
[[nodiscard]] Sizes upload_turned_and_measure(Context& context, const cl::Buffer& buffer, Index ld,
                                              RealType type, const Matrix& transposed,
                                              std::size_t strip_bytes = kStripBytes);

/// As upload_and_measure() for a system's A. `transposed`: system.a holds A^T.
[[nodiscard]] Sizes upload_and_measure(Context& context, const MatrixView& to, RealType type,
                                       const System& system, bool transposed);

/// Uploads numbers that are contiguous on both sides.
void upload_values(const Context& context, const cl::Buffer& buffer, RealType type,
                   std::span<const double> values);

/// Uploads `rows` rows of `columns` numbers without gaps. write_row(i, out) writes row i; it is
/// called on several threads at once and must not throw. Waits.
void upload_by_rows(const Context& context, const cl::Buffer& buffer, RealType type, Index rows,
                    Index columns,
                    const std::function<void(Index i, std::span<double> out)>& write_row);

/// Uploads `matrix`, scaled as an UploadPart, and returns its memory to the operating system during
/// the upload. `matrix` is empty afterwards. Waits.
void upload_and_release(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                        Matrix& matrix, const Scaling& scaling);

/// Reads the first `count` elements of `buffer`, and waits.
[[nodiscard]] Values download(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                              RealType type, Index count);

/// Reads the rows x cols f64 numbers at `view`; write_matrix() writes them. Both wait.
[[nodiscard]] Matrix read_matrix(const cl::CommandQueue& queue, const MatrixView& view, Index rows,
                                 Index cols);
void write_matrix(const cl::CommandQueue& queue, const MatrixView& view, const Matrix& matrix);

/// Rows of a buffer, all of `bytes` bytes, for enqueue_copy_rows().
struct ByteRows {
  const cl::Buffer& buffer;
  std::size_t begin, pitch;
};
/// Enqueues the copy of `rows` rows. Unlike enqueueCopyBufferRect, it accepts a last row that ends
/// where the buffer does. NVIDIA's driver requires the whole pitch of that row inside the buffer.
void enqueue_copy_rows(const cl::CommandQueue& queue, const ByteRows& from, const ByteRows& to,
                       std::size_t bytes, Index rows);

/// Enqueues `view` <- I, n-by-n. The gaps between its rows become zero.
void enqueue_identity(Context& context, RealType type, const MatrixView& view, Index n);

}  // namespace clgauss
