#include "linalg/solve/host_getrf.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "vectors.hpp"

namespace clgauss {

namespace {

constexpr Index kColumnsAtOnce = 64;  // of B; they stay in a near cache
constexpr Index kTileRows = 4;        // of C in registers, with two vectors of columns
constexpr Index kBlock = 64;          // columns of L that a trailing matrix is updated with at once

template <typename V>
using Of = typename V::Real;
template <typename V>
constexpr Index kPanel = kHostPanel<Of<V>>;

template <typename Real>
constexpr Index whole_panels(Index count) {
  return (count + kHostPanel<Real> - 1) / kHostPanel<Real> * kHostPanel<Real>;
}
template <typename V>
constexpr Index rounded_up(Index count) {
  return whole_panels<Of<V>>(count);
}

/// row <- row - factor * other, in whole vectors.
template <typename V>
CLGAUSS_INLINE void subtract_row(Index columns, Of<V> factor, const Of<V>* other, Of<V>* row) {
  for (Index j = 0; j < columns; j += V::kLanes) at<V>(row + j) -= factor * at<V>(other + j);
}

/// C <- C - A B for kRows rows and kVectors vectors of C; B has kDepth rows.
template <typename V, Index kDepth, Index kRows, Index kVectors>
CLGAUSS_INLINE void subtract_tile(const Of<V>* a, Index lda, const Of<V>* b, Index ldb, Of<V>* c,
                                  Index ldc) {
  typename V::Numbers sums[kRows][kVectors];
  for (Index i = 0; i < kRows; ++i)
    for (Index v = 0; v < kVectors; ++v) sums[i][v] = at<V>(c + i * ldc + v * V::kLanes);
  for (Index k = 0; k < kDepth; ++k)
    for (Index v = 0; v < kVectors; ++v) {
      const typename V::Numbers right = at<V>(b + k * ldb + v * V::kLanes);
      for (Index i = 0; i < kRows; ++i) sums[i][v] -= a[i * lda + k] * right;
    }
  for (Index i = 0; i < kRows; ++i)
    for (Index v = 0; v < kVectors; ++v) at<V>(c + i * ldc + v * V::kLanes) = sums[i][v];
}

template <typename V, Index kRows>
CLGAUSS_INLINE void subtract_rows(Index columns, const Of<V>* a, Index lda, const Of<V>* b,
                                  Index ldb, Of<V>* c, Index ldc) {
  Index j = 0;
  for (; j + 2 * V::kLanes <= columns; j += 2 * V::kLanes)
    subtract_tile<V, kPanel<V>, kRows, 2>(a, lda, b + j, ldb, c + j, ldc);
  for (; j < columns; j += V::kLanes)
    subtract_tile<V, kPanel<V>, kRows, 1>(a, lda, b + j, ldb, c + j, ldc);
}

/// C <- C - A B, where A has kPanel<V> columns.
template <typename V>
CLGAUSS_INLINE void subtract_panel(Index rows, Index columns, const Of<V>* a, Index lda,
                                   const Of<V>* b, Index ldb, Of<V>* c, Index ldc) {
  Index i = 0;
  for (; i + kTileRows <= rows; i += kTileRows)
    subtract_rows<V, kTileRows>(columns, a + i * lda, lda, b, ldb, c + i * ldc, ldc);
  for (; i < rows; ++i) subtract_rows<V, 1>(columns, a + i * lda, lda, b, ldb, c + i * ldc, ldc);
}

/// C <- C - A B for kVectors vectors of columns; A has kBlock columns.
template <typename V, Index kVectors>
CLGAUSS_INLINE void subtract_strip(Index rows, const Of<V>* a, Index lda, const Of<V>* b, Index ldb,
                                   Of<V>* c, Index ldc) {
  constexpr Index kWidth = kVectors * V::kLanes;
  Of<V> near[kBlock * kWidth];  // B's rows lie on as many pages
  for (Index k = 0; k < kBlock; ++k) std::copy_n(b + k * ldb, kWidth, near + k * kWidth);
  Index i = 0;
  for (; i + kTileRows <= rows; i += kTileRows)
    subtract_tile<V, kBlock, kTileRows, kVectors>(a + i * lda, lda, near, kWidth, c + i * ldc, ldc);
  for (; i < rows; ++i)
    subtract_tile<V, kBlock, 1, kVectors>(a + i * lda, lda, near, kWidth, c + i * ldc, ldc);
}

/// C <- C - A B, where A has kBlock columns: C is read and written once for all of them.
template <typename V>
CLGAUSS_INLINE void subtract_block(Index rows, Index columns, const Of<V>* a, Index lda,
                                   const Of<V>* b, Index ldb, Of<V>* c, Index ldc) {
  Index j = 0;
  for (; j + 2 * V::kLanes <= columns; j += 2 * V::kLanes)
    subtract_strip<V, 2>(rows, a, lda, b + j, ldb, c + j, ldc);
  for (; j < columns; j += V::kLanes) subtract_strip<V, 1>(rows, a, lda, b + j, ldb, c + j, ldc);
}

/// The row, from `top` on, with the largest magnitude in `column`; the first of equals. Returns
/// `top` if column[top] is NaN. `rows` is rounded up, and the padding is zero.
template <typename V>
CLGAUSS_INLINE Index pivot_row(const Of<V>* column, Index top, Index rows) {
  Index best = top;
  for (Index i = top + 1; i < kPanel<V>; ++i)
    if (std::abs(column[i]) > std::abs(column[best])) best = i;
  typename V::Numbers largest, zero;
  typename V::Places where, here;
  for (Index lane = 0; lane < V::kLanes; ++lane) {
    largest[lane] = std::abs(column[best]);
    zero[lane] = 0;
    where[lane] = static_cast<typename V::Place>(best);
    here[lane] = static_cast<typename V::Place>(kPanel<V> + lane);
  }
  for (Index i = kPanel<V>; i < rows; i += V::kLanes) {
    const typename V::Numbers value = at<V>(column + i), negative = zero - value;
    const typename V::Numbers magnitude = value < zero ? negative : value;
    where = magnitude > largest ? here : where;
    largest = magnitude > largest ? magnitude : largest;
    here += static_cast<typename V::Place>(V::kLanes);
  }
  Of<V> most = std::abs(column[best]);
  for (Index lane = 0; lane < V::kLanes; ++lane) {
    const auto row = static_cast<Index>(where[lane]);
    if (largest[lane] > most || (largest[lane] == most && row < best)) {
      most = largest[lane];
      best = row;
    }
  }
  return best;
}

/// P A = L U of `width` columns with `rows` rows, stored column by column.
template <typename V>
CLGAUSS_INLINE void factor_panel(Of<V>* panel, Index rows, Index width, Index* pivots) {
  for (Index j = 0; j < width; ++j) {
    Of<V>* const column = panel + j * rows;
    const Index best = pivot_row<V>(column, j, rows);
    pivots[j] = best;
    for (Index c = 0; c < width; ++c) std::swap(panel[c * rows + j], panel[c * rows + best]);
    const Of<V> pivot = column[j], reciprocal = 1 / pivot;
    if (pivot == 0) continue;  // what is below is 0, too, or NaN
    if (std::abs(pivot) >= std::numeric_limits<Of<V>>::min() && std::isfinite(pivot)) {
      for (Index i = j + 1; i < kPanel<V>; ++i) column[i] *= reciprocal;
      for (Index i = kPanel<V>; i < rows; i += V::kLanes) at<V>(column + i) *= reciprocal;
    } else {
      for (Index i = j + 1; i < rows; ++i) column[i] /= pivot;
    }
    for (Index c = j + 1; c < width; ++c) {
      Of<V>* const other = panel + c * rows;
      const Of<V> factor = other[j];
      for (Index i = j + 1; i < kPanel<V>; ++i) other[i] -= factor * column[i];
      subtract_row<V>(rows - kPanel<V>, factor, column + kPanel<V>, other + kPanel<V>);
    }
  }
}

/// Columns k .. k + width - 1 of P A = L U, whose rows are exchanged as a whole.
template <typename V>
CLGAUSS_INLINE void factor_columns(Index n, Of<V>* a, Index lda, Index k, Index width,
                                   Index* pivots, Of<V>* panel) {
  const Index rows = rounded_up<V>(n - k);
  for (Index c = 0; c < width; ++c) {
    for (Index i = k; i < n; ++i) panel[c * rows + i - k] = a[i * lda + k + c];
    for (Index i = n - k; i < rows; ++i) panel[c * rows + i] = 0;
  }
  factor_panel<V>(panel, rows, width, pivots + k);
  for (Index j = k; j < k + width; ++j) {
    pivots[j] += k;
    if (pivots[j] != j) std::swap_ranges(a + j * lda, a + j * lda + n, a + pivots[j] * lda);
  }
  for (Index i = k; i < n; ++i)
    for (Index c = 0; c < width; ++c) a[i * lda + k + c] = panel[c * rows + i - k];
}

/// Applies the kPanel<V> columns of L from column k on to `columns` columns from `begin` on: to U
/// in their own rows, and to the rows below, up to row `end`.
template <typename V>
CLGAUSS_INLINE void apply_panel(Of<V>* a, Index lda, Index k, Index end, Index begin,
                                Index columns) {
  const Index next = k + kPanel<V>;
  for (Index i = k + 1; i < next; ++i)  // U12 = L11^-1 A12
    for (Index q = k; q < i; ++q)
      subtract_row<V>(columns, a[i * lda + q], a + q * lda + begin, a + i * lda + begin);
  subtract_panel<V>(end - next, columns, a + next * lda + k, lda, a + k * lda + begin, lda,
                    a + next * lda + begin, lda);  // A22 = A22 - L21 U12
}

template <typename V>
CLGAUSS_INLINE void getrf(Index n, Of<V>* a, Index lda, Index* pivots) {
  std::vector<Of<V>> panel(kPanel<V> * rounded_up<V>(n));
  for (Index top = 0; top < n; top += kBlock) {
    const Index end = std::min(top + kBlock, rounded_up<V>(n));
    for (Index k = top; k < std::min(end, n); k += kPanel<V>) {
      factor_columns<V>(n, a, lda, k, std::min(kPanel<V>, n - k), pivots, panel.data());
      const Index next = k + kPanel<V>;
      if (next < std::min(end, n)) apply_panel<V>(a, lda, k, n, next, end - next);
    }
    if (end >= n) break;
    const Index columns = rounded_up<V>(n) - end;
    for (Index k = top; k < end; k += kPanel<V>) apply_panel<V>(a, lda, k, end, end, columns);
    subtract_block<V>(n - end, columns, a + end * lda + top, lda, a + top * lda + end, lda,
                      a + end * lda + end, lda);
  }
}

/// B <- L^-1 B
template <typename V>
CLGAUSS_INLINE void substitute_lower(Index n, const Of<V>* lu, Index lda, Index columns, Of<V>* b,
                                     Index ldb) {
  for (Index k = 0; k < n; k += kPanel<V>) {
    const Index next = std::min(n, k + kPanel<V>);
    for (Index i = k + 1; i < next; ++i)
      for (Index q = k; q < i; ++q)
        subtract_row<V>(columns, lu[i * lda + q], b + q * ldb, b + i * ldb);
    if (next < n)
      subtract_panel<V>(n - next, columns, lu + next * lda + k, lda, b + k * ldb, ldb,
                        b + next * ldb, ldb);
  }
}

/// B <- U^-1 B. The rows above kBlock rows of the answer are updated with all of them at once.
template <typename V>
CLGAUSS_INLINE void substitute_upper(Index n, const Of<V>* lu, Index lda, Index columns, Of<V>* b,
                                     Index ldb) {
  for (Index end = n, top = 0; end > 0; end = top) {
    top = (end - 1) / kBlock * kBlock;
    const bool is_whole = end == top + kBlock;
    const Index above = is_whole ? top : 0;
    for (Index k = (end - 1) / kPanel<V> * kPanel<V> + kPanel<V>; k > top;) {
      k -= kPanel<V>;
      const Index next = std::min(end, k + kPanel<V>);
      for (Index i = next; i-- > k;) {
        for (Index q = i + 1; q < next; ++q)
          subtract_row<V>(columns, lu[i * lda + q], b + q * ldb, b + i * ldb);
        const Of<V> pivot = lu[i * lda + i];
        for (Index j = 0; j < columns; j += V::kLanes) at<V>(b + i * ldb + j) /= pivot;
      }
      if (next == k + kPanel<V>)
        subtract_panel<V>(k - above, columns, lu + above * lda + k, lda, b + k * ldb, ldb,
                          b + above * ldb, ldb);
      else
        for (Index i = above; i < k; ++i)
          for (Index q = k; q < next; ++q)
            subtract_row<V>(columns, lu[i * lda + q], b + q * ldb, b + i * ldb);
    }
    if (is_whole) subtract_block<V>(top, columns, lu + top, lda, b + top * ldb, ldb, b, ldb);
  }
}

template <typename V>
CLGAUSS_INLINE void getrs(Index n, const Of<V>* lu, Index lda, const Index* pivots, Index nrhs,
                          Of<V>* b, Index ldb) {
  for (Index k = 0; k < n; ++k)
    if (pivots[k] != k) std::swap_ranges(b + k * ldb, b + k * ldb + nrhs, b + pivots[k] * ldb);
  for (Index c = 0; c < rounded_up<V>(nrhs); c += kColumnsAtOnce) {
    const Index columns = std::min(kColumnsAtOnce, rounded_up<V>(nrhs) - c);
    substitute_lower<V>(n, lu, lda, columns, b + c, ldb);
    substitute_upper<V>(n, lu, lda, columns, b + c, ldb);
  }
}

template <typename V>
CLGAUSS_INLINE void solve_upper(Index n, const Of<V>* lu, Index lda, Index nrhs, Of<V>* b,
                                Index ldb) {
  for (Index c = 0; c < rounded_up<V>(nrhs); c += kColumnsAtOnce)
    substitute_upper<V>(n, lu, lda, std::min(kColumnsAtOnce, rounded_up<V>(nrhs) - c), b + c, ldb);
}

template <typename V>
CLGAUSS_INLINE Of<V> dot(Index count, const Of<V>* a, const Of<V>* b) {
  typename V::Numbers sums[2] = {};
  Index j = 0;
  for (; j + 2 * V::kLanes <= count; j += 2 * V::kLanes)
    for (Index v = 0; v < 2; ++v)
      sums[v] += at<V>(a + j + v * V::kLanes) * at<V>(b + j + v * V::kLanes);
  sums[0] += sums[1];
  Of<V> sum = 0;
  for (Index lane = 0; lane < V::kLanes; ++lane) sum += sums[0][lane];
  for (; j < count; ++j) sum += a[j] * b[j];
  return sum;
}

template <typename V>
CLGAUSS_INLINE void getrs_vector(Index n, const Of<V>* lu, Index lda, const Index* pivots,
                                 Of<V>* b) {
  for (Index k = 0; k < n; ++k) std::swap(b[k], b[pivots[k]]);
  for (Index i = 1; i < n; ++i) b[i] -= dot<V>(i, lu + i * lda, b);
  for (Index i = n; i-- > 0;)
    b[i] = (b[i] - dot<V>(n - i - 1, lu + i * lda + i + 1, b + i + 1)) / lu[i * lda + i];
}

template <typename V>
CLGAUSS_INLINE void subtract_product(Index rows, Index depth, Index columns, const Of<V>* a,
                                     Index lda, const Of<V>* b, Index ldb, Of<V>* c, Index ldc) {
  for (Index j = 0; j < rounded_up<V>(columns); j += kColumnsAtOnce) {
    const Index width = std::min(kColumnsAtOnce, rounded_up<V>(columns) - j);
    Index k = 0;
    for (; k + kBlock <= depth; k += kBlock)
      subtract_block<V>(rows, width, a + k, lda, b + k * ldb + j, ldb, c + j, ldc);
    for (; k + kPanel<V> <= depth; k += kPanel<V>)
      subtract_panel<V>(rows, width, a + k, lda, b + k * ldb + j, ldb, c + j, ldc);
    for (Index i = 0; i < rows; ++i)
      for (Index q = k; q < depth; ++q)
        subtract_row<V>(width, a[i * lda + q], b + q * ldb + j, c + i * ldc + j);
  }
}

// The functions for one width of vectors and one kind of processor.
#define CLGAUSS_VECTORS(LANES) Vectors<LANES * sizeof(double) / sizeof(Real), Real>
#define CLGAUSS_HOST_KERNELS(NAME, LANES, TARGET, RUNS_HERE)                                     \
  template <typename Real>                                                                       \
  TARGET void getrf_##NAME(Index n, Real* a, Index lda, Index* pivots) {                         \
    getrf<CLGAUSS_VECTORS(LANES)>(n, a, lda, pivots);                                            \
  }                                                                                              \
  template <typename Real>                                                                       \
  TARGET void getrs_##NAME(Index n, const Real* lu, Index lda, const Index* pivots, Index nrhs,  \
                           Real* b, Index ldb) {                                                 \
    getrs<CLGAUSS_VECTORS(LANES)>(n, lu, lda, pivots, nrhs, b, ldb);                             \
  }                                                                                              \
  template <typename Real>                                                                       \
  TARGET void getrs_vector_##NAME(Index n, const Real* lu, Index lda, const Index* pivots,       \
                                  Real* b) {                                                     \
    getrs_vector<CLGAUSS_VECTORS(LANES)>(n, lu, lda, pivots, b);                                 \
  }                                                                                              \
  template <typename Real>                                                                       \
  TARGET void solve_upper_##NAME(Index n, const Real* lu, Index lda, Index nrhs, Real* b,        \
                                 Index ldb) {                                                    \
    solve_upper<CLGAUSS_VECTORS(LANES)>(n, lu, lda, nrhs, b, ldb);                               \
  }                                                                                              \
  template <typename Real>                                                                       \
  TARGET void subtract_product_##NAME(Index rows, Index depth, Index columns, const Real* a,     \
                                      Index lda, const Real* b, Index ldb, Real* c, Index ldc) { \
    subtract_product<CLGAUSS_VECTORS(LANES)>(rows, depth, columns, a, lda, b, ldb, c, ldc);      \
  }

