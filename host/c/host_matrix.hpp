#pragma once
/// A caller's matrix in host memory, in either layout, and functions that copy it.

#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <utility>

#include "c/call.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss::c {

/// Element (i, j) lies at data[i * row_step + j * column_step].
template <typename Real>
struct HostMatrix {
  Real* data = nullptr;
  Index rows = 0, columns = 0;
  Index row_step = 0, column_step = 0;

  [[nodiscard]] bool empty() const { return rows == 0 || columns == 0; }
};

inline bool is_row_major(int layout) {
  if (layout != CLGAUSS_ROW_MAJOR && layout != CLGAUSS_COLUMN_MAJOR)
    throw UsageError(fmt::format(
        "layout is {}, neither CLGAUSS_ROW_MAJOR (101) nor CLGAUSS_COLUMN_MAJOR (102)", layout));
  return layout == CLGAUSS_ROW_MAJOR;
}

/// Whether `trans` asks for A^T or A^H.
inline bool is_transposed(int trans) {
  if (trans < CLGAUSS_NO_TRANSPOSE || trans > CLGAUSS_CONJUGATE_TRANSPOSE)
    throw UsageError(
        fmt::format("trans is {}, none of CLGAUSS_NO_TRANSPOSE (111), CLGAUSS_TRANSPOSE (112) and "
                    "CLGAUSS_CONJUGATE_TRANSPOSE (113)",
                    trans));
  return trans != CLGAUSS_NO_TRANSPOSE;
}

/// Throws DimensionError for counts of 2^31 and more. Call it before multiplying by `n` or `nrhs`.
inline void check_counts(Index n, Index nrhs) {
  constexpr Index kMost = Index{1} << 31U;
  if (n >= kMost || nrhs >= kMost)
    throw DimensionError(fmt::format("n = {} and nrhs = {}: neither may be 2^31 or more", n, nrhs));
}

/// Throws DimensionError if the memory up to the end of the last of `batch` matrices, `stride`
/// apart, exceeds the address space.
inline void check_extent(Index outer, Index inner, Index ld, Index batch, Index stride,
                         std::size_t element_bytes, const char* name) {
  using Wide = unsigned __int128;
  constexpr auto kMost = static_cast<Wide>(PTRDIFF_MAX);
  const Wide one = Wide{outer - 1} * ld + inner, before = Wide{batch - 1} * stride;
  if (one > kMost || before > kMost || (before + one) * element_bytes > kMost)
    throw DimensionError(fmt::format(
        "{} ({} times {} elements, leading dimension {}{}) is larger than any memory", name, outer,
        inner, ld, batch > 1 ? fmt::format(", {} times, stride {}", batch, stride) : ""));
}

/// The caller's matrix, or the first one of `batch`. Throws UsageError for a NULL that would be
/// dereferenced and for an invalid layout, DimensionError for sizes that contradict each other.
template <typename Real>
HostMatrix<Real> host_matrix(int layout, Index rows, Index columns, Real* data, Index ld,
                             const char* name, Index batch = 1, Index stride = 0) {
  const bool row_major = is_row_major(layout);
  const Index outer = row_major ? rows : columns, inner = row_major ? columns : rows;
  const HostMatrix<Real> matrix{data, rows, columns, row_major ? ld : 1, row_major ? 1 : ld};
  if (matrix.empty() || batch == 0) return matrix;
  not_null(data, name);
  if (ld < inner)
    throw DimensionError(fmt::format("{} is {} x {}: its leading dimension {} is below its {} {}",
                                     name, rows, columns, ld, inner,
                                     row_major ? "columns" : "rows"));
  check_extent(outer, inner, ld, batch, stride, sizeof(Real), name);
  return matrix;
}

inline bool is_upper(int uplo) {
  if (uplo != CLGAUSS_LOWER && uplo != CLGAUSS_UPPER)
    throw UsageError(
        fmt::format("uplo is {}, neither CLGAUSS_LOWER (121) nor CLGAUSS_UPPER (122)", uplo));
  return uplo == CLGAUSS_UPPER;
}

/// A matrix whose `uplo` triangle is stored, transposed if that is the upper one, so that the lower
/// triangle is stored.
template <typename Real>
HostMatrix<Real> with_lower_triangle(HostMatrix<Real> a, int uplo) {
  if (is_upper(uplo)) std::swap(a.row_step, a.column_step);
  return a;
}

/// The row-major matrix at `data`.
template <typename Real>
HostMatrix<Real> row_major(Real* data, Index rows, Index columns, Index ld) {
  return {data, rows, columns, ld, 1};
}

/// A matrix of the same shape and order as `matrix` in `memory`, without gaps.
template <typename Number>
HostMatrix<Number> like(const HostMatrix<Number>& matrix, void* memory) {
  const bool by_rows = matrix.column_step == 1;
  return {static_cast<Number*>(memory), matrix.rows, matrix.columns, by_rows ? matrix.columns : 1,
          by_rows ? 1 : matrix.rows};
}

/// The number of doubles whose memory holds `matrix` without gaps.
template <typename Number>
Index doubles_for(const HostMatrix<Number>& matrix) {
  return (matrix.rows * matrix.columns * sizeof(Number) + sizeof(double) - 1) / sizeof(double);
}

template <typename Real>
HostMatrix<Real> transposed(const HostMatrix<Real>& a) {
  return {a.data, a.columns, a.rows, a.column_step, a.row_step};
}

/// to <- from, of the same shape, on all cores: line by line where both have the same order,
/// otherwise with a transposition in memory.
template <typename From, typename To>
void copy(const HostMatrix<From>& from, const HostMatrix<To>& to) {
  if (to.empty()) return;
  if (to.row_step == 1 && to.column_step != 1) return copy(transposed(from), transposed(to));
  if (from.column_step == 1 && to.column_step == 1)
    return in_parallel(to.rows, kElementsPerThread / to.columns + 1, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i)
        std::copy_n(from.data + i * from.row_step, to.columns, to.data + i * to.row_step);
    });
  turn_over(from.data, from.column_step, to.data, to.row_step, to.rows, to.columns);
}

/// Calls body(i, j) for 0 <= j <= i < n, on all cores, in tiles as copy() does.
template <typename Body>
void for_lower_triangle(Index n, const Body& body) {
  constexpr Index kTile = 32;
  const Index tiles = (n + kTile - 1) / kTile;
  in_parallel(tiles, kElementsPerThread / (kTile * n) + 1, [&](Index first, Index last) {
    for (Index i0 = first * kTile; i0 < std::min(last * kTile, n); i0 += kTile)
      for (Index j0 = 0; j0 <= i0; j0 += kTile)
        for (Index i = i0; i < std::min(i0 + kTile, n); ++i)
          for (Index j = j0; j < std::min(j0 + kTile, i + 1); ++j) body(i, j);
  });
}

}  // namespace clgauss::c
