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
// With UPDATES = 1 and depth NB one launch a block is all: the other columns are updated, in tiles
// of 2 NB rows and NB columns, while the panel is factored. With 0 the columns are up to date, and
// the program is shorter.
// The block's own factors are written to the two `blocks`, NB x NB each, alternately, because other
// groups may still have to read the block in A. One more group of the next launch copies them to
// their place; if rest is 0, this launch does.
// A panel of 64 columns takes about 19 us on an H100 in f64, 16 in f32, 4 of them its launch.
// With UPDATES it takes 24 us on an H200 in f32 and 29 in f64 (19 and 23 without), where a product
// by itself takes 10.
// Coalesced reads and writes, with all loads under way at once, reduced that from 28 to 19.
// NVIDIA's compiler takes 0.9 s; with halves in place of quarters, and multiples from registers, it
// took 3.9 s, and a whole factorisation 0 to 2 % less. (Tried: registers that move on by one a
// column, so that the loop over the columns can be one: 4 to 5 % slower as a whole; the choice of
// the quarters inside the loop over the multiples: 8 %; two work-items a row: 23 us; four rows
// and a quarter of the columns a work-item: 25 and 21; 1 / pivot by Newton's steps, or a column
// ahead of its use: no gain.)
// first: a multiple of NB, number of the first column. depth: NB, or 0 for the first block and
// without UPDATES.
// info[0]: atomic minimum of first + k over the pivots that are not positive numbers.
// NDRange: max(1, ceil(rest / NB)) work-groups of 2 NB, and one more where first is not 0; with
// UPDATES, another for each tile: for every column of tiles, ceil(rows / 2 NB).
// Local memory: NB NB / 4 and 2 NB (NB / 4 + 1) scalars.

#include "common.clh"

#ifndef NB
#error "NB must be defined"
#endif
#ifndef UPDATES
#error "UPDATES must be defined"
#endif
#if NB % 16 != 0
#error "NB must be a multiple of 16"
#endif
#define PIECES 4
#define PIECE (NB / PIECES)  // columns whose multiples a row loses one by one
#define GROUP (2 * NB)
#define STEP (GROUP / PIECE)  // rows between those of a work-item while neighbours have columns
#define L_LD (GROUP + 128 / REAL_BITS)  // so that stores of 16 bytes meet no bank conflicts

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

/// The 2 NB rows of a work-group: NB from `upper` on, of which the matrix has `above`, and NB from
/// `lower` on, of which it has `below`. It has `columns` of their columns.
typedef struct {
  global REAL *upper, *lower;
  uint ld, above, below, columns;
} Rows;

/// Where column j of row y is, y >= NB if `is_lower`, and whether it is there.
INLINE global REAL* place_of(const Rows* rows, const bool is_lower, const uint y, const uint j) {
  return (is_lower ? rows->lower + (ulong)(y - NB) * rows->ld : rows->upper + (ulong)y * rows->ld) +
         j;
}
INLINE bool exists(const Rows* rows, const bool is_lower, const uint y, const uint j) {
  return j < rows->columns && (is_lower ? y - NB < rows->below : y < rows->above);
}

/// Neighbours get neighbouring columns of a row. What the matrix does not have is that of the
/// identity.
INLINE void read_rows(REAL w[PIECES][PIECE], const Rows* rows) {
  const uint left = get_local_id(0) % PIECE, top = get_local_id(0) / PIECE;
  UNROLLED
  for (uint h = 0; h < PIECES; ++h) {
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) {
      const bool is_lower = c >= PIECE / 2;
      const uint y = top + c * STEP, j = h * PIECE + left;
      w[h][c] = exists(rows, is_lower, y, j) ? *place_of(rows, is_lower, y, j) : (REAL)(y == j);
    }
  }
}

/// The same back, of what the matrix has.
INLINE void write_rows(REAL w[PIECES][PIECE], const Rows* rows) {
  const uint left = get_local_id(0) % PIECE, top = get_local_id(0) / PIECE;
  UNROLLED
  for (uint h = 0; h < PIECES; ++h) {
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) {
      const bool is_lower = c >= PIECE / 2;
      const uint y = top + c * STEP, j = h * PIECE + left;
      if (exists(rows, is_lower, y, j)) *place_of(rows, is_lower, y, j) = w[h][c];
    }
  }
}

/// Every work-item gets a row of what read_rows() gave to neighbours.
INLINE void turn_rows(REAL w[PIECES][PIECE], local REAL* turned) {
  const uint id = get_local_id(0), left = id % PIECE, top = id / PIECE;
  UNROLLED
  for (uint h = 0; h < PIECES; ++h) {
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) turned[(top + c * STEP) * (PIECE + 1) + left] = w[h][c];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) w[h][c] = turned[id * (PIECE + 1) + c];
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

/// What a work-item brings to local memory of a quarter of the last block's factors: of L, `to_l`
/// columns left of the rows, from column q on, and of U, above their columns, from row q on. Zeros
/// unless `any`.
INLINE void request(REAL l[PIECE], REAL u[PIECE / 2], const Rows* rows, uint to_l,
                    const global REAL* of_u, bool any, uint q) {
  const uint id = get_local_id(0), left = id % PIECE, top = id / PIECE, x = id % NB;
  UNROLLED
  for (uint c = 0; c < PIECE; ++c) {
    const bool is_lower = c >= PIECE / 2;
    const uint y = top + c * STEP;
    l[c] = any && exists(rows, is_lower, y, 0) ? *(place_of(rows, is_lower, y, q + left) - to_l)
                                               : (REAL)0;
  }
  UNROLLED
  for (uint c = 0; c < PIECE / 2; ++c)
    u[c] = any && x < rows->columns ? of_u[(ulong)(q + 2 * c + id / NB) * rows->ld + x] : (REAL)0;
}

