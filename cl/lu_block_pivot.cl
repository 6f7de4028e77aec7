// LU with row exchanges inside diagonal blocks only, the part that products cannot do: the diagonal block, its exchanges, and how far
// the factors grew. Portable OpenCL C 1.2.
//
// lu_diagonal, one work-group: P A11 = L U with partial pivoting, L^-1 P and U^-1, `size` x `size`, size <= NB.
// Every work-item keeps NB / GRID_ROWS x NB / GRID_COLS elements in registers; rows stay where they are, and P is a list. In step k
// the column's owners publish it and the largest entry of each in a row that was no pivot yet; after a barrier all know the pivot's
// row, whose owners publish it; after another all update. The matrix becomes in place, column by column, L^-1 below and U^-1 on and
// above the diagonal: rows that were no pivot yet are eliminated, and with them the rows of L^-1 that lie left of column k; the rows
// of U are reduced, as Gauss and Jordan do, to those of U^-1. Both are the same rank-1 update. U's row and L's column are final at
// that time and are kept beside.
//   a + a_offset: A11. lu + lu_offset: where L\U goes; A11 stays. inverses: NB x NB scalars of L^-1 P, then NB x NB of U^-1, each
//   whole (zeros, L's ones), beyond `size` the identity's. sources[source_offset + k]: the row of A11 that became row k, k < size.
//   info[0]: atomic minimum of column + k over the pivots that are zero or not finite.
// NDRange: one work-group of GRID_ROWS * GRID_COLS; NB is a multiple of both. Local memory: 2 NB + GRID_ROWS scalars, 2 NB words.
//
// exchange_rows: row k of each block of NB rows of A <- row sources[its first row + k] of the block, in the first columns; with
// `left` those left of the block's diagonal block.
// NDRange: GRID_COLS columns a work-group of GRID_ROWS * GRID_COLS work-items, x blocks. Local memory: none.
//
// extreme_entries: figures[below] and figures[above] <- atomic maximum of |a_ij|, i > j and i <= j, and figures[smallest] <- atomic
// minimum of |a_ii|, as the bits of a float, which sort as the numbers do; NaN is above all. NDRange: n work-groups of
// GRID_ROWS * GRID_COLS, powers of two. Local memory: 2 words a work-item.

#include "common.clh"

#if !defined(NB) || !defined(GRID_ROWS) || !defined(GRID_COLS)
#error "NB, GRID_ROWS and GRID_COLS must be defined"
#endif
#if NB % GRID_COLS != 0 || NB % GRID_ROWS != 0 || NB > 256 || NB / GRID_ROWS > 32
#error "NB must be a multiple of GRID_ROWS and of GRID_COLS, at most 256 and 32 GRID_ROWS"
#endif
#define WG_SIZE (GRID_ROWS * GRID_COLS)
#define ROWS (NB / GRID_ROWS)
#define COLS (NB / GRID_COLS)

