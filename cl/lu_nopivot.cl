// LU without row exchanges, the part that products cannot do: the diagonal block, and how far the factors grew. Portable OpenCL
// C 1.2.
//
// lu_diagonal, one work-group: A11 = L U, L^-1 and U^-1, `size` x `size`, size <= NB.
// In one loop over k, one barrier a step, every work-item with NB / GRID_ROWS x NB / GRID_COLS elements in registers. The matrix
// becomes in place, column by column, L^-1 below and U^-1 on and above the diagonal: the rows below row k are eliminated, and with
// them the rows of L^-1 that lie left of column k; the rows above it are reduced, as Gauss and Jordan do, to those of U^-1. Both
// are the same rank-1 update with row and column k, which their owners publish before the barrier, two sets by turns. U's row and
// L's column are final at that time and are kept beside.
//   a + a_offset: A11. lu + lu_offset: where L\U goes; A11 stays. inverses: NB x NB scalars of L^-1, then NB x NB of U^-1, each
//   whole (zeros, L's ones), beyond `size` the identity's. info[0]: atomic minimum of column + k over the pivots that are zero or
//   not finite.
// NDRange: one work-group of GRID_ROWS * GRID_COLS. Local memory: 4 NB scalars. NB is a multiple of GRID_COLS, that of GRID_ROWS.
//
// extreme_entries: figures[below] and figures[above] <- atomic maximum of |a_ij|, i > j and i <= j, and figures[smallest] <- atomic
// minimum of |a_ii|, as the bits of a float, which sort as the numbers do; NaN is above all. NDRange: n work-groups of
// GRID_ROWS * GRID_COLS, powers of two. Local memory: 2 words a work-item.

#include "common.clh"

#if !defined(NB) || !defined(GRID_ROWS) || !defined(GRID_COLS)
#error "NB, GRID_ROWS and GRID_COLS must be defined"
#endif
#if NB % GRID_COLS != 0 || GRID_COLS % GRID_ROWS != 0
#error "NB must be a multiple of GRID_COLS, and that of GRID_ROWS"
#endif
#define WG_SIZE (GRID_ROWS * GRID_COLS)
#define ROWS (NB / GRID_ROWS)
#define COLS (NB / GRID_COLS)

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_diagonal(
    const global REAL* restrict a, ulong a_offset, uint a_ld, uint size, global REAL* restrict lu,
    ulong lu_offset, uint lu_ld, global REAL* restrict inverses, uint column,
    volatile global int* info) {
  local REAL published_row[2][NB], published_column[2][NB];
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
  // Row k is number `pivot_r` of its owners, column k number `pivot_c`: constants, where the loop is unrolled.
  UNROLLED
  for (uint pivot_r = 0; pivot_r < ROWS; ++pivot_r) {
    const uint pivot_c = pivot_r * GRID_ROWS / GRID_COLS;
#pragma unroll 1
    for (uint step = 0; step < GRID_ROWS; ++step) {
      const uint k = pivot_r * GRID_ROWS + step, pivot_x = k % GRID_COLS;
      local REAL* const row = published_row[k % 2];
      local REAL* const col = published_column[k % 2];
      if (ty == step) {
        UNROLLED
        for (uint c = 0; c < COLS; ++c) row[tx + c * GRID_COLS] = w[pivot_r][c];
      }
      if (tx == pivot_x) {
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) col[ty + r * GRID_ROWS] = w[r][pivot_c];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const REAL pivot = row[k], inverse = 1 / pivot;
      if (id == 0 && !(fabs(pivot) > 0 && fabs(pivot) < (REAL)INFINITY))
        atomic_min(info, (int)(column + k));
      // Row k divided by the pivot; `right` without what lies left of the pivot, for rows above it.
      REAL whole[COLS], right[COLS];
      UNROLLED
      for (uint c = 0; c < COLS; ++c) {
        const REAL entry = row[tx + c * GRID_COLS];
        const bool left_of_pivot = c < pivot_c || (c == pivot_c && tx < pivot_x);
        if (ty == step && !left_of_pivot) factors[pivot_r][c] = entry;
        whole[c] = c == pivot_c && tx == pivot_x ? inverse : entry * inverse;
        right[c] = left_of_pivot ? (REAL)0 : whole[c];
      }
      if (tx == pivot_x) {  // what becomes of column k: -m / pivot
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) w[r][pivot_c] = 0;
      }
      UNROLLED
      for (uint r = 0; r < ROWS; ++r) {
        const REAL m = col[ty + r * GRID_ROWS];
        const bool is_pivot = r == pivot_r && ty == step,
                   above = r < pivot_r || (r == pivot_r && ty < step);
        if (tx == pivot_x && !above && !is_pivot) factors[r][pivot_c] = m * inverse;
        UNROLLED
        for (uint c = 0; c < COLS; ++c) {
          const REAL updated = fma(-m, above ? right[c] : whole[c], w[r][c]);
          const bool left_of_pivot = c < pivot_c || (c == pivot_c && tx < pivot_x);
          w[r][c] = !is_pivot ? updated : (left_of_pivot ? w[r][c] : whole[c]);
        }
      }
    }
  }
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint i = ty + r * GRID_ROWS;
    UNROLLED
    for (uint c = 0; c < COLS; ++c) {
      const uint j = tx + c * GRID_COLS;
      if (i < size && j < size) lu[lu_offset + (ulong)i * lu_ld + j] = factors[r][c];
      inverses[i * NB + j] = i > j ? w[r][c] : (REAL)(i == j);
      inverses[(NB + i) * NB + j] = i > j ? (REAL)0 : w[r][c];
    }
  }
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void extreme_entries(
    const global REAL* restrict a, ulong offset, uint ld, uint n, volatile global uint* figures,
    uint below, uint above, uint smallest) {
  local uint parts[2][WG_SIZE];
  const uint id = get_local_id(0), i = get_group_id(0);
  const global REAL* row = a + offset + (ulong)i * ld;
  uint most_below = 0, most_above = 0;
  for (uint j = id; j < n; j += WG_SIZE) {
    const uint bits = as_uint(fabs((float)row[j]));
    most_below = max(most_below, j < i ? bits : 0u);
    most_above = max(most_above, j < i ? 0u : bits);
  }
  parts[0][id] = most_below;
  parts[1][id] = most_above;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half = WG_SIZE / 2; half > 0; half /= 2) {
    if (id < half) {
      parts[0][id] = max(parts[0][id], parts[0][id + half]);
      parts[1][id] = max(parts[1][id], parts[1][id + half]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (id == 0) {
    atomic_max(&figures[below], parts[0][0]);
    atomic_max(&figures[above], parts[1][0]);
    atomic_min(&figures[smallest], as_uint(fabs((float)row[i])));
  }
}
