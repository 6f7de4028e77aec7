// A = L D L^T for a symmetric positive definite A, for CPU devices. L is unit lower triangular and
// D diagonal: Cholesky's factors without their square roots, stored in A as an LU without row
// exchanges, U = D L^T.
//
// A is n x n, row-major, in place; of it only the lower triangle is read. The panel store, the
// packed U and the trailing update are those of lu_cpu.cl, which says what they are; of the update
// only the tiles on and below the diagonal are done. Step k, k0 = k nb:
//
//   lu_extract    A(k0:n, k0:k0+nb) -= L_{k-1} U_{k-1}, then copied to the panel store W_k
//   ldlt_advance  one work-item factors the block at the diagonal while the others do what is left
//                 of A -= L_{k-1} U_{k-1}
//   ldlt_rows     L21 = A21 U11^-1, packed copy of U12 = D1 L21^T, L and U back into A
//
// The macros are those of lu_cpu.cl. Local size 1 everywhere, no local memory, no barrier.

#include "lu_cpu.cl"

// Columns j .. j + 7 of W_k have their own part of `triangle`: rows 0 .. j + 7 of U11, 8 elements
// each, of which the last 8 rows are a triangle without its diagonal. Behind all parts lie the
// reciprocals of the pivots.
global REAL* part_of_triangle(global REAL* triangle, const uint nb, const uint j) {
  return triangle + (ulong)j * nb;
}

#define VEC8 PASTE(REAL, 8)
#define LOAD_COL(q) EACH_PART(LOAD_PART, q)
#define UPDATE_COL(q)                 \
  const VEC u_##q = (VEC)(-u_row[q]); \
  EACH_PART(UPDATE_PART, q)
#define STORE_COL(q) EACH_PART(STORE_PART, q)
#define SOLVE_PART(q, v) x_##q##_##v *= inverse;
#define SOLVE_COL(q)                        \
  {                                         \
    const VEC inverse = (VEC)(inverses[q]); \
    EACH_PART(SOLVE_PART, q)                \
  }
#define ELIMINATE_PART(v, q, r) x_##r##_##v = MULADD(x_##q##_##v, factor, x_##r##_##v);
#if RB / VEC_WIDTH == 1
#define ELIMINATE_PARTS(q, r) ELIMINATE_PART(0, q, r)
#elif RB / VEC_WIDTH == 2
#define ELIMINATE_PARTS(q, r) ELIMINATE_PART(0, q, r) ELIMINATE_PART(1, q, r)
#elif RB / VEC_WIDTH == 3
#define ELIMINATE_PARTS(q, r) \
  ELIMINATE_PART(0, q, r) ELIMINATE_PART(1, q, r) ELIMINATE_PART(2, q, r)
#else
#define ELIMINATE_PARTS(q, r) \
  ELIMINATE_PART(0, q, r) ELIMINATE_PART(1, q, r) ELIMINATE_PART(2, q, r) ELIMINATE_PART(3, q, r)
#endif
#define ELIMINATE(q, r)                                   \
  {                                                       \
    const VEC factor = (VEC)(-u_row[q * PANEL_COLS + r]); \
    ELIMINATE_PARTS(q, r)                                 \
  }

// Columns [j0, j0 + 8) of one chunk: L = (A - what the j0 columns before them make) U^-1. `u` is
// their part of the triangle.
void solve_columns(global REAL* chunk, const uint j0, global const REAL* u,
                   global const REAL* inverses) {
  global REAL* c = chunk + j0 * RB;
  global const REAL* l = chunk;
  global const REAL* u_row = u;
  EACH_COL(LOAD_COL)
  for (uint t = 0; t < j0; ++t, l += RB, u_row += PANEL_COLS) {
    EACH_PART(LOAD_L_PART, 0)
    EACH_COL(UPDATE_COL)
  }
  // clang-format off
  SOLVE_COL(0) ELIMINATE(0, 1) ELIMINATE(0, 2) ELIMINATE(0, 3) ELIMINATE(0, 4) ELIMINATE(0, 5)
      ELIMINATE(0, 6) ELIMINATE(0, 7)
  SOLVE_COL(1) ELIMINATE(1, 2) ELIMINATE(1, 3) ELIMINATE(1, 4) ELIMINATE(1, 5) ELIMINATE(1, 6)
      ELIMINATE(1, 7)
  SOLVE_COL(2) ELIMINATE(2, 3) ELIMINATE(2, 4) ELIMINATE(2, 5) ELIMINATE(2, 6) ELIMINATE(2, 7)
  SOLVE_COL(3) ELIMINATE(3, 4) ELIMINATE(3, 5) ELIMINATE(3, 6) ELIMINATE(3, 7)
  SOLVE_COL(4) ELIMINATE(4, 5) ELIMINATE(4, 6) ELIMINATE(4, 7)
  SOLVE_COL(5) ELIMINATE(5, 6) ELIMINATE(5, 7)
  SOLVE_COL(6) ELIMINATE(6, 7)
  SOLVE_COL(7)
  EACH_COL(STORE_COL)
  // clang-format on
}

