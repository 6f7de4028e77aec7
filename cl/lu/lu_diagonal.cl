// A diagonal block of an LU whose pivots are sought in a window of WINDOW rows instead of in whole
// columns (lu_window.cl has the rest of what products cannot do). Portable OpenCL C 1.2.
//
// lu_diagonal, one work-group: chooses by partial pivoting the best `size` of the first `rows` rows
// of a column of blocks, factors them, A11 = L U, and computes L^-1 and U^-1. size <= NB, size <=
// rows <= WINDOW.
// Every work-item keeps WINDOW / GRID_ROWS x NB / GRID_COLS elements in registers; rows stay where
// they are. In step k the column's owners publish it and the largest entry of each in a row that
// was no pivot yet; after a barrier all know the pivot's row, whose owners publish it; after
// another all update. The matrix becomes in place, column by column, L^-1 below and U^-1 on and
// above the diagonal: rows that were no pivot yet are eliminated, and with them the rows of L^-1
// that lie left of column k; the rows of U are reduced, as Gauss and Jordan do, to those of U^-1.
// Both are the same rank-1 update. U's row leaves at once, L's column for the scratch, until it is
// known where its rows go.
//   a + a_offset: the rows, which stay. lu + lu_offset: where L\U goes. work: NB x NB scalars of
//   L^-1, then NB x NB of U^-1, each whole (zeros, L's ones), beyond `size` the identity's, then NB
//   x WINDOW of scratch. sources[t]: the row that is to become row t, t < rows. info[0]: atomic
//   minimum of first + k over the pivots that are zero or not finite.
// NDRange: one work-group of GRID_ROWS * GRID_COLS. Local memory: 4 WINDOW + NB + GRID_ROWS
// scalars, WINDOW + 2 NB words.

#include "common.clh"

#if !defined(NB) || !defined(WINDOW) || !defined(GRID_ROWS) || !defined(GRID_COLS)
#error "NB, WINDOW, GRID_ROWS and GRID_COLS must be defined"
#endif
#if NB % GRID_COLS != 0 || NB > WINDOW || WINDOW > 512
#error "NB must be a multiple of GRID_COLS, NB <= WINDOW <= 512"
#endif
#if WINDOW % (4 * GRID_ROWS) != 0 || WINDOW > 32 * GRID_ROWS || GRID_ROWS % 4 != 0
#error \
    "WINDOW must be a multiple of 4 GRID_ROWS, at most 32 GRID_ROWS, and GRID_ROWS a multiple of 4"
#endif
#define WG_SIZE (GRID_ROWS * GRID_COLS)
#define ROWS (WINDOW / GRID_ROWS)
#define COLS (NB / GRID_COLS)

