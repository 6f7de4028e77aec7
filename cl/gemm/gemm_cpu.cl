// GEMM for CPU devices: C <- alpha op(A) op(B) + beta C, row-major, from packed panels.
//
// pack_a_n / pack_a_t   alpha op(A) in panels of MR rows: block of kc steps, panel, step, row
// pack_b_n / pack_b_t   op(B) in panels of NR columns: block of kc steps, panel, step, column
// gemm_tiles            C in tiles of tile_rows x tile_cols, each by one work-item over all of k
//
// No barrier, no local memory: legal and right on every device with local size 1, fast where a
// work-group is a core.
//
// Macro besides those of cpu_tile.clh: PACK_STEPS, rows packed by one work-item of pack_along; kc
// must be a multiple of it. kc, tile_rows and tile_cols are arguments: they cost nothing at run
// time and need no rebuild. A tile's panels, kc * (tile_rows + tile_cols) elements, should fill L2;
// MR * kc of A stay in L1 along a row of register tiles.
//
// Packed layout: the block of steps [p, p + len) starts at p * padded (padded = extent rounded up
// to the panel); in it, panel i starts at i * len * R. A block is contiguous, so that the panels of
// a tile do not alias in L2 when k is a power of two. The tail of the last panel is zero.

#include "cpu_tile.clh"

#ifndef PACK_STEPS
#error "PACK_STEPS is required"
#endif

// The source's extent lies along its rows. A work-item packs PACK_STEPS whole rows: reading one
// panel of a power-of-two matrix down all its rows aliases in L1 (n = 2048, f32: 2.5 ms, whole
// rows 1.0 ms).
void pack_along(global const REAL* from, const ulong ld, const uint count, const uint len,
                const REAL scale, global REAL* to, const uint width) {
  if (count >= width) {
    for (uint step = 0; step < len; ++step, from += ld, to += width)
      if (width % VEC_WIDTH == 0)
        for (uint i = 0; i < width; i += VEC_WIDTH) VSTORE(scale * VLOAD(from + i), to + i);
      else
        for (uint i = 0; i < width; i += 2) vstore2(scale * vload2(0, from + i), 0, to + i);
  } else {
    for (uint step = 0; step < len; ++step, from += ld, to += width)
      for (uint i = 0; i < width; ++i) to[i] = i < count ? scale * from[i] : (REAL)0;
  }
}

#define PACK_ACROSS(R)                                                                             \
  const uint panels = (extent + R - 1) / R;                                                        \
  const uint panel = (uint)get_global_id(0);                                                       \
  const uint begin = (uint)get_global_id(1) * kc;                                                  \
  if (panel >= panels || begin >= k) return;                                                       \
  const uint len = min(kc, k - begin);                                                             \
  pack_across(source + offset + (ulong)panel * R * ld + begin, ld, extent - panel * R, len, scale, \
              packed + (ulong)begin * panels * R + (ulong)panel * len * R, R);

#define PACK_ALONG(R)                                                                \
  const uint panels = (extent + R - 1) / R;                                          \
  const uint first = (uint)get_global_id(0) * PACK_STEPS;                            \
  if (first >= k) return;                                                            \
  const uint begin = first / kc * kc;                                                \
  const uint len = min(kc, k - begin);                                               \
  global const REAL* from = source + offset + (ulong)first * ld;                     \
  global REAL* to = packed + (ulong)begin * panels * R + (ulong)(first - begin) * R; \
  for (uint panel = 0; panel < panels; ++panel, from += R, to += (ulong)len * R)     \
    pack_along(from, ld, extent - panel * R, min((uint)PACK_STEPS, k - first), scale, to, R);

#define PACK_ARGUMENTS                                                                       \
  global const REAL *restrict source, const ulong offset, const ulong ld, const uint extent, \
      const uint k, const uint kc, const REAL scale, global REAL *restrict packed,           \
      global uint *tickets

// The tickets of the gemm_tiles that follows on the in-order queue.
#define CLEAR_TICKETS \
  if (get_global_id(0) == 0 && get_global_id(1) == 0) tickets[0] = 0;

// NDRange of the packing: PACK_ACROSS (panels, blocks of kc), PACK_ALONG ceil(k / PACK_STEPS).
kernel void pack_a_n(PACK_ARGUMENTS) {
  CLEAR_TICKETS
  PACK_ACROSS(MR)
}
kernel void pack_a_t(PACK_ARGUMENTS) {
  CLEAR_TICKETS
  PACK_ALONG(MR)
}
kernel void pack_b_n(PACK_ARGUMENTS) {
  CLEAR_TICKETS
  PACK_ALONG(NR)
}
kernel void pack_b_t(PACK_ARGUMENTS) {
  CLEAR_TICKETS
  PACK_ACROSS(NR)
}

