// The updates of an LU whose matrix is stored in blocks of columns, for CPU devices. The kernels of
// lu_cpu.cl factor a block, with nb = its width, as the only panel of a matrix of its height; these
// kernels apply its exchanges and its L to any other block, B:
//
//   block_moves     what the exchanges mean for the rows (one work-item)
//   block_rows      exchanges, U = L11^-1 B1, packed copy of U
//   block_subtract  B2 -= L21 U
//
// L lies in the panel store, as lu_extract or the factorisation left it; its width is nb. Local
// size 1 everywhere, no local memory, no barrier. The macros are those of lu_cpu.cl.

#include "lu_cpu.cl"

// NDRange: 1 work-item. moves: [3 nb], see record_moves; pivots are counted from the block's top.
kernel void block_moves(global uint* pivots, const uint nb, global uint* moves) {
  const Panel p = {0, 0, 0, 0, pivots};
  record_moves(p, nb, moves, nb);
}

// NDRange: one work-item a strip of NR columns of B.
kernel void block_rows(global REAL* b, const ulong offset, const ulong ld, const uint columns,
                       const uint nb, global const REAL* store, global REAL* u,
                       global const uint* moves) {
  const uint col = (uint)get_global_id(0) * NR;
  if (col >= columns) return;
  const uint cols = min((uint)NR, columns - col);
  global REAL* top = b + offset + col;
  global REAL* strip = u + (ulong)col * nb;
  for (uint t = 0; t < nb; ++t) {
    copy_row(top + moves[t] * ld, strip + t * NR, cols);
    PLAIN_LOOP
    for (uint j = cols; j < NR; ++j) strip[t * NR + j] = 0;
  }
  for (uint t = 0; t < nb; ++t) {
    if (moves[nb + t] < nb) continue;
    copy_row(top + moves[2 * nb + t] * ld, top + moves[nb + t] * ld, cols);
  }
  solve_strip(store, chunk_size(nb), strip, nb);
  for (uint t = 0; t < nb; ++t) copy_row(strip + t * NR, top + t * ld, cols);
}

// NDRange: one work-item a tile of tile_rows x tile_cols (multiples of RB and NR) of the `rows`
// rows of B below its first nb.
kernel void block_subtract(global REAL* b, const ulong offset, const ulong ld, const uint rows,
                           const uint columns, const uint nb, global const REAL* store,
                           global const REAL* u, const uint tile_rows, const uint tile_cols) {
  const uint row = (uint)get_global_id(0) * tile_rows, col = (uint)get_global_id(1) * tile_cols;
  if (row >= rows || col >= columns) return;
  subtract_block(store + nb / RB * chunk_size(nb), u, b + offset + nb * ld, ld, nb, row,
                 min(tile_rows, rows - row), col, min(tile_cols, columns - col));
}