// A candidate for a pivot as one number that sorts as the magnitude does: its bits, the last 9 of
// them replaced by the row. NaN is above all. (Not by the row counted backwards, so that the first
// of equals would win: Intel's CPU runtime then takes the backward number for the row, see
// batched_tile.cl.)
#if REAL_BITS == 64
#define REAL4 double4
#define KEY ulong
#define KEY4 ulong4
#define BITS_OF(x) as_ulong(x)
#else
#define REAL4 float4
#define KEY uint
#define KEY4 uint4
#define BITS_OF(x) as_uint(x)
#endif
#define ROW_BITS 511u
#define KEY_OF(value, row) ((BITS_OF(fabs(value)) & ~(KEY)ROW_BITS) | (row))
#define ROW_OF(key) ((uint)((key)&ROW_BITS))

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_diagonal(
    const global REAL* restrict a, ulong a_offset, uint a_ld, uint rows, uint size,
    global REAL* restrict lu, ulong lu_offset, uint lu_ld, global REAL* work,
    global int* restrict sources, uint first, volatile global int* info) {
  // Column k, and what the columns left of it are multiplied by; by turns.
  local REAL4 column[2][WINDOW / 4], column_left[2][WINDOW / 4];
  local KEY4 candidates[GRID_ROWS / 4];
  local REAL row[NB];
  local uint source[NB], position[WINDOW];  // row k came from source[k], row i went to position[i]
  local uint displaced[NB];
  const uint id = get_local_id(0), tx = id % GRID_COLS, ty = id / GRID_COLS;
  global REAL* const scratch = work + 2 * NB * NB;
  REAL w[ROWS][COLS];  // rows ty ROWS + r, columns tx + c GRID_COLS
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint i = ty * ROWS + r;
    UNROLLED
    for (uint c = 0; c < COLS; ++c) {
      const uint j = tx + c * GRID_COLS;
      w[r][c] = i < rows && j < size ? a[a_offset + (ulong)i * a_ld + j] : (REAL)(i == j);
    }
  }
  for (uint i = id; i < WINDOW; i += WG_SIZE) position[i] = NB;
  uint pivots = 0;  // bit r: the row was one
  uint bad = NB;    // the first pivot that is
  // Column k is number `pivot_c` of its owners: a constant, where the loop is unrolled.
  UNROLLED
  for (uint pivot_c = 0; pivot_c < COLS; ++pivot_c) {
#pragma unroll 1
    for (uint pivot_x = 0; pivot_x < GRID_COLS; ++pivot_x) {
      const uint k = pivot_c * GRID_COLS + pivot_x;
      local REAL4* const col = column[k % 2];
      local REAL4* const col_left = column_left[k % 2];
      if (tx == pivot_x) {
        KEY best = 0;
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) {
          const uint i = ty * ROWS + r;
          // NaN comes also where no row is: none of those may be a row's pivot.
          const bool may = (pivots >> r & 1) == 0 && (i < rows) == (k < size);
          const KEY key = KEY_OF(w[r][pivot_c], i);
          best = max(best, may ? key : (KEY)0);
        }
        ((local KEY*)candidates)[ty] = best;
        UNROLLED
        for (uint q = 0; q < ROWS / 4; ++q) {
          const REAL4 v = (REAL4)(w[4 * q][pivot_c], w[4 * q + 1][pivot_c], w[4 * q + 2][pivot_c],
                                  w[4 * q + 3][pivot_c]);
          const uint were = pivots >> (4 * q);
          col[ty * (ROWS / 4) + q] = v;
          // Rows of U^-1 have nothing left of the pivot.
          col_left[ty * (ROWS / 4) + q] =
              (REAL4)((were & 1) != 0 ? 0 : v.x, (were & 2) != 0 ? 0 : v.y,
                      (were & 4) != 0 ? 0 : v.z, (were & 8) != 0 ? 0 : v.w);
        }
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) w[r][pivot_c] = 0;  // column k becomes -m / pivot
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      KEY4 best4 = candidates[0];
      UNROLLED
      for (uint g = 1; g < GRID_ROWS / 4; ++g) best4 = max(best4, candidates[g]);
      const uint p = ROW_OF(max(max(best4.x, best4.y), max(best4.z, best4.w)));
      const uint pivot_y = p / ROWS;
      const local REAL* const entries = (const local REAL*)col;
      const REAL pivot = entries[p], inverse = 1 / pivot;
      if (ty == pivot_y) {
        UNROLLED
        for (uint c = 0; c < COLS; ++c) {
          REAL entry = w[0][c];
          UNROLLED
          for (uint r = 1; r < ROWS; ++r) entry = ty * ROWS + r == p ? w[r][c] : entry;
          row[tx + c * GRID_COLS] = entry;
        }
      }
      for (uint i = id; i < WINDOW; i += WG_SIZE) scratch[k * WINDOW + i] = entries[i] * inverse;
      if (id == 0) {
        source[k] = p;
        position[p] = k;
      }
      if (!(fabs(pivot) > 0 && fabs(pivot) < (REAL)INFINITY)) bad = min(bad, k);
      barrier(CLK_LOCAL_MEM_FENCE);
      REAL scaled[COLS];  // the pivot row over the pivot
      UNROLLED
      for (uint c = 0; c < COLS; ++c)
        scaled[c] = c == pivot_c && tx == pivot_x ? inverse : row[tx + c * GRID_COLS] * inverse;
      const local REAL4* const col_mid = tx < pivot_x ? col_left : col;
      UNROLLED
      for (uint q = 0; q < ROWS / 4; ++q) {
        const uint at = ty * (ROWS / 4) + q;
        UNROLLED
        for (uint c = 0; c < COLS; ++c) {
          const REAL4 m = c < pivot_c ? col_left[at] : (c == pivot_c ? col_mid[at] : col[at]);
          w[4 * q][c] = fma(m.x, -scaled[c], w[4 * q][c]);
          w[4 * q + 1][c] = fma(m.y, -scaled[c], w[4 * q + 1][c]);
          w[4 * q + 2][c] = fma(m.z, -scaled[c], w[4 * q + 2][c]);
          w[4 * q + 3][c] = fma(m.w, -scaled[c], w[4 * q + 3][c]);
        }
      }
      if (ty == pivot_y) {  // that row alone was not to change so
        pivots |= 1u << p % ROWS;
        UNROLLED
        for (uint c = 0; c < COLS; ++c) {
          const uint j = tx + c * GRID_COLS;
          const bool left = c < pivot_c || (c == pivot_c && tx < pivot_x);
          const REAL entry = row[j], stays = left ? entry : scaled[c];
          if (!left && k < size && j < size)
            lu[lu_offset + (ulong)k * lu_ld + j] = c == pivot_c && tx == pivot_x ? pivot : entry;
          UNROLLED
          for (uint r = 0; r < ROWS; ++r) w[r][c] = ty * ROWS + r == p ? stays : w[r][c];
        }
      }
    }
  }
  if (id == 0 && bad < NB) atomic_min(info, (int)(first + bad));
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint i = position[ty * ROWS + r];
    UNROLLED
    for (uint c = 0; c < COLS; ++c) {
      const uint j = tx + c * GRID_COLS;
      if (i < NB) {
        work[i * NB + j] = i > j ? w[r][c] : (REAL)(i == j);
        work[(NB + i) * NB + j] = i > j ? (REAL)0 : w[r][c];
      }
    }
  }
  for (uint i = ty; i < size; i += GRID_ROWS)
    for (uint j = tx; j < i; j += GRID_COLS)
      lu[lu_offset + (ulong)i * lu_ld + j] = scratch[j * WINDOW + source[i]];
  // The pivots' rows come first; where they leave a row empty below, the rows that they displace
  // go, in their order.
  for (uint t = id; t < rows; t += WG_SIZE) {
    if (t < size && position[t] == NB) {
      uint rank = 0;
      for (uint i = 0; i < t; ++i) rank += position[i] == NB;
      displaced[rank] = t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = id; t < rows; t += WG_SIZE) {
    uint rank = 0;
    for (uint i = size; i < t; ++i) rank += position[i] < NB;
    uint from = t;
    if (t < size) from = source[t];
    if (t >= size && position[t] < NB) from = displaced[rank];
    sources[t] = (int)from;
  }
}
