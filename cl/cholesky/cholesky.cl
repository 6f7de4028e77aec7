// A = L D L^T for a symmetric positive definite A, what of it is no product: L is unit lower
// triangular and D diagonal, Cholesky's factors without their square roots, which come to stand in
// A as an LU without row exchanges does, U = D L^T. Portable OpenCL C 1.2.
//
// ldlt_diagonal, one work-group: the size x size block at a + offset, size <= NB, of which only the
// lower triangle is read, becomes L, D and U; `inverse` becomes U^-1, NB x NB, whole (zeros below
// the diagonal), beyond `size` the identity.
// Every work-item keeps NB / GRID x NB / GRID elements in registers. GRID rows at a time are
// finished, one a barrier: the owners of row k publish it. Right of the diagonal it is row k of U,
// and by symmetry the column of multipliers too; left of it stands row k of L^-1, which the same
// update builds up below the diagonal, and on it the 1 of L^-1. The rows below those GRID then lose
// the products with all of them at once, of which those are left out that only symmetry asks for.
// A block of 128 takes about 61 us on an H100 in f64, 57 in f32. (Tried: four rows between two
// barriers, the block of them at the diagonal factored by every work-item: 67 and 56; that or the
// present way with registers that rotate, so that the code is a quarter as long: 77 and 80; tiles
// read and written through local memory, so that neighbours access neighbours: 68 with four rows.)
// info[0]: atomic minimum of first + k over the pivots that are not positive numbers.
// NDRange: one work-group of GRID * GRID. Local memory: (GRID + 2) NB scalars.
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
  local REAL rows[GRID][NB];  // that are finished, with 1 on the diagonal
  local REAL pivots[NB], reciprocals[NB];
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
  // Rows GRID * done .. are number `done` of their owners: a constant, where the loop is unrolled.
  UNROLLED
  for (uint done = 0; done < SIDE; ++done) {
    barrier(CLK_LOCAL_MEM_FENCE);  // nobody reads the rows before any more
#pragma unroll 1
    for (uint p = 0; p < GRID; ++p) {
      const uint k = done * GRID + p;
      if (ty == p) {
        UNROLLED
        for (uint c = 0; c < SIDE; ++c) {
          const bool diagonal = c == done && tx == p;
          rows[p][tx + c * GRID] = diagonal ? (REAL)1 : w[done][c];
          if (diagonal) pivots[k] = w[done][c];
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const REAL pivot = pivots[k];
      const bool usable = pivot >= REAL_MIN_NORMAL && pivot < (REAL)INFINITY;
      const REAL reciprocal = usable ? 1 / pivot : (REAL)1;
      if (!usable) bad = min(bad, k);
      if (id == 0) reciprocals[k] = reciprocal;
      if (ty > p) {
        const REAL multiplier = rows[p][ty + done * GRID] * reciprocal;
        UNROLLED
        for (uint c = 0; c < SIDE; ++c) {
          const REAL before = c == done && tx == p ? (REAL)0 : w[done][c];
          w[done][c] = fma(-multiplier, rows[p][tx + c * GRID], before);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // What stood below these columns is in their rows as well; now L^-1 comes there.
    UNROLLED
    for (uint r = 0; r < SIDE; ++r)
      if (r > done) w[r][done] = 0;
    for (uint p = 0; p < GRID; ++p) {
      const REAL reciprocal = reciprocals[done * GRID + p];
      REAL right[SIDE];
      UNROLLED
      for (uint c = 0; c < SIDE; ++c)
        right[c] = c == done && p < tx ? (REAL)0 : rows[p][tx + c * GRID];
      UNROLLED
      for (uint r = 0; r < SIDE; ++r) {
        if (r <= done) continue;
        const REAL multiplier = rows[p][ty + r * GRID] * reciprocal;
        UNROLLED
        for (uint c = 0; c < SIDE; ++c)
          if (c <= done || c >= r) w[r][c] = fma(-multiplier, right[c], w[r][c]);
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
