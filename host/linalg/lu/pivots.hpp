#pragma once
/// The pivots of a factorisation, from the device, which is not believed, and what they say.

#include <clgauss/context.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/common/number_type.hpp"

namespace clgauss {

/// diagonal[i] <- A(i, i), i < n, by the kernel of cl/common/diagonal.cl. A begins where its buffer
/// does.
void enqueue_diagonal(const cl::CommandQueue& queue, Kernel kernel, const MatrixView& a, Index n,
                      const cl::Buffer& diagonal);

/// The n diagonal elements of the matrix at `a`, of complex numbers their parts, which `gathered`
/// holds, too. No residual depends
/// on what of them reaches the host, but the determinant does: throws DeviceFault if the two are
/// not the same to the bit. Waits.
[[nodiscard]] Values download_diagonal(const cl::CommandQueue& queue, const MatrixView& a,
                                       const cl::Buffer& gathered, NumberType number, Index n);

/// What `read` returns, asked twice; throws DeviceFault if it differs.
[[nodiscard]] std::vector<Index> read_twice(const std::function<std::vector<Index>()>& read);

/// `row` of `count`, which the device chose as pivot of column k: throws DeviceFault unless it is
/// one of the rows from k on.
[[nodiscard]] Index checked_pivot_row(Index row, Index k, Index count);

/// `column`, where the device says that it failed: throws DeviceFault unless it is one of the
/// `count` columns.
[[nodiscard]] Index checked_failed_column(Index column, Index count);

/// The rows exchanged with rows 0 .. steps - 1 of `count`, from a buffer of `Number`s; waits.
/// Throws DeviceFault.
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

/// Completes a result whose pivots are read: the first column whose pivot allows no answer, exactly
/// zero or not finite, and how many of the exchanges of row k with rows[k] were of two different
/// rows. Throws DeviceFault if the device reported another column as failed, whose pivot is as good
/// as any. With `least` the pivots are those of a matrix that is positive definite if none is below
/// it.
void judge_pivots(EliminationResult& result, std::vector<Index> rows,
                  std::optional<double> least = {});

/// The exchanges of rows of the LU that L D L^T leaves: those of its columns, but the two of a pair
/// also change places.
[[nodiscard]] std::vector<Index> row_exchanges_of(std::vector<Index> exchanges,
                                                  const std::vector<bool>& pairs);

/// The same for what L D L^T adds: its exchanges of columns, and the inertia.
void judge_pivots(EliminationResult& result, const SymmetricPivots& pivots);

/// The answer of an n = 0 system.
[[nodiscard]] EliminationResult empty_result(const System& system, Pivoting pivoting);

}  // namespace clgauss