// A candidate for a pivot as one number that sorts as the magnitude does: its bits, the last 8 of them replaced by the row; the first
// of the rows wins. NaN is above all.
#if REAL_BITS == 64
#define KEY ulong
#define BITS_OF(x) as_ulong(x)
#else
#define KEY uint
#define BITS_OF(x) as_uint(x)
#endif
#define ROW_BITS 255u
#define KEY_OF(value, row) ((BITS_OF(fabs(value)) & ~(KEY)ROW_BITS) | (ROW_BITS - (row)))
#define ROW_OF(key) (ROW_BITS - (uint)((key)&ROW_BITS))

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_diagonal(
    const global REAL* restrict a, ulong a_offset, uint a_ld, uint size, global REAL* restrict lu,
    ulong lu_offset, uint lu_ld, global REAL* restrict inverses, global int* restrict sources,
    ulong source_offset, uint column, volatile global int* info) {
  local REAL row[NB], col[NB];
  local KEY candidates[GRID_ROWS];
  local uint source[NB], position[NB];  // row k came from source[k], row i went to position[i]
  const uint id = get_local_id(0), tx = id % GRID_COLS, ty = id / GRID_COLS;
  REAL w[ROWS][COLS], factors[ROWS][COLS];  // rows ty + r GRID_ROWS, columns tx + c GRID_COLS
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint i = ty + r * GRID_ROWS;
    UNROLLED
    for (uint c = 0; c < COLS; ++c) {
      const uint j = tx + c * GRID_COLS;
      w[r][c] = i < size && j < size ? a[a_offset + (ulong)i * a_ld + j] : (REAL)(i == j);
      factors[r][c] = 0;
    }
  }
  uint pivots = 0;  // bit r: the row was one
  // Column k is number `pivot_c` of its owners: a constant, where the loop is unrolled.
  UNROLLED
  for (uint pivot_c = 0; pivot_c < COLS; ++pivot_c) {
#pragma unroll 1
    for (uint pivot_x = 0; pivot_x < GRID_COLS; ++pivot_x) {
      const uint k = pivot_c * GRID_COLS + pivot_x;
      if (tx == pivot_x) {
        KEY best = 0;
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) {
          const uint i = ty + r * GRID_ROWS;
          col[i] = w[r][pivot_c];
          const KEY key = KEY_OF(w[r][pivot_c], i);
          const bool may = (pivots >> r & 1) == 0 && (i < size || k >= size);
          best = max(best, may ? key : (KEY)0);
          w[r][pivot_c] = 0;  // column k becomes -m / pivot
        }
        candidates[ty] = best;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      KEY best = candidates[0];
      UNROLLED
      for (uint g = 1; g < GRID_ROWS; ++g) best = max(best, candidates[g]);
      const uint p = ROW_OF(best), pivot_y = p % GRID_ROWS, pivot_r = p / GRID_ROWS;
      REAL m[ROWS];
      UNROLLED
      for (uint r = 0; r < ROWS; ++r) m[r] = col[ty + r * GRID_ROWS];
      const REAL pivot = col[p], inverse = 1 / pivot;
      if (ty == pivot_y) {
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) {
          if (r == pivot_r) {
            m[r] = 0;
            UNROLLED
            for (uint c = 0; c < COLS; ++c) row[tx + c * GRID_COLS] = w[r][c];
          }
        }
      }
      if (id == 0) {
        source[k] = p;
        position[p] = k;
        if (!(fabs(pivot) > 0 && fabs(pivot) < (REAL)INFINITY)) atomic_min(info, (int)(column + k));
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      REAL scaled[COLS];  // the pivot row over the pivot
      UNROLLED
      for (uint c = 0; c < COLS; ++c)
        scaled[c] = c == pivot_c && tx == pivot_x ? inverse : row[tx + c * GRID_COLS] * inverse;
      UNROLLED
      for (uint r = 0; r < ROWS; ++r) {
        // Rows of U^-1 have nothing left of the pivot.
        const bool was_pivot = (pivots >> r & 1) != 0;
        const REAL m_left = was_pivot ? (REAL)0 : m[r];
        if (tx == pivot_x && !was_pivot) factors[r][pivot_c] = m[r] * inverse;
        UNROLLED
        for (uint c = 0; c < COLS; ++c) {
          const bool left = c < pivot_c || (c == pivot_c && tx < pivot_x);
          w[r][c] = fma(left ? m_left : m[r], -scaled[c], w[r][c]);
        }
      }
      if (ty == pivot_y) {
        pivots |= 1u << pivot_r;
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) {
          UNROLLED
          for (uint c = 0; c < COLS; ++c) {
            const bool stays = r != pivot_r || c < pivot_c || (c == pivot_c && tx < pivot_x);
            const REAL entry = c == pivot_c && tx == pivot_x ? pivot : row[tx + c * GRID_COLS];
            factors[r][c] = stays ? factors[r][c] : entry;
            w[r][c] = stays ? w[r][c] : scaled[c];
          }
        }
      }
    }
  }
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint i = position[ty + r * GRID_ROWS];
    UNROLLED
    for (uint c = 0; c < COLS; ++c) {
      const uint j = tx + c * GRID_COLS;
      if (i < size && j < size) lu[lu_offset + (ulong)i * lu_ld + j] = factors[r][c];
      inverses[i * NB + source[j]] = i > j ? w[r][c] : (REAL)(i == j);
      inverses[(NB + i) * NB + j] = i > j ? (REAL)0 : w[r][c];
    }
  }
  for (uint k = id; k < size; k += WG_SIZE) sources[source_offset + k] = (int)source[k];
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void exchange_rows(
    global REAL* a, ulong a_offset, uint a_ld, uint n, uint columns, uint left,
    const global int* restrict sources) {
  const uint id = get_local_id(0), first = get_group_id(1) * NB,
             j = get_group_id(0) * GRID_COLS + id % GRID_COLS, ty = id / GRID_COLS;
  const uint end = left ? min(columns, first) : columns;
  global REAL* block = a + a_offset + (ulong)first * a_ld + j;
  REAL x[ROWS];
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint k = ty + r * GRID_ROWS;
    x[r] = first + k < n && j < end ? block[(ulong)sources[first + k] * a_ld] : (REAL)0;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint k = ty + r * GRID_ROWS;
    if (first + k < n && j < end) block[(ulong)k * a_ld] = x[r];
  }
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void extreme_entries(
    const global REAL* restrict a, ulong offset, uint ld, uint n, volatile global uint* figures,
    uint below, uint above, uint smallest) {
  local uint parts[2][WG_SIZE];
  const uint id = get_local_id(0), i = get_group_id(0);
  const global REAL* entries = a + offset + (ulong)i * ld;
  uint most_below = 0, most_above = 0;
  for (uint j = id; j < n; j += WG_SIZE) {
    const uint bits = as_uint(fabs((float)entries[j]));
    most_below = max(most_below, j < i ? bits : 0u);
    most_above = max(most_above, j < i ? 0u : bits);
  }
  parts[0][id] = most_below;
  parts[1][id] = most_above;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = WG_SIZE / 2; reach > 0; reach /= 2) {
    if (id < reach) {
      parts[0][id] = max(parts[0][id], parts[0][id + reach]);
      parts[1][id] = max(parts[1][id], parts[1][id + reach]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) {
    atomic_max(&figures[below], parts[0][0]);
    atomic_max(&figures[above], parts[1][0]);
    atomic_min(&figures[smallest], as_uint(fabs((float)entries[i])));
  }
}