CLGAUSS_EACH_WIDTH(CLGAUSS_HOST_KERNELS)

#define CLGAUSS_HOST_KERNELS_ROW(NAME, LANES, TARGET, RUNS_HERE) \
  {#NAME,                                                        \
   &RUNS_HERE,                                                   \
   &getrf_##NAME<Real>,                                          \
   &getrs_##NAME<Real>,                                          \
   &getrs_vector_##NAME<Real>,                                   \
   &solve_upper_##NAME<Real>,                                    \
   &subtract_product_##NAME<Real>},
template <typename Real>
constexpr HostLuKernels<Real> kAll[] = {CLGAUSS_EACH_WIDTH(CLGAUSS_HOST_KERNELS_ROW)};

}  // namespace

template <typename Real>
Index host_ld(Index columns) {
  constexpr Index kSharing = 512 / sizeof(Real);  // rows this far apart share few sets of a cache
  const Index ld = whole_panels<Real>(columns);
  return ld % kSharing == 0 ? ld + kHostPanel<Real> : ld;
}

template <typename Real>
std::span<const HostLuKernels<Real>> all_host_lu_kernels() {
  return kAll<Real>;
}

template <typename Real>
const HostLuKernels<Real>& host_lu_kernels() {
  static const HostLuKernels<Real>& chosen = first_that_runs_here(kAll<Real>);
  return chosen;
}

#define CLGAUSS_FOR(Real)                                              \
  template Index host_ld<Real>(Index);                                 \
  template std::span<const HostLuKernels<Real>> all_host_lu_kernels(); \
  template const HostLuKernels<Real>& host_lu_kernels();
CLGAUSS_FOR(float)
CLGAUSS_FOR(double)
#undef CLGAUSS_FOR

}  // namespace clgauss
