// A = L D L^T for a symmetric positive definite A: the part that is not a product. L is unit lower
// triangular and D diagonal: Cholesky's factors without their square roots. They are stored in A as
// an LU without row exchanges, U = D L^T. Portable OpenCL C 1.2.
//
// cholesky_panel: turns the `size` <= NB columns at a + offset, of which it reads the elements on
// and below the diagonal, into L, D and, right of the block, U. `rest` rows lie below the block;
// size is NB unless rest is 0.
// A work-item keeps a row in registers, a work-group the NB rows of the block and NB of those
// below: every group factors the block itself, which takes no longer than to use its factors, so
// that no group waits for another. Column k is published by the rows of the block, one barrier a
// column; then every row loses its multiple, in this quarter of the columns first. A row's quarters
// move on by one, so that one text does for all.
// The block's own factors are written to the two `blocks`, NB x NB each, alternately, because other
// groups may still have to read the block in A. One more group of the next launch copies them to
// their place; if rest is 0, this launch does.
// A panel of 64 columns takes about 19 us on an H100 in f64, 16 in f32, 4 of them its launch.
// Coalesced reads and writes, with all loads under way at once, reduced that from 28 to 19.
// NVIDIA's compiler takes 0.9 s; with halves in place of quarters, and multiples from registers, it
// took 3.9 s, and a whole factorisation 0 to 2 % less. (Tried: registers that move on by one a
// column, so that the loop over the columns can be one: 4 to 5 % slower as a whole; the choice of
// the quarters inside the loop over the multiples: 8 %; two work-items a row: 23 us; four rows
// and a quarter of the columns a work-item: 25 and 21; 1 / pivot by Newton's steps, or a column
// ahead of its use: no gain.)
// first: a multiple of NB, number of the first column.
// info[0]: atomic minimum of first + k over the pivots that are not positive numbers.
// NDRange: max(1, ceil(rest / NB)) work-groups of 2 NB, and one more where first is not 0.
// Local memory: NB NB / 4 and 2 NB (NB / 4 + 1) scalars.

#include "common.clh"

#ifndef NB
#error "NB must be defined"
#endif
#if NB % 16 != 0
#error "NB must be a multiple of 16"
#endif
#define PIECES 4
#define PIECE (NB / PIECES)  // columns whose multiples a row loses one by one
#define GROUP (2 * NB)
#define STEP (GROUP / PIECE)  // rows between those of a work-item while neighbours have columns

/// Called by all of a work-group: the size x size numbers of `block` come to `corner`.
INLINE void place(global REAL* corner, uint ld, uint size, const global REAL* block) {
  const uint x = get_local_id(0) % NB, y = get_local_id(0) / NB;
  corner += (ulong)y * ld + x;
  block += get_local_id(0);
  UNROLLED
  for (uint i = 0; i < NB; i += 2) {
    if (i + y < size && x < size) *corner = *block;
    corner += 2 * (ulong)ld;
    block += GROUP;
  }
}

/// The `pieces` of the row after the first lose the multiples `l` of what `u` has of them. They are
/// read from local memory, not from registers, so that the loop over them can be one.
INLINE void subtract(REAL w[PIECES][PIECE], const uint pieces, const local REAL* l,
                     const local REAL* u) {
#pragma unroll 2
  for (uint k = 0; k < PIECE; ++k) {
    const REAL factor = l[k];
    UNROLLED
    for (uint h = 0; h < pieces; ++h) {
      UNROLLED
      for (uint c = 0; c < PIECE; ++c)
        w[h + 1][c] = fma(-factor, u[k * NB + h * PIECE + c], w[h + 1][c]);
    }
  }
}

