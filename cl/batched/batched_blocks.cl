// Many systems of some hundreds to thousands of unknowns on any device: the parts of a blocked
// P A = L U with partial pivoting that are not products, each a launch that spans the batch.
//
// A panel of PANEL columns belongs to one work-group, whose work-items keep rows of it in private
// memory; rows do not move until they are written. What the panel exchanged is left in `moves`:
// the others' columns follow it, and become rows of U, in a launch of their own. The rest are
// products of batches (gemm_batch.clh).
// DEFINITE 1 (0 if not defined): A = L D L^T without exchanges, stored as an LU with U = D L^T,
// from the lower triangle of A.
//
// Arguments: a matrix of system s starts at offset + s * stride, rows ld apart, in elements;
// permutation, moves and the factors are those of systems 0, 1, .. of a launch, info those from
// `first` on: 0, or 1 + the first column whose pivot is exactly zero or not finite (a NaN counts as
// the largest magnitude), or, if DEFINITE, not positive. moves: 2 BLOCK ints a system, 2 PANEL of
// each panel of a block of BLOCK columns: where the rows came from that are now the panel's first
// PANEL rows, and where the rows are now that were there before; counted from its first row.
// KERNEL: which of the kernels is built, 1 to 5 in their order below.
// NDRange: local GROUP, a power of two; a system is one group of batched_panel, n > top rows,
// n - top <= GROUP * LANE_ROWS; of the others one number of dimension 1.
// Local memory: batched_panel GROUP + PARTS + 2 PANEL scalars and GROUP + PARTS words, batched_rows
// MOST_ROWS^2 scalars and 2 MOST_ROWS words, batched_block_solve PANEL^2 scalars.

#include "batched.clh"

#if !defined(PANEL) || !defined(BLOCK) || !defined(GROUP) || !defined(KERNEL)
#error "PANEL, BLOCK, GROUP and KERNEL must be defined"
#endif
#if BLOCK % PANEL != 0
#error "BLOCK must be a multiple of PANEL"
#endif
#ifndef DEFINITE
#define DEFINITE 0
#endif
#define LOCAL_SYNC() barrier(CLK_LOCAL_MEM_FENCE)

#if KERNEL == 1
#define PARTS (GROUP < 16 ? GROUP : 16)
#define INVERSE(v) (1 / (v))

typedef struct {
  REAL magnitude[GROUP], part_magnitude[PARTS], pivot_row[2][PANEL];
  uint position[GROUP], part_position[PARTS];
} Shared;

#if !DEFINITE
// The largest magnitude in a row that is no pivot yet, of equals that of the lowest position.
INLINE uint pivot_position(REAL r[LANE_ROWS][PANEL], const uint* position, const uint c,
                           const uint m, local Shared* s) {
  const uint id = get_local_id(0);
  REAL best = -1;
  uint at = m;
  UNROLLED
  for (uint x = 0; x < LANE_ROWS; ++x) {
    const REAL v = r[x][0], size = isnan(v) ? (REAL)INFINITY : fabs(v);
    const bool open = position[x] >= c && position[x] < m;
    if (open && (size > best || (size == best && position[x] < at))) {
      best = size;
      at = position[x];
    }
  }
  s->magnitude[id] = best;
  s->position[id] = at;
  LOCAL_SYNC();
  if (id < PARTS) {
    best = s->magnitude[id];
    at = s->position[id];
#pragma unroll 4
    for (uint k = id + PARTS; k < GROUP; k += PARTS) {
      const REAL size = s->magnitude[k];
      const uint other = s->position[k];
      const bool better = size > best || (size == best && other < at);
      best = better ? size : best;
      at = better ? other : at;
    }
    s->part_magnitude[id] = best;
    s->part_position[id] = at;
  }
  LOCAL_SYNC();
  return row_of_largest(s->part_magnitude, s->part_position, PARTS);
}
#endif