#define DECLARE_DIAGONAL(q) VEC8 y_##q = vload8(0, top + (j0 + q) * RB);
#define UPDATE_DIAGONAL(q) y_##q = MULADD(l, (VEC8)(-u[t * PANEL_COLS + q]), y_##q);
#define STORE_DIAGONAL(q) vstore8(y_##q, q, block);

// The 8 x 8 block at row and column j0 of W_k, of which `width` count: `block` <- its L D, column
// by column; U and the reciprocals go where solve_columns() looks for them. Returns the first
// column whose pivot is not a positive number, or `none`.
uint factor_diagonal(global const REAL* top, const uint j0, const uint width, global REAL* u,
                     global REAL* inverses, REAL* block, const uint none) {
  EACH_COL(DECLARE_DIAGONAL)
  for (uint t = 0; t < j0; ++t) {
    const VEC8 l = vload8(0, top + t * RB);
    EACH_COL(UPDATE_DIAGONAL)
  }
  EACH_COL(STORE_DIAGONAL)
  uint bad = none;
  for (uint q = 0; q < PANEL_COLS; ++q) {
    const REAL pivot = block[q * 8 + q];
    const bool usable = q < width && pivot >= SMALLEST && pivot < (REAL)INFINITY;
    if (q < width && !usable) bad = min(bad, q);
    const REAL inverse = usable ? 1 / pivot : (REAL)1;
    inverses[q] = inverse;
    for (uint r = q + 1; r < PANEL_COLS; ++r) u[(j0 + q) * 8 + r] = block[q * 8 + r];
    for (uint r = q + 1; r < PANEL_COLS; ++r) {
      const REAL l = block[q * 8 + r] * inverse;
      for (uint s = q + 1; s <= r; ++s) block[s * 8 + r] -= l * u[(j0 + q) * 8 + s];
      block[q * 8 + r] = l;
    }
  }
  return bad;
}

// The block at the diagonal of W_k, cols x cols.
void factor_block(global REAL* w, const ulong chunk, const uint nb, const uint cols,
                  global REAL* triangle, const uint k0, global int* info) {
  global REAL* inverses = part_of_triangle(triangle, nb, nb);
  for (uint j0 = 0; j0 < cols; j0 += PANEL_COLS) {
    global REAL* u = part_of_triangle(triangle, nb, j0);
    global REAL* top = w + row_start(j0, chunk);
    for (uint t = 0; t < j0; ++t)  // U(t, :) = d_t L(:, t)^T
      vstore8(vload8(0, top + t * RB) * w[row_start(t, chunk) + t * RB], t, u);
    REAL block[PANEL_COLS * 8];
    const uint bad = factor_diagonal(top, j0, min((uint)PANEL_COLS, cols - j0), u, inverses + j0,
                                     block, UINT_MAX);
    if (bad != UINT_MAX) atomic_min(info, (int)(k0 + j0 + bad));
    for (uint i = j0 / RB; i * RB < cols; ++i) solve_columns(w + i * chunk, j0, u, inverses + j0);
    for (uint q = 0; q < PANEL_COLS; ++q) vstore8(vload8(q, block), 0, top + (j0 + q) * RB);
  }
}

// As subtract_block() of lu_cpu.cl, but for tiles that lie above the diagonal.
void subtract_lower(global const REAL* l, global const REAL* u, global REAL* c, const ulong ld,
                    const uint nb, const uint row, const uint rows, const uint col,
                    const uint cols) {
  const ulong chunk = chunk_size(nb);
  for (uint i = row; i < row + rows; i += MR)
    for (uint j = col; j < min(col + cols, i + MR); j += NR)
      subtract_tile(l + row_start(i, chunk), u + (ulong)j * nb, nb, c + (ulong)i * ld + j, ld,
                    row + rows - i, col + cols - j);
}

