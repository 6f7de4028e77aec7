#pragma once
/// Reads the pivots of a factorisation from the device, checks them and interprets them.

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

/// The kernel of cl/common/diagonal.cl for these numbers, launched once. PoCL compiles a kernel at
/// its first launch, which would otherwise count as reading the pivots.
[[nodiscard]] Kernel prepared_diagonal_kernel(Context& context, NumberType number);

/// diagonal[i] <- A(i, i), i < n, by the kernel of cl/common/diagonal.cl. A must begin at its
/// buffer's start.
void enqueue_diagonal(const cl::CommandQueue& queue, Kernel kernel, const MatrixView& a, Index n,
                      const cl::Buffer& diagonal);

/// The n diagonal elements of the matrix at `a`; for complex numbers, their parts. `gathered` holds
/// the same elements, and both copies are read. No residual depends on the copy on the host, but
/// the determinant does. Throws DeviceFault if the copies are not identical to the bit. Waits.
[[nodiscard]] Values download_diagonal(const cl::CommandQueue& queue, const MatrixView& a,
                                       const cl::Buffer& gathered, NumberType number, Index n);

/// Calls `read` twice and returns its result. Throws DeviceFault if the two results differ.
[[nodiscard]] std::vector<Index> read_twice(const std::function<std::vector<Index>()>& read);

/// Returns `row`, which the device chose as pivot of column k. Throws DeviceFault unless it is one
/// of the rows k .. count - 1.
[[nodiscard]] Index checked_pivot_row(Index row, Index k, Index count);

/// Returns `column`, where the device says that the factorisation failed. Throws DeviceFault unless
/// it is one of the `count` columns.
[[nodiscard]] Index checked_failed_column(Index column, Index count);

/// Reads, from a buffer of `Number`s, the rows exchanged with rows 0 .. steps - 1 of a matrix of
/// `count` rows. Waits. Throws DeviceFault.
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

/// Completes a result whose pivots have been read; rows[k] is the row exchanged with row k. Sets
/// the first column whose pivot is exactly zero or not finite, and the number of exchanges of two
/// different rows. Throws DeviceFault if the device reported a failure in a column whose pivot is
/// good. With `least`, a pivot below it also fails: the matrix is not positive definite.
void judge_pivots(EliminationResult& result, std::vector<Index> rows,
                  std::optional<double> least = {});

/// The row exchanges of the LU that L D L^T yields, row k with a later one: those of its columns,
/// except that the two columns of a pair also change places, which moves rows behind them where
/// both columns of a pair were exchanged.
[[nodiscard]] std::vector<Index> row_exchanges_of(const std::vector<Index>& exchanges,
                                                  const std::vector<bool>& pairs);

[[nodiscard]] Inertia inertia_of(const SymmetricPivots& pivots);
/// Adds what only L D L^T has: the number of its column exchanges, and the inertia.
void judge_pivots(EliminationResult& result, const SymmetricPivots& pivots);

/// The solution of a system with n = 0.
[[nodiscard]] EliminationResult empty_result(const System& system, Pivoting pivoting);

}  // namespace clgauss