INLINE const local REAL* choose_pivot(REAL r[LANE_ROWS][PANEL], const uint* position, const uint c,
                                      const uint m, local Shared* s, uint* chosen) {
  local REAL* row = s->pivot_row[c % 2];
#if DEFINITE
  const uint p = c;
#else
  const uint p = pivot_position(r, position, c, m, s);
#endif
  UNROLLED
  for (uint x = 0; x < LANE_ROWS; ++x)
    if (position[x] == p) {
      UNROLLED
      for (uint k = 0; k < PANEL; ++k) row[k] = r[x][k];
    }
  LOCAL_SYNC();
  *chosen = p;
  return row;
}

#include "batched_panel.clh"

#elif KERNEL == 2
#ifndef MOST_ROWS
#error "MOST_ROWS must be defined"
#endif
// What `panels` panels from row `top` on, at most MOST_ROWS rows, mean for columns begin .. end - 1
// but hole .. hole_end - 1: their exchanges, and on the right the rows of U, which are L^-1 times
// the exchanged rows; if DEFINITE, D L^T from the panels themselves. A work-item a column.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_rows(
    global REAL* lu, const ulong lu_offset, const uint lu_ld, const ulong lu_stride,
    global const int* moves, const uint n, const uint top, const uint panels, const uint begin,
    const uint hole, const uint hole_end, const uint end) {
  local REAL block[MOST_ROWS * MOST_ROWS];
  local int moved[2 * MOST_ROWS];
  const uint id = get_local_id(0), rows = min(panels * PANEL, n - top);
  lu += lu_offset + get_group_id(1) * lu_stride;
  moves += get_group_id(1) * (2 * BLOCK) + (top % BLOCK) * 2;
  for (uint e = id; e < rows * MOST_ROWS; e += GROUP) {
    const uint i = e / MOST_ROWS, j = e % MOST_ROWS;
    block[e] = j < rows ? lu[(ulong)(top + i) * lu_ld + top + j] : (REAL)0;
  }
  for (uint e = id; e < 2 * PANEL * panels; e += GROUP) moved[e] = moves[e];
  LOCAL_SYNC();
  uint j = begin + get_group_id(0) * GROUP + id;
  if (j >= hole) j += hole_end - hole;
#if DEFINITE
  for (uint c = 0; c < rows && j < end; ++c)
    lu[(ulong)(top + c) * lu_ld + j] = block[c * MOST_ROWS + c] * lu[(ulong)j * lu_ld + top + c];
#else
  if (j >= end) return;
  global REAL* column = lu + (ulong)top * lu_ld + j;
  REAL x[PANEL];
  for (uint q = 0; q < rows; q += PANEL) {
    const local int* from = moved + 2 * q;
    const uint width = min((uint)PANEL, rows - q);
    global REAL* at = column + (ulong)q * lu_ld;
    REAL old[PANEL];
    UNROLLED
    for (uint c = 0; c < PANEL; ++c) {
      old[c] = c < width ? at[(ulong)c * lu_ld] : (REAL)0;
      x[c] = c < width ? at[(ulong)from[c] * lu_ld] : (REAL)0;
    }
    UNROLLED
    for (uint c = 0; c < PANEL; ++c) {
      if (c < width && from[PANEL + c] >= (int)width) at[(ulong)from[PANEL + c] * lu_ld] = old[c];
      if (c < width) at[(ulong)c * lu_ld] = x[c];
    }
  }
  if (j < hole_end) return;
  for (uint q = 0; q < rows; q += PANEL) {
    const uint width = min((uint)PANEL, rows - q);
    const local REAL* l = block + q * MOST_ROWS;
    global REAL* at = column + (ulong)q * lu_ld;
    UNROLLED
    for (uint c = 0; c < PANEL; ++c) x[c] = c < width ? at[(ulong)c * lu_ld] : (REAL)0;
#pragma unroll 4
    for (uint k = 0; k < q; ++k) {
      const REAL done = column[(ulong)k * lu_ld];
      UNROLLED
      for (uint c = 0; c < PANEL; ++c) x[c] = fma(-l[c * MOST_ROWS + k], done, x[c]);
    }
    // x moves on by one a row, so that it is indexed by constants only.
#pragma unroll 1
    for (uint c = 0; c < width; ++c) {
      const REAL done = x[0];
      at[(ulong)c * lu_ld] = done;
      UNROLLED
      for (uint i = 1; i < PANEL; ++i)
        x[i - 1] = c + i < width ? fma(-l[(c + i) * MOST_ROWS + q + c], done, x[i]) : x[i];
    }
  }
#endif
}

