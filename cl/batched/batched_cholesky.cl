// Many Hermitian positive definite systems of n <= ROWS on any device: A = L D L^H, stored as an LU
// with U = D L^H.
//
// A system belongs to one work-group, and a work-item has LANE_ROWS rows of PANEL columns in
// registers. Left-looking: the columns lose what the panels before them contribute, of which the
// work-item reads its own part in U in global memory and PANEL numbers for a row of U in local
// memory; no number of A is read or written twice. Then they are factored, one barrier a column.
// Only the lower triangle of A and the real parts of its diagonal are read.
// COMPLEX 1 (0 if not defined): the numbers are complex.
//
// Arguments: those of batched_factor in batched_panels.cl; the permutation is the identity, and
// info[s] = 0, or 1 + the first column whose pivot is not positive or not finite.
// NDRange: local GROUP.
// Local memory: ROWS * (PANEL + 1) + 2 * PANEL numbers and 2 * ROWS reals.

#include "batched.clh"

#if !defined(ROWS) || !defined(PANEL) || !defined(GROUP)
#error "ROWS, PANEL and GROUP must be defined"
#endif
#if ROWS % PANEL != 0 || (PANEL & (PANEL - 1)) != 0 || PANEL < 4
#error "ROWS must be a multiple of PANEL, a power of two from 4 on"
#endif
#define LANE_ROWS ((ROWS + GROUP - 1) / GROUP)
// Rows of U whose numbers are on their way at the same time: with 4 an NVIDIA GPU takes 1.04 to
// 1.16 times as long for real systems. PANEL is a multiple of it.
#define STEPS (COMPLEX || PANEL < 8 ? 4 : 8)
#define LOCAL_SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define TILE_LD (PANEL + 1)

typedef struct {
  // The panel by rows, TILE_LD apart, on its way from and to global memory; between, conj(L) of the
  // panel's first rows: PANEL numbers for each column before the panel.
  NUMBER tile[ROWS * TILE_LD] __attribute__((aligned(32)));
  NUMBER column[2][PANEL]
      __attribute__((aligned(32)));  // L D at the diagonal, of an even and an odd column
  REAL scale[ROWS], inverse[ROWS];   // together the reciprocals of the pivots
} Shared;

#if COMPLEX
INLINE void read_row(const local NUMBER* from, NUMBER* to) {
  UNROLLED
  for (uint c = 0; c < PANEL; ++c) to[c] = from[c];
}
#else
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define FOUR PASTE(REAL, 4)
INLINE void read_row(const local NUMBER* from, NUMBER* to) {
  UNROLLED
  for (uint c = 0; c < PANEL; c += 4) {
    const FOUR v = *(const local FOUR*)(from + c);
    to[c] = v.s0;
    to[c + 1] = v.s1;
    to[c + 2] = v.s2;
    to[c + 3] = v.s3;
  }
}
#endif