INLINE void factor(global REAL* corner, uint ld, uint size, uint rest, global REAL* block,
                   uint first, volatile global int* info, local REAL* shared, local REAL* turned) {
  const uint id = get_local_id(0), skipped = get_group_id(0) * NB;
  const bool keeps_block = get_group_id(0) == 0;
  const uint left = id % PIECE, top = id / PIECE;               // while neighbours have columns
  const uint below = min(rest - min(rest, skipped), (uint)NB);  // rows of the group below the block
  global REAL* const under = corner + (ulong)(NB + skipped) * ld;  // their first
  REAL w[PIECES][PIECE];  // a row, the columns of the present base first
  UNROLLED
  for (uint h = 0; h < PIECES; ++h) {
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) {
      const uint y = top + c * STEP, j = h * PIECE + left;
      if (c < PIECE / 2)
        w[h][c] = y < size && j < size ? corner[(ulong)y * ld + j] : (REAL)(y == j);
      else
        w[h][c] = y - NB < below ? under[(ulong)(y - NB) * ld + j] : (REAL)0;
    }
  }
  UNROLLED
  for (uint h = 0; h < PIECES; ++h) {
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) turned[(top + c * STEP) * (PIECE + 1) + left] = w[h][c];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) w[h][c] = turned[id * (PIECE + 1) + c];
  }
  uint bad = NB;
#pragma unroll 1
  for (uint base = 0; base < NB; base += PIECE) {
    const local REAL* const u = shared + base;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint k = 0; k < PIECE; ++k) {
      // Row k of U, columns base + k .. NB - 1: shared[k * NB ..].
      if (id >= base + k && id < NB) shared[k * NB + id] = w[0][k];
      barrier(CLK_LOCAL_MEM_FENCE);
      const REAL pivot = u[k * NB + k];
      const bool usable = pivot >= REAL_MIN_NORMAL && pivot < (REAL)INFINITY;
      if (!usable) bad = min(bad, base + k);
      w[0][k] *= usable ? 1 / pivot : (REAL)1;
      UNROLLED
      for (uint c = 0; c < PIECE; ++c)
        if (c > k) w[0][c] = fma(-w[0][k], u[k * NB + c], w[0][c]);
    }
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) turned[id * (PIECE + 1) + c] = w[0][c];
    UNROLLED
    for (uint p = 1; p < PIECES; ++p)
      if (base + (p + 1) * PIECE == NB) subtract(w, p, turned + id * (PIECE + 1), u + PIECE);
    if (id >= NB) {  // U
      if (id - NB < below) {
        global REAL* to = corner + (ulong)base * ld + skipped + id;
        UNROLLED
        for (uint k = 0; k < PIECE; ++k) {
          *to = w[0][k] * u[k * NB + k];
          to += ld;
        }
      }
    } else if (keeps_block) {
      UNROLLED
      for (uint k = 0; k < PIECE; ++k)
        if (id >= base + k) block[(base + k) * NB + id] = shared[k * NB + id];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint j = base + left;
    global REAL* to = under + (ulong)top * ld + j;  // L
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) {
      const uint y = top + c * STEP;
      const REAL l = turned[y * (PIECE + 1) + left];
      if (c < PIECE / 2) {
        if (keeps_block && j < y) block[y * NB + j] = l;
      } else {
        if (y - NB < below) *to = l;
        to += (ulong)STEP * ld;
      }
    }
    UNROLLED
    for (uint h = 1; h < PIECES; ++h) {
      UNROLLED
      for (uint c = 0; c < PIECE; ++c) w[h - 1][c] = w[h][c];
    }
  }
  if (keeps_block && id == 0 && bad < size) atomic_min(info, (int)(first + bad));
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void cholesky_panel(
    global REAL* a, ulong offset, uint ld, uint size, uint rest, global REAL* blocks, uint first,
    volatile global int* info) {
  local REAL shared[NB * PIECE], turned[GROUP * (PIECE + 1)];
  const uint turn = first / NB % 2;
  global REAL* const corner = a + offset;
  global REAL* const block = blocks + turn * NB * NB;
  if (get_group_id(0) * NB >= max(rest, 1U)) {
    place(corner - (ulong)NB * ld - NB, ld, NB, blocks + (1 - turn) * NB * NB);
  } else {
    factor(corner, ld, size, rest, block, first, info, shared, turned);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (rest == 0) place(corner, ld, size, block);
  }
}