#define LINE (64 / sizeof(REAL))
#define PREFETCH_CELL(r, v) PREFETCH(c + r * ldc + v * VEC_WIDTH);
#define PREFETCH_ROW(r) EACH_VEC(PREFETCH_CELL, r)
#define ADD_CELL(r, v) \
  VSTORE(VLOAD(c + r * ldc + v * VEC_WIDTH) + c_##r##_##v, c + r * ldc + v * VEC_WIDTH);
#define ADD_ROW(r) EACH_VEC(ADD_CELL, r)
#define SET_CELL(r, v) VSTORE(c_##r##_##v, c + r * ldc + v * VEC_WIDTH);
#define SET_ROW(r) EACH_VEC(SET_CELL, r)
#define SCALE_CELL(r, v)                                                       \
  VSTORE(MULADD((VEC)(beta), VLOAD(c + r * ldc + v * VEC_WIDTH), c_##r##_##v), \
         c + r * ldc + v * VEC_WIDTH);
#define SCALE_ROW(r) EACH_VEC(SCALE_CELL, r)
#define SPILL_CELL(r, v) VSTORE(c_##r##_##v, edge + r * NR + v * VEC_WIDTH);
#define SPILL_ROW(r) EACH_VEC(SPILL_CELL, r)

// c[0..rows) x [0..cols) <- panel_a panel_b + beta c; beta 0 does not read c.
void micro_tile(global const REAL* panel_a, global const REAL* panel_b, const uint depth,
                global REAL* c, const ulong ldc, const uint rows, const uint cols,
                const REAL beta) {
  const bool full = rows >= MR && cols >= NR;
  if (full) {
    EACH_ROW(PREFETCH_ROW)
  }
  DECLARE_TILE
  ACCUMULATE_TILE(panel_a, MR, panel_b, depth)
  if (full) {
    if (beta == (REAL)1) {
      EACH_ROW(ADD_ROW)
    } else if (beta == (REAL)0) {
      EACH_ROW(SET_ROW)
    } else {
      EACH_ROW(SCALE_ROW)
    }
  } else {
    REAL edge[MR * NR];
    EACH_ROW(SPILL_ROW)
    for (uint i = 0; i < min(rows, (uint)MR); ++i)
      for (uint j = 0; j < min(cols, (uint)NR); ++j)
        c[i * ldc + j] =
            beta == (REAL)0 ? edge[i * NR + j] : beta * c[i * ldc + j] + edge[i * NR + j];
  }
}

// One tile of C, `depth` steps of k from p on. While one panel of A is used, the next one is
// fetched into L1 bit by bit (3 to 7 % of the whole product).
void add_block(global const REAL* packed_a, global const REAL* packed_b, global REAL* c,
               const ulong ldc, const uint m, const uint n, const uint p, const uint depth,
               const uint row0, const uint col0, const uint rows, const uint cols, const REAL beta,
               const uint lower) {
  const ulong padded_m = (ulong)((m + MR - 1) / MR) * MR;
  const ulong padded_n = (ulong)((n + NR - 1) / NR) * NR;
  global const REAL* block_a = packed_a + p * padded_m + (ulong)row0 * depth;
  global const REAL* block_b = packed_b + p * padded_n + (ulong)col0 * depth;
  const uint visits = (cols + NR - 1) / NR;
  const uint slice = (depth * MR + visits - 1) / visits;
  for (uint i = 0; i < rows; i += MR) {
    global const REAL* panel = block_a + (ulong)i * depth;
    global const REAL* next = panel + depth * MR;
    const uint end = row0 + i + MR;  // of the columns that reach the diagonal
    const uint needed = lower ? min(cols, end - min(end, col0)) : cols;
    for (uint j = 0; j < needed; j += NR, next += slice) {
      for (uint ahead = 0; ahead < slice; ahead += LINE) PREFETCH(next + ahead);
      micro_tile(panel, block_b + (ulong)j * depth, depth, c + (ulong)i * ldc + j, ldc, rows - i,
                 cols - j, beta);
    }
  }
}

// NDRange: as many work-items as compute units; each takes tickets until none is left. (One
// work-item a tile let PoCL deal half of the tiles to one core beforehand: 8 % slower at n = 1000,
// f32.) The tiles of one column of tiles follow each other, they share B's panels. tile_rows is a
// multiple of MR, tile_cols of NR. Rows of register tiles go outside: the other order was 0 to 9 %
// slower. With `lower` register tiles above C's diagonal are left as they are.
kernel void gemm_tiles(global const REAL* restrict packed_a, global const REAL* restrict packed_b,
                       global REAL* restrict c, const ulong offset, const ulong ldc, const uint m,
                       const uint n, const uint k, const uint kc, const REAL beta,
                       const uint tile_rows, const uint tile_cols, global uint* tickets,
                       const uint lower) {
  const uint tiles_m = (m + tile_rows - 1) / tile_rows;
  const uint tiles = tiles_m * ((n + tile_cols - 1) / tile_cols);
  for (uint tile = atomic_inc(tickets); tile < tiles; tile = atomic_inc(tickets)) {
    const uint row0 = tile % tiles_m * tile_rows;
    const uint col0 = tile / tiles_m * tile_cols;
    for (uint p = 0; p < k; p += kc)
      add_block(packed_a, packed_b, c + offset + (ulong)row0 * ldc + col0, ldc, m, n, p,
                min(kc, k - p), row0, col0, min(tile_rows, m - row0), min(tile_cols, n - col0),
                p == 0 ? beta : (REAL)1, lower);
  }
}