// NDRange: as many work-items as compute units; each takes tickets until none is left: ticket 0 is
// the block at the diagonal, the others are tiles of tile_rows x tile_cols (multiples of RB and NR)
// of the previous step's update that reach the diagonal or below, column by column.
kernel void ldlt_advance(global REAL* a, const ulong offset, const ulong ld, const uint n,
                         const uint nb, const uint step, global REAL* store, global const REAL* u,
                         global REAL* triangle, global int* info, global uint* tickets,
                         const uint tile_rows, const uint tile_cols) {
  const uint k0 = step * nb;
  if (info[0] < (int)k0) return;  // A is not positive definite
  const uint cols = min(nb, n - k0);
  const uint rest = step > 0 ? n - k0 - cols : 0;
  const uint tiles_m = (rest + tile_rows - 1) / tile_rows;
  for (;;) {
    uint ticket = atomic_inc(tickets + step);
    if (ticket == 0) {
      factor_block(store + panel_start(n, nb, step), chunk_size(nb), nb, cols, triangle, k0, info);
      continue;
    }
    --ticket;
    uint col = 0;
    while (col < rest && ticket >= tiles_m - col / tile_rows) {
      ticket -= tiles_m - col / tile_rows;
      col += tile_cols;
    }
    if (col >= rest) return;
    const uint row = (col / tile_rows + ticket) * tile_rows;
    subtract_lower(store + panel_start(n, nb, step - 1) + nb / RB * chunk_size(nb), u,
                   a + offset + (ulong)k0 * ld + k0, ld, nb, nb + row, min(tile_rows, rest - row),
                   nb + col, min(tile_cols, rest - col));
  }
}

// Rows [row, row + rows) of the block at the diagonal: L and D, and U = D L^T, into A.
void store_diagonal_rows(global const REAL* w, const ulong chunk, global REAL* corner,
                         const ulong ld, const uint row, const uint rows) {
  PLAIN_LOOP
  for (uint i = row; i < row + rows; ++i) {
    PLAIN_LOOP
    for (uint j = 0; j <= i; ++j) {
      const REAL l = w[row_start(i, chunk) + j * RB];
      corner[(ulong)i * ld + j] = l;
      if (j < i) corner[(ulong)j * ld + i] = l * w[row_start(j, chunk) + j * RB];
    }
  }
}

// NDRange: one work-item a chunk of the panel.
kernel void ldlt_rows(global REAL* a, const ulong offset, const ulong ld, const uint n,
                      const uint nb, const uint step, global REAL* store, global REAL* u,
                      global REAL* triangle) {
  const uint k0 = step * nb;
  const uint row = (uint)get_global_id(0) * RB;
  if (row >= n - k0) return;
  const uint rows = min((uint)RB, n - k0 - row);
  const ulong chunk = chunk_size(nb);
  global REAL* panel = store + panel_start(n, nb, step);
  global REAL* w = panel + row / RB * chunk;
  global REAL* corner = a + offset + (ulong)k0 * ld + k0;
  if (row < nb) {
    store_diagonal_rows(panel, chunk, corner, ld, row, rows);
    return;
  }
  for (uint j0 = 0; j0 < nb; j0 += PANEL_COLS)
    solve_columns(w, j0, part_of_triangle(triangle, nb, j0),
                  part_of_triangle(triangle, nb, nb) + j0);
  uint i = 0;
  for (; i + 4 <= rows; i += 4) {
    global REAL* to = corner + (ulong)(row + i) * ld;
    unpack_rows(w + i, nb, to, to + ld, to + 2 * ld, to + 3 * ld);
  }
  for (; i < rows; ++i) {
    PLAIN_LOOP
    for (uint j = 0; j < nb; ++j) corner[(ulong)(row + i) * ld + j] = w[j * RB + i];
  }
  for (uint t = 0; t < nb; ++t) {
    const VEC pivot = (VEC)(panel[row_start(t, chunk) + t * RB]);
    global REAL* to = corner + (ulong)t * ld + row;
    for (uint v = 0; v < RB; v += VEC_WIDTH) {
      const uint col = row - nb + v;
      global REAL* packed = u + (ulong)(col - col % NR) * nb + t * NR + col % NR;
      const VEC x = VLOAD(w + t * RB + v) * pivot;
      VSTORE(x, packed);
      if (v + VEC_WIDTH <= rows) {
        VSTORE(x, to + v);
      } else {
        PLAIN_LOOP
        for (uint j = v; j < rows; ++j) to[j] = packed[j - v];
      }
    }
  }
}
