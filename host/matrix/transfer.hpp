#pragma once
/// Between host matrices of doubles and device buffers of f32 or f64; shared by the direct methods.

#include <chrono>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "matrix/scaling.hpp"

namespace clgauss {

/// Throws DimensionError if A is not square or b has another height.
void check_shapes(const System& system);

/// The same, and ValueError if `type` is f32 and a finite number of the
/// system does not fit it: as an infinity it would make the answer meaningless without a word.
void check_system(const System& system, RealType type);

/// Leading dimension of an n-by-n matrix of our own: whole lines of 128 bytes, so that every row starts aligned; and no
/// multiple of 4096 bytes, at which the rows of a column would share one set of a CPU's caches.
[[nodiscard]] Index padded_ld(Index n, RealType type);

/// "the f64 system of n = 5 with 1 right-hand side", for messages about memory.
[[nodiscard]] std::string system_text(const System& system, RealType type);

/// `matrix` in a new buffer, with leading dimension `ld` >= cols(); waits. `what` is for a message about memory.
[[nodiscard]] MatrixView to_device(const Context& context, RealType type, const Matrix& matrix,
                                   Index ld, const std::string& what);

/// A matrix on its way to the device, and the powers of two that its rows and columns are multiplied by, if any.
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

/// Writes the rows of `parts`, side by side, to `buffer` with leading dimension `ld`, and waits. The numbers are
/// converted by all cores on their way into memory of the driver (launch/staging.hpp), without a second copy on the host. What lies
/// between the rows is undefined.
void upload_rows(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                 std::initializer_list<UploadPart> parts);

/// The same for numbers that lie one after the other on both sides.
void upload_values(const Context& context, const cl::Buffer& buffer, RealType type,
                   std::span<const double> values);

/// Uploads `matrix`, scaled as an UploadPart, and gives its memory back to the operating system on the way; it is empty then.
/// Waits.
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
/// Enqueues the copy of `rows` rows. Other than enqueueCopyBufferRect it takes rows of which the last ends where the buffer does, also
/// by NVIDIA's driver, which wants the whole of the last one's pitch inside.
void enqueue_copy_rows(const cl::CommandQueue& queue, const ByteRows& from, const ByteRows& to,
                       std::size_t bytes, Index rows);

/// Enqueues `view` <- I, n-by-n, with zeros between its rows.
void enqueue_identity(Context& context, RealType type, const MatrixView& view, Index n);

/// diagonal[i] <- A(i, i), i < n, by the kernel of cl/diagonal.cl. A begins where its buffer does.
void enqueue_diagonal(const cl::CommandQueue& queue, Kernel kernel, const MatrixView& a, Index n,
                      const cl::Buffer& diagonal);

/// The n diagonal elements of the matrix at `a`, which `gathered` holds, too. No residual depends on what of them reaches the
/// host, but the determinant does: throws DeviceFault if the two are not the same to the bit. Waits.
[[nodiscard]] Values download_diagonal(const cl::CommandQueue& queue, const MatrixView& a,
                                       const cl::Buffer& gathered, RealType type, Index n);

/// What `read` returns, asked twice; throws DeviceFault if it differs.
[[nodiscard]] std::vector<Index> read_twice(const std::function<std::vector<Index>()>& read);

/// `row` of `count`, which the device chose as pivot of column k: throws DeviceFault unless it is one of the rows from k on.
[[nodiscard]] Index checked_pivot_row(Index row, Index k, Index count);

/// `column`, where the device says that it failed: throws DeviceFault unless it is one of the `count` columns.
[[nodiscard]] Index checked_failed_column(Index column, Index count);

/// The rows exchanged with rows 0 .. steps - 1 of `count`, from a buffer of `Number`s; waits. Throws DeviceFault.
template <typename Number>
[[nodiscard]] std::vector<Index> read_pivots(const cl::CommandQueue& queue,
                                             const cl::Buffer& buffer, Index steps, Index count) {
  std::vector<Number> numbers(steps);
  if (steps > 0)
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, steps * sizeof(Number), numbers.data());
  std::vector<Index> rows(steps);
  for (Index k = 0; k < steps; ++k)
    rows[k] = checked_pivot_row(static_cast<Index>(numbers[k]), k, count);
  return rows;
}

/// Completes a result whose pivots are read: the first column whose pivot allows no answer, exactly zero or not finite, and
/// how many of the exchanges of row k with rows[k] were of two different rows. Throws DeviceFault if the device reported another
/// column as failed, whose pivot is as good as any. With `least` the pivots are those of a matrix that is positive definite if none is
/// below it.
void judge_pivots(EliminationResult& result, std::vector<Index> rows,
                  std::optional<double> least = {});

/// The answer of an n = 0 system.
[[nodiscard]] EliminationResult empty_result(const System& system, Pivoting pivoting);

/// Seconds since the last call, or since construction.
class LapTimer {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace clgauss
