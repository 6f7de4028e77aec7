// LU whose pivots are sought in a window of WINDOW rows at the diagonal instead of in whole
// columns: the row exchanges of a block, and how far the factors grew. The diagonal blocks are
// lu_diagonal's, the rest are products. Portable OpenCL C 1.2.
// exchange_rows: row first + t <- row first + sources[t], t < rows, of `lu` in the columns left of
// `first`, of A in the others, `columns` in all, and of `order`.
// NDRange: GRID_COLS columns a work-group of GRID_ROWS * GRID_COLS. Local memory: none.
//
// invert_order: positions[order[i]] = i. NDRange: n, any local size.
//
// extreme_entries: figures[below] and figures[above] <- atomic maximum of |a_ij|, i > j and i <= j,
// and figures[smallest] <- atomic minimum of |a_ii|, as the bits of a float, which sort as the
// numbers do; NaN is above all. NDRange: n work-groups of GRID_ROWS * GRID_COLS, powers of two.
// Local memory: 2 words a work-item.

#include "common.clh"

#if !defined(WINDOW) || !defined(GRID_ROWS) || !defined(GRID_COLS)
#error "WINDOW, GRID_ROWS and GRID_COLS must be defined"
#endif
#if WINDOW % GRID_ROWS != 0 || WINDOW > 32 * GRID_ROWS
#error "WINDOW must be a multiple of GRID_ROWS and at most 32 GRID_ROWS"
#endif
#define WG_SIZE (GRID_ROWS * GRID_COLS)
#define ROWS (WINDOW / GRID_ROWS)

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void exchange_rows(
    global REAL* a, ulong a_offset, uint a_ld, global REAL* lu, ulong lu_offset, uint lu_ld,
    uint first, uint rows, uint columns, const global int* restrict sources, global int* order) {
  const uint id = get_local_id(0), j = get_group_id(0) * GRID_COLS + id % GRID_COLS,
             ty = id / GRID_COLS;
  global REAL* const column = j < first ? lu + lu_offset + (ulong)first * lu_ld + j
                                        : a + a_offset + (ulong)first * a_ld + j;
  const ulong ld = j < first ? lu_ld : a_ld;
  REAL x[ROWS];
  int was[ROWS];
  uint moves = 0;  // bit r: the row does
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint t = ty + r * GRID_ROWS, from = t < rows ? (uint)sources[t] : t;
    moves |= from == t ? 0 : 1u << r;
    x[r] = from != t && j < columns ? column[from * ld] : (REAL)0;
    was[r] = from != t && j == 0 ? order[first + from] : 0;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    const uint t = ty + r * GRID_ROWS;
    if ((moves >> r & 1) != 0 && j < columns) column[t * ld] = x[r];
    if ((moves >> r & 1) != 0 && j == 0) order[first + t] = was[r];
  }
}

kernel void invert_order(const global int* restrict order, global int* restrict positions) {
  const uint i = get_global_id(0);
  positions[order[i]] = (int)i;
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