/// What read_rows() gave loses the product of the last block's L and U, which have `depth` columns
/// and rows. A quarter of them is on its way while another is used. What a work-item needs of a
/// column of L, or of a row of U, is contiguous in local memory.
INLINE void subtract_product(REAL w[PIECES][PIECE], const Rows* rows, uint to_l,
                             const global REAL* of_u, uint depth, local REAL* shared,
                             local REAL* turned) {
  const uint id = get_local_id(0), left = id % PIECE, top = id / PIECE, x = id % NB;
  REAL l[PIECE], u[PIECE / 2];
  request(l, u, rows, to_l, of_u, depth > 0, 0);
#pragma unroll 1
  for (uint q = 0; q < depth; q += PIECE) {
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) turned[left * L_LD + top * PIECE + c] = l[c];
    UNROLLED
    for (uint c = 0; c < PIECE / 2; ++c)
      shared[(2 * c + id / NB) * NB + x % PIECE * PIECES + x / PIECE] = u[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    request(l, u, rows, to_l, of_u, q + PIECE < depth, q + PIECE);
#pragma unroll 2
    for (uint k = 0; k < PIECE; ++k) {
      const local REAL *const my_l = turned + k * L_LD + top * PIECE, *const my_u = shared +
                                                                                    k * NB +
                                                                                    left * PIECES;
      UNROLLED
      for (uint h = 0; h < PIECES; ++h) {
        UNROLLED
        for (uint c = 0; c < PIECE; ++c) w[h][c] = fma(-my_l[c], my_u[h], w[h][c]);
      }
    }
  }
}

/// Factors the block, of `size` columns, and uses its factors for the rows below it.
INLINE void factor(REAL w[PIECES][PIECE], const Rows* rows, global REAL* block, uint first,
                   volatile global int* info, local REAL* shared, local REAL* turned) {
  const uint id = get_local_id(0), left = id % PIECE, top = id / PIECE;
  const bool keeps_block = get_group_id(0) == 0;
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
      if (id - NB < rows->below) {
        global REAL* to = rows->upper + (ulong)base * rows->ld + get_group_id(0) * NB + id;
        UNROLLED
        for (uint k = 0; k < PIECE; ++k) {
          *to = w[0][k] * u[k * NB + k];
          to += rows->ld;
        }
      }
    } else if (keeps_block) {
      UNROLLED
      for (uint k = 0; k < PIECE; ++k)
        if (id >= base + k) block[(base + k) * NB + id] = shared[k * NB + id];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint j = base + left;
    global REAL* to = rows->lower + (ulong)top * rows->ld + j;  // L
    UNROLLED
    for (uint c = 0; c < PIECE; ++c) {
      const uint y = top + c * STEP;
      const REAL l = turned[y * (PIECE + 1) + left];
      if (c < PIECE / 2) {
        if (keeps_block && j < y) block[y * NB + j] = l;
      } else {
        if (y - NB < rows->below) *to = l;
        to += (ulong)STEP * rows->ld;
      }
    }
    UNROLLED
    for (uint h = 1; h < PIECES; ++h) {
      UNROLLED
      for (uint c = 0; c < PIECE; ++c) w[h - 1][c] = w[h][c];
    }
  }
  if (keeps_block && id == 0 && bad < rows->columns) atomic_min(info, (int)(first + bad));
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void cholesky_panel(
    global REAL* a, ulong offset, uint ld, uint size, uint rest, global REAL* blocks, uint first,
    uint depth, volatile global int* info) {
  local REAL shared[NB * PIECE] __attribute__((aligned(16)));
  local REAL turned[GROUP * (PIECE + 1)] __attribute__((aligned(16)));  // or PIECE * L_LD
  const uint group = get_group_id(0), panels = max((rest + NB - 1) / NB, 1U), turn = first / NB % 2;
  global REAL* const corner = a + offset;
  global REAL* const block = blocks + turn * NB * NB;
  if (group == panels) {
    place(corner - (ulong)NB * ld - NB, ld, NB, blocks + (1 - turn) * NB * NB);
  } else {
    Rows rows = {corner, corner + (ulong)(group + 1) * NB * ld,       ld,
                 size,   min(rest - min(rest, group * NB), (uint)NB), size};
#if UPDATES
    uint x = 0;            // of the group's columns, from the corner
    if (group > panels) {  // one of the tiles right of the panel, which go column by column
      uint tile = group - panels - 1, tiles = (rest + GROUP - 1) / GROUP;
      for (x = NB; tile >= tiles; tiles = (NB + rest - x + GROUP - 1) / GROUP) {
        tile -= tiles;
        x += NB;
      }
      const uint y = x + tile * GROUP;
      rows.upper = corner + (ulong)y * ld + x;
      rows.lower = rows.upper + (ulong)NB * ld;
      rows.above = min(NB + rest - y, (uint)NB);
      rows.below = min(NB + rest - y - rows.above, (uint)NB);
      rows.columns = min(NB + rest - x, (uint)NB);
    }
#endif
    REAL w[PIECES][PIECE];
    read_rows(w, &rows);
#if UPDATES
    subtract_product(w, &rows, x + NB, corner - (ulong)NB * ld + x, depth, shared, turned);
    if (group > panels) {
      write_rows(w, &rows);
      barrier(CLK_LOCAL_MEM_FENCE);  // without one in both branches PoCL 3.1 writes past arrays
    } else
#endif
    {
      turn_rows(w, turned);
      factor(w, &rows, block, first, info, shared, turned);
      barrier(CLK_GLOBAL_MEM_FENCE);
      if (rest == 0) place(corner, ld, size, block);
    }
  }
}
