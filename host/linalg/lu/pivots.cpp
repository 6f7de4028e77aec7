#include "linalg/lu/pivots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "kernels/lu/lu_common.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// Reads the diagonal as a rectangle with rows of one element, at a pitch of one row plus one
/// column.
template <typename Real>
Values download_diagonal_as(const cl::CommandQueue& queue, const MatrixView& a, Index n,
                            Index parts) {
  const std::size_t bytes = parts * sizeof(Real);
  std::vector<Real, UninitializedAllocator<Real>> values(parts * n);
  // The last element is read separately. NVIDIA's driver requires the whole pitch of the last row
  // to lie inside the buffer.
  if (n > 1)
    queue.enqueueReadBufferRect(a.buffer, CL_TRUE, {a.offset * bytes, 0, 0}, {0, 0, 0},
                                {bytes, n - 1, 1}, (a.ld + 1) * bytes, 0, bytes, 0, values.data());
  queue.enqueueReadBuffer(a.buffer, CL_TRUE, (a.offset + (n - 1) * (a.ld + 1)) * bytes, bytes,
                          &values[parts * (n - 1)]);
  return {values.begin(), values.end()};
}

}  // namespace

Kernel prepared_diagonal_kernel(Context& context, NumberType number) {
  Kernel kernel =
      context.programs().kernel("diagonal.cl", "diagonal", number_macros(number, Defines{}));
  const cl::CommandQueue& queue = context.queue();
  const cl::Buffer matrix = context.allocate(number.bytes(), "a first launch"),
                   diagonal = context.allocate(number.bytes(), "a first launch");
  queue.enqueueFillBuffer(matrix, cl_uchar{0}, 0, number.bytes());
  enqueue_diagonal(queue, kernel, {matrix, 0, 1}, 1, diagonal);
  queue.finish();
  return kernel;
}

void enqueue_diagonal(const cl::CommandQueue& queue, Kernel kernel, const MatrixView& a, Index n,
                      const cl::Buffer& diagonal) {
  // One size for every n: PoCL compiles a kernel anew for every work-group size.
  const std::size_t local = std::min<std::size_t>(64, kernel.work_group_limit);
  kernel.set_arguments(a.buffer, cl_ulong{a.ld}, cl_ulong{n}, diagonal);
  enqueue_kernel(queue, kernel, cl::NDRange((n + local - 1) / local * local), cl::NDRange(local));
}

Values download_diagonal(const cl::CommandQueue& queue, const MatrixView& a,
                         const cl::Buffer& gathered, NumberType number, Index n) {
  const Index parts = number.parts();
  Values values = download(queue, gathered, number.real, parts * n);
  const Values in_place = number.real == RealType::f32
                              ? download_diagonal_as<float>(queue, a, n, parts)
                              : download_diagonal_as<double>(queue, a, n, parts);
  if (std::memcmp(values.data(), in_place.data(), values.size() * sizeof(double)) != 0)
    throw DeviceFault("the pivots read from the device differ from the diagonal of its factors");
  return values;
}

std::vector<Index> read_twice(const std::function<std::vector<Index>()>& read) {
  std::vector<Index> first = read();
  if (first != read()) throw DeviceFault("the row exchanges read twice from the device differ");
  return first;
}

Index checked_pivot_row(Index row, Index k, Index count) {
  if (row >= k && row < count) return row;
  throw DeviceFault(
      fmt::format("the device returned row {} as pivot of column {}, not one of {} to {}",
                  static_cast<std::int64_t>(row), k, k, count - 1));
}

Index checked_failed_column(Index column, Index count) {
  if (column < count) return column;
  throw DeviceFault(fmt::format("the device reports a failed pivot in column {} of a matrix of {}",
                                static_cast<std::int64_t>(column), count));
}

void judge_pivots(EliminationResult& result, std::vector<Index> rows, std::optional<double> least) {
  result.positive_definite = least.has_value();
  const auto bad = std::ranges::find_if(
      result.pivots, [&](double p) { return !std::isfinite(p) || (least ? p < *least : p == 0); });
  if (result.failed_column &&
      !(bad <= result.pivots.begin() + static_cast<std::ptrdiff_t>(*result.failed_column)))
    throw DeviceFault(
        fmt::format("the device reports a failed pivot in column {}, where there is {:g}",
                    *result.failed_column + 1, result.pivots[*result.failed_column]));
  if (bad != result.pivots.end())
    result.failed_column = static_cast<Index>(bad - result.pivots.begin());
  for (Index k = rows.size(); k < result.pivots.size(); ++k) rows.push_back(k);
  for (Index k = 0; k < rows.size(); ++k) result.row_exchanges += rows[k] != k ? 1 : 0;
  result.pivot_rows = std::move(rows);
}

std::vector<Index> row_exchanges_of(const std::vector<Index>& exchanges,
                                    const std::vector<bool>& pairs) {
  const Index n = exchanges.size();
  std::vector<Index> order(n);  // the rows of A that are the rows of P A
  std::iota(order.begin(), order.end(), Index{0});
  for (Index k = 0; k < n; ++k) {
    std::swap(order[k], order[exchanges[k]]);
    if (k > 0 && pairs[k - 1]) std::swap(order[k - 1], order[k]);
  }
  std::vector<Index> rows(n), at(n);  // the row at a place
  std::iota(at.begin(), at.end(), Index{0});
  std::vector<Index> place = at;  // of a row
  for (Index k = 0; k < n; ++k) {
    rows[k] = place[order[k]];
    at[rows[k]] = at[k];
    place[at[k]] = rows[k];
  }
  return rows;
}

Inertia inertia_of(const SymmetricPivots& pivots) {
  Inertia inertia;
  for (Index k = 0; k < pivots.exchanges.size(); ++k) {
    if (k > 0 && pivots.pairs[k - 1]) {  // a negative determinant: one eigenvalue of each sign
      ++inertia.positive;
    } else {
      const double pivot = pivots.pairs[k] ? -1 : pivots.diagonal[k];
      ++(pivot > 0 ? inertia.positive : pivot < 0 ? inertia.negative : inertia.zero);
    }
  }
  return inertia;
}

void judge_pivots(EliminationResult& result, const SymmetricPivots& pivots) {
  for (Index k = 0; k < pivots.exchanges.size(); ++k)
    result.column_exchanges += pivots.exchanges[k] != k ? 1 : 0;
  result.inertia = inertia_of(pivots);
}

EliminationResult empty_result(const System& system, Pivoting pivoting) {
  EliminationResult result;
  result.x = Matrix(0, system.b.cols());
  result.pivoting = pivoting;
  return result;
}

}  // namespace clgauss