// `rows` rows of a panel, GROUP apart, lose the products of the panels before, columns 0 .. top - 1
// of L D: u is at the first row's column of U.
INLINE void update(NUMBER (*r)[PANEL], const uint rows, global const NUMBER* u, const uint ld,
                   const uint top, const local NUMBER* of_panel) {
#pragma unroll 1
  for (uint k = 0; k < top; k += STEPS) {
    NUMBER v[STEPS][LANE_ROWS];
    UNROLLED
    for (uint step = 0; step < STEPS; ++step) {
      UNROLLED
      for (uint x = 0; x < rows; ++x) v[step][x] = conjugate(u[(ulong)(k + step) * ld + x * GROUP]);
    }
    UNROLLED
    for (uint step = 0; step < STEPS; ++step) {
      NUMBER w[PANEL];
      read_row(of_panel + (k + step) * PANEL, w);
      UNROLLED
      for (uint x = 0; x < rows; ++x) {
        UNROLLED
        for (uint c = 0; c < PANEL; ++c) r[x][c] = minus_product(v[step][x], w[c], r[x][c]);
      }
    }
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_cholesky(
    global const NUMBER* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global NUMBER* lu, const ulong lu_offset, const uint lu_ld, const ulong lu_stride,
    global int* permutation, const uint n, const ulong first, global int* info) {
  local Shared shared;
  const uint id = get_local_id(0);
  const ulong s = get_group_id(0);
  a += a_offset + (first + s) * a_stride;
  lu += lu_offset + s * lu_stride;
  for (uint i = id; i < n; i += GROUP) permutation[s * n + i] = (int)i;
  int bad = 0;
  uint top = 0;
  do {
    const uint m = n - top;
    for (uint e = id; e < m * PANEL; e += GROUP) {
      const uint i = e / PANEL, c = e % PANEL;
      shared.tile[i * TILE_LD + c] = c <= i ? a[(ulong)(top + i) * a_ld + top + c] : (NUMBER)(0);
    }
    SYNC();  // A and L U may be one matrix
    // Rows of a work-item count from `top`, GROUP apart; those below the last are 0.
    NUMBER r[LANE_ROWS][PANEL];
    UNROLLED
    for (uint x = 0; x < LANE_ROWS; ++x) {
      UNROLLED
      for (uint c = 0; c < PANEL; ++c)
        r[x][c] = id + x * GROUP < m ? shared.tile[(id + x * GROUP) * TILE_LD + c] : (NUMBER)(0);
    }
    LOCAL_SYNC();
    for (uint e = id; e < top * PANEL; e += GROUP) {
      const uint k = e / PANEL, j = e % PANEL;
      shared.tile[e] = j < m ? lu[(ulong)k * lu_ld + top + j] * shared.scale[k] * shared.inverse[k]
                             : (NUMBER)(0);
    }
    LOCAL_SYNC();
    global const NUMBER* u = lu + top + id;
    if (id + (LANE_ROWS - 1) * GROUP < m)
      update(r, LANE_ROWS, u, lu_ld, top, shared.tile);
    else {
      UNROLLED
      for (uint x = 0; x + 1 < LANE_ROWS; ++x)
        if (id + x * GROUP < m) update(r + x, 1, u + x * GROUP, lu_ld, top, shared.tile);
    }

    // Mesa's rusticl fails if `do .. while` is unrolled here.
    UNROLLED
    for (uint c = 0; c < PANEL; ++c) {
      local NUMBER* column = shared.column[c % 2];
      UNROLLED
      for (uint x = 0; x < LANE_ROWS; ++x) {
        const uint k = id + x * GROUP;
        if (k >= c && k < PANEL) column[k] = r[x][c];
        if (k == c) {
          const REAL pivot = real_part(r[x][c]), scale = scale_for(fabs(pivot));
          shared.scale[top + c] = scale;
          shared.inverse[top + c] = pivot > 0 ? 1 / (pivot * scale) : (REAL)0;
        }
      }
      LOCAL_SYNC();
      const REAL pivot = real_part(column[c]), scale = shared.scale[top + c],
                 inverse = shared.inverse[top + c];
      if (bad == 0 && c < m && !(pivot > 0 && pivot < (REAL)INFINITY)) bad = (int)(top + c) + 1;
      NUMBER of_column[PANEL];
      read_row(column, of_column);
      UNROLLED
      for (uint x = 0; x < LANE_ROWS; ++x) {
        const uint k = id + x * GROUP;
        if (k < m) {
          const NUMBER v = r[x][c];
          if (k >= c)
            lu[(ulong)(top + c) * lu_ld + top + k] = k == c ? of_real(pivot) : conjugate(v);
          const NUMBER l = k > c ? v * scale * inverse : (NUMBER)(0);
          UNROLLED
          for (uint j = 0; j < PANEL; ++j)
            if (j > c) r[x][j] = minus_product(l, conjugate(of_column[j]), r[x][j]);
          r[x][c] = l;
        }
      }
    }

    UNROLLED
    for (uint x = 0; x < LANE_ROWS; ++x) {
      UNROLLED
      for (uint c = 0; c < PANEL; ++c)
        if (id + x * GROUP < m) shared.tile[(id + x * GROUP) * TILE_LD + c] = r[x][c];
    }
    LOCAL_SYNC();
    for (uint e = id; e < m * PANEL; e += GROUP) {
      const uint i = e / PANEL, c = e % PANEL;
      if (c < i) lu[(ulong)(top + i) * lu_ld + top + c] = shared.tile[i * TILE_LD + c];
    }
    SYNC();
    top += PANEL;
  } while (top < n);
  if (id == 0) info[first + s] = bad;
}
