// A = L D L^T for a symmetric positive definite A, what of it is no product: L is unit lower
// triangular and D diagonal, Cholesky's factors without their square roots, which come to stand in
// A as an LU without row exchanges does, U = D L^T. Portable OpenCL C 1.2.
//
// ldlt_panel: the `size` <= NB columns at a + offset, of which only what stands on and below the
// diagonal is read, become L, those rows' part of D and, right of the block, U. `rest` rows lie
// below the block; size is NB unless rest is 0.
// A work-item keeps half of a row in registers at a time, a work-group the NB rows of the block and
// ROWS of those below: every group factors the block itself, which takes no longer than to use its
// factors, so that no group waits for another. Column k is published by the rows of the block, one
// barrier a column; then every row loses its multiple.
// The block's own factors wait in `block`, NB x NB, since other groups may have to read it in A
// yet: group 0 of the next launch brings them to their place, which it is told by `waiting`, or
// that of this one, where rest is 0.
// info[0]: atomic minimum of first + k over the pivots that are not positive numbers.
// NDRange: max(1, ceil(rest / ROWS)) work-groups of NB + ROWS.
// Local memory: (NB / 2) NB + (NB + ROWS) (PIECE + 1) scalars.

#include "common.clh"

#if !defined(NB) || !defined(ROWS)
#error "NB and ROWS must be defined"
#endif
#define HALF (NB / 2)  // columns in registers
#define PIECE 8        // columns that come through local memory at once, so that neighbours
                       // access neighbours
#if HALF % PIECE != 0
#error "NB must be a multiple of 16"
#endif
#define GROUP (NB + ROWS)

INLINE void place(global REAL* corner, uint ld, uint size, const global REAL* block) {
  for (uint e = get_local_id(0); e < size * NB; e += GROUP)
    if (e % NB < size) corner[(ulong)(e / NB) * ld + e % NB] = block[e];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void ldlt_panel(
    global REAL* a, ulong offset, uint ld, uint size, uint rest, global REAL* block, uint waiting,
    uint first, volatile global int* info) {
  local REAL published[HALF * NB];  // HALF columns of the block, before their multipliers: rows of U
  local REAL staged[GROUP * (PIECE + 1)];
  const uint id = get_local_id(0), below = NB + get_group_id(0) * ROWS;
  const uint row = id < NB ? id : below + id - NB;
  const bool keeps_block = get_group_id(0) == 0, exists = row < size + rest;
  global REAL* const corner = a + offset;
  if (keeps_block && waiting) place(corner - (ulong)NB * ld - NB, ld, NB, block);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // what waited is read before it is replaced
  uint bad = NB;
  REAL l[HALF], w[HALF];
#pragma unroll 1
  for (uint base = 0; base < NB; base += HALF) {
    UNROLLED
    for (uint piece = 0; piece < HALF; piece += PIECE) {
      for (uint e = id; e < GROUP * PIECE; e += GROUP) {
        const uint y = e / PIECE, x = e % PIECE, i = y < NB ? y : below + y - NB,
                   j = base + piece + x;
        staged[y * (PIECE + 1) + x] =
            j <= i && i < size + rest && j < size ? corner[(ulong)i * ld + j] : (REAL)(i == j);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      UNROLLED
      for (uint c = 0; c < PIECE; ++c) w[piece + c] = staged[id * (PIECE + 1) + c];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (base != 0) {  // the columns on the left are subtracted
      UNROLLED
      for (uint k = 0; k < HALF; ++k) {
        UNROLLED
        for (uint c = 0; c < HALF; ++c) w[c] = fma(-l[k], published[k * NB + HALF + c], w[c]);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    UNROLLED
    for (uint k = 0; k < HALF; ++k) {
      const uint j = base + k;
      if (id >= j && id < NB) published[k * NB + id] = w[k];
      if (id < NB) {
        if (keeps_block && id >= j) block[j * NB + id] = w[k];
      } else if (exists) {
        corner[(ulong)j * ld + row] = w[k];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const REAL pivot = published[k * NB + j];
      const bool usable = pivot >= REAL_MIN_NORMAL && pivot < (REAL)INFINITY;
      if (!usable) bad = min(bad, j);
      w[k] *= usable ? 1 / pivot : (REAL)1;
      UNROLLED
      for (uint c = 0; c < HALF; ++c)
        if (c > k) w[c] = fma(-w[k], published[k * NB + base + c], w[c]);
    }
    UNROLLED
    for (uint piece = 0; piece < HALF; piece += PIECE) {
      UNROLLED
      for (uint c = 0; c < PIECE; ++c) staged[id * (PIECE + 1) + c] = l[piece + c] = w[piece + c];
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint e = id; e < GROUP * PIECE; e += GROUP) {
        const uint y = e / PIECE, x = e % PIECE, i = y < NB ? y : below + y - NB,
                   j = base + piece + x;
        const REAL multiplier = staged[y * (PIECE + 1) + x];
        if (y >= NB && i < size + rest)
          corner[(ulong)i * ld + j] = multiplier;
        else if (y < NB && keeps_block && j < i)
          block[i * NB + j] = multiplier;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  if (keeps_block && id == 0 && bad < size) atomic_min(info, (int)(first + bad));
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (keeps_block && rest == 0) place(corner, ld, size, block);
}
