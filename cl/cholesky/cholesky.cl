// A = L D L^T for a symmetric positive definite A, what of it is no product: L is unit lower
// triangular and D diagonal, Cholesky's factors without their square roots, which come to stand in
// A as an LU without row exchanges does, U = D L^T. Portable OpenCL C 1.2.
//
// ldlt_diagonal, one work-group: the size x size block at a + offset, size <= NB, of which only the
// lower triangle is read, becomes L, D and U; `inverse` becomes U^-1, NB x NB, whole (zeros below
// the diagonal), beyond `size` the identity.
// Every work-item keeps NB / GRID x NB / GRID elements in registers. In step k the owners of row k
// publish it: right of the diagonal it is row k of U, and by symmetry the column of multipliers
// too; left of it stands row k of L^-1, which the same rank-1 update builds up below the diagonal.
// So one barrier a column will do, with two rows by turns.
// info[0]: atomic minimum of first + k over the pivots that are not positive numbers.
// NDRange: one work-group of GRID * GRID. Local memory: 3 NB scalars.
//
// ldlt_spread: L21 <- W and U12 <- D1 W^T, for W, rest x size with leading dimension NB, and the
// block with D1 at a + offset. NDRange: size x rest, both rounded up to GRID, in work-groups of
// GRID x GRID. Local memory: GRID (GRID + 1) scalars.

#include "common.clh"

#if !defined(NB) || !defined(GRID)
#error "NB and GRID must be defined"
#endif
#if NB % GRID != 0
#error "NB must be a multiple of GRID"
#endif
#define SIDE (NB / GRID)  // rows and columns of a work-item

kernel __attribute__((reqd_work_group_size(GRID * GRID, 1, 1))) void ldlt_diagonal(
    global REAL* a, ulong offset, uint ld, uint size, global REAL* restrict inverse, uint first,
    volatile global int* info) {
  local REAL published[2][NB];
  local REAL reciprocals[NB];
  const uint id = get_local_id(0), tx = id % GRID, ty = id / GRID;
  REAL w[SIDE][SIDE];  // rows ty + r GRID, columns tx + c GRID
  UNROLLED
  for (uint r = 0; r < SIDE; ++r) {
    const uint i = ty + r * GRID;
    UNROLLED
    for (uint c = 0; c < SIDE; ++c) {
      const uint j = tx + c * GRID;
      w[r][c] =
          i < size && j < size ? a[offset + (ulong)max(i, j) * ld + min(i, j)] : (REAL)(i == j);
    }
  }
  uint bad = NB;
  // Row k is number `pivot_r` of its owners: a constant, where the loop is unrolled.
  UNROLLED
  for (uint pivot_r = 0; pivot_r < SIDE; ++pivot_r) {
#pragma unroll 1
    for (uint pivot_y = 0; pivot_y < GRID; ++pivot_y) {
      const uint k = pivot_r * GRID + pivot_y;
      local REAL* const row = published[k % 2];
      if (ty == pivot_y) {
        UNROLLED
        for (uint c = 0; c < SIDE; ++c) row[tx + c * GRID] = w[pivot_r][c];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const REAL pivot = row[k];
      const bool usable = pivot >= REAL_MIN_NORMAL && pivot < (REAL)INFINITY;
      const REAL reciprocal = usable ? 1 / pivot : (REAL)1;
      if (!usable) bad = min(bad, k);
      if (id == 0) reciprocals[k] = reciprocal;
      REAL right[SIDE];  // row k, of L^-1 with its 1 on the diagonal
      UNROLLED
      for (uint c = 0; c < SIDE; ++c) right[c] = tx + c * GRID == k ? (REAL)1 : row[tx + c * GRID];
      UNROLLED
      for (uint r = 0; r < SIDE; ++r) {
        const uint i = ty + r * GRID;
        if (r < pivot_r || i <= k) continue;
        const REAL multiplier = row[i] * reciprocal;
        UNROLLED
        for (uint c = 0; c < SIDE; ++c) {
          const REAL before = c == pivot_r && tx == pivot_y ? (REAL)0 : w[r][c];
          w[r][c] = fma(-multiplier, right[c], before);
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // the block was read before it is written
  if (id == 0 && bad < NB) atomic_min(info, (int)(first + bad));
  UNROLLED
  for (uint r = 0; r < SIDE; ++r) {
    const uint i = ty + r * GRID;
    UNROLLED
    for (uint c = 0; c < SIDE; ++c) {
      const uint j = tx + c * GRID;
      if (i <= j && j < size) a[offset + (ulong)i * ld + j] = w[r][c];                  // U
      if (i < j && j < size) a[offset + (ulong)j * ld + i] = w[r][c] * reciprocals[i];  // L
      inverse[j * NB + i] = i < j ? (REAL)0 : (i == j ? (REAL)1 : w[r][c]) * reciprocals[i];
    }
  }
}

kernel __attribute__((reqd_work_group_size(GRID, GRID, 1))) void ldlt_spread(
    global REAL* a, ulong offset, uint ld, uint size, uint rest, const global REAL* restrict w) {
  local REAL tile[GRID][GRID + 1];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint j = get_group_id(0) * GRID, i = get_group_id(1) * GRID;
  global REAL* const corner = a + offset;
  if (i + y < rest && j + x < size) {
    const REAL l = w[(ulong)(i + y) * NB + j + x];
    corner[(ulong)(size + i + y) * ld + j + x] = l;
    tile[y][x] = l * corner[(ulong)(j + x) * ld + j + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i + x < rest && j + y < size) corner[(ulong)(j + y) * ld + size + i + x] = tile[x][y];
}