#elif KERNEL == 3
// What the factorisation begins with: lu <- A, unless that is where A lies, rows in order, nothing
// found.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_start(
    global const REAL* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global REAL* lu, const ulong lu_offset, const uint lu_ld, const ulong lu_stride,
    global int* permutation, const uint n, const ulong first, global int* info) {
  const ulong system = get_group_id(1);
  const uint i = get_group_id(0);
  a += a_offset + (first + system) * a_stride + (ulong)i * a_ld;
  lu += lu_offset + system * lu_stride + (ulong)i * lu_ld;
  if (a != lu)
    for (uint j = get_local_id(0); j < n; j += GROUP) lu[j] = a[j];
  if (get_local_id(0) == 0) {
    permutation[system * n + i] = (int)i;
    if (i == 0) info[first + system] = 0;
  }
}

#elif KERNEL == 4
// With `back` 0: y <- P B, else B <- y, NaN where the factorisation failed. A group a row.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_carry(
    global REAL* b, const ulong b_offset, const uint b_ld, const ulong b_stride, global REAL* y,
    const ulong y_offset, const uint y_ld, const ulong y_stride, global const int* permutation,
    const uint n, const uint nrhs, const uint back, const ulong first, global const int* info) {
  const ulong system = get_group_id(1);
  const uint i = get_group_id(0), row = back ? i : (uint)permutation[system * n + i];
  b += b_offset + (first + system) * b_stride + (ulong)row * b_ld;
  y += y_offset + system * y_stride + (ulong)i * y_ld;
  const bool failed = info[first + system] != 0;
  for (uint j = get_local_id(0); j < nrhs; j += GROUP)
    if (back)
      b[j] = failed ? (REAL)NAN : y[j];
    else
      y[j] = b[j];
}

#elif KERNEL == 5
// PANEL rows of y from `top` on <- L^-1 or, with `upper`, U^-1 times those, of the block at the
// diagonal. A work-item a right-hand side.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_block_solve(
    global const REAL* lu, const ulong lu_offset, const uint lu_ld, const ulong lu_stride,
    global REAL* y, const ulong y_offset, const uint y_ld, const ulong y_stride, const uint n,
    const uint nrhs, const uint top, const uint upper) {
  local REAL block[PANEL * PANEL];
  const uint id = get_local_id(0), width = min((uint)PANEL, n - top);
  lu += lu_offset + get_group_id(1) * lu_stride + (ulong)top * lu_ld + top;
  // Turned round for U, so that either is a lower triangle solved from its first row on.
  for (uint e = id; e < PANEL * PANEL; e += GROUP) {
    const uint i = e / PANEL, j = e % PANEL;
    const bool in = i < width && j < width;
    const uint row = upper ? width - 1 - i : i, column = upper ? width - 1 - j : j;
    block[e] = in ? lu[(ulong)row * lu_ld + column] : (REAL)0;
  }
  LOCAL_SYNC();
  const uint j = get_group_id(0) * GROUP + id;
  if (j >= nrhs) return;
  y += y_offset + get_group_id(1) * y_stride + (ulong)top * y_ld + j;
  REAL x[PANEL];
  UNROLLED
  for (uint c = 0; c < PANEL; ++c)
    x[c] = c < width ? y[(ulong)(upper ? width - 1 - c : c) * y_ld] : (REAL)0;
#pragma unroll 1
  for (uint c = 0; c < width; ++c) {
    const REAL done = upper ? x[0] / block[c * PANEL + c] : x[0];
    y[(ulong)(upper ? width - 1 - c : c) * y_ld] = done;
    UNROLLED
    for (uint i = 1; i < PANEL; ++i)
      x[i - 1] = c + i < PANEL ? fma(-block[(c + i) * PANEL + c], done, x[i]) : x[i];
  }
}
#else
#error "KERNEL must be 1 to 5"
#endif
