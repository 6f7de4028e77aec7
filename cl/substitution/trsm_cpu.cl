// Solves with the factors of an LU and many right-hand sides for CPUs: B <- U^-1 L^-1 P B, with L
// and U in one matrix lu (n x n, row-major, ld; L's unit diagonal is not stored) and B n x nrhs,
// row-major, b_ld.
//
// A work-item takes one strip of columns after the other and needs no other on the way. The strip
// is stored in panels of NR columns, each with its rows one after the other. MR rows of a triangle
// are packed and used with all panels. `block` rows of X that are known are subtracted from all
// others by cpu_tile.clh's loop while they are in a near cache; what remains are triangles of MR
// rows.
//
// Macros: those of cpu_tile.clh. No local memory, no barrier.
#include "cpu_tile.clh"

// A triangle's matrix and a strip of X.
typedef struct {
  global const REAL* lu;
  ulong ld;
  uint n;
  global REAL* x;
  uint panels;
  ulong panel;     // elements of a panel
  global REAL* t;  // MR rows of -lu, packed: column by column
} Strip;

#define ADD_CELL(r, v) \
  VSTORE(VLOAD(to + r * NR + v * VEC_WIDTH) + c_##r##_##v, to + r * NR + v * VEC_WIDTH);
#define ADD_ROW(r) EACH_VEC(ADD_CELL, r)

// MR rows at `to` += t x, with `depth` rows at x.
void add_product(global const REAL* t, global const REAL* x, const uint depth, global REAL* to) {
  DECLARE_TILE
  ACCUMULATE_TILE(t, MR, x, depth)
  EACH_ROW(ADD_ROW)
}

// x <- T^-1 x, `rows` rows of a panel, with -T at t.
void solve_triangle(global const REAL* t, const uint rows, const uint upper, global REAL* x) {
  for (uint step = 0; step < rows; ++step) {
    const uint k = upper ? rows - 1 - step : step;
    global const REAL* column = t + k * MR;
    for (uint v = 0; v < NR; v += VEC_WIDTH) {
      VEC known = VLOAD(x + k * NR + v);
      if (upper) {
        known /= -column[k];
        VSTORE(known, x + k * NR + v);
      }
      for (uint i = upper ? 0 : k + 1; i < (upper ? k : rows); ++i)
        VSTORE(MULADD((VEC)(column[i]), known, VLOAD(x + i * NR + v)), x + i * NR + v);
    }
  }
}

// X <- L^-1 X or, upper, U^-1 X, block by block. Each group of rows of the block and beyond it
// loses what is known of the block; then one of the block is solved for, and known itself.
void substitute(const Strip s, const uint upper, const uint block) {
  const uint blocks = (s.n + block - 1) / block;
  for (uint step = 0; step < blocks; ++step) {
    const uint begin = (upper ? blocks - 1 - step : step) * block, end = min(s.n, begin + block);
    const uint groups = ((upper ? end : s.n - begin) + MR - 1) / MR;
    for (uint group = 0; group < groups; ++group) {
      const uint row = upper ? (groups - 1 - group) * MR : begin + group * MR;
      const uint rows = min((uint)MR, s.n - row);
      const uint first = upper ? max(row, begin) : begin;  // columns of t
      const uint last = upper ? end : min(row + rows, end);
      const uint known = upper ? max(row + rows, begin) : begin;
      const uint depth = (upper ? end : min(row, end)) - known;
      pack_across(s.lu + row * s.ld + first, s.ld, rows, last - first, (REAL)-1, s.t, MR);
      for (uint p = 0; p < s.panels; ++p) {
        global REAL* x = s.x + p * s.panel;
        add_product(s.t + (known - first) * MR, x + known * NR, depth, x + row * NR);
        if (row >= begin && row < end)
          solve_triangle(s.t + (row - first) * MR, rows, upper, x + row * NR);
      }
    }
  }
}

// Rows k and pivots[k], one after the other.
void exchange(const Strip s, global const uint* pivots) {
  for (uint p = 0; p < s.panels; ++p) {
    global REAL* x = s.x + p * s.panel;
    for (uint k = 0; k < s.n; ++k) {
      global REAL *here = x + k * NR, *there = x + pivots[k] * NR;
      for (uint v = 0; v < NR; v += VEC_WIDTH) {
        const VEC kept = VLOAD(here + v);
        VSTORE(VLOAD(there + v), here + v);
        VSTORE(kept, there + v);
      }
    }
  }
}

void load_strip(const Strip s, global const REAL* b, const ulong ld, const uint columns) {
  for (uint i = 0; i < s.n; ++i, b += ld)
    for (uint j = 0; j < s.panels * NR; j += VEC_WIDTH) {
      global REAL* to = s.x + j / NR * s.panel + i * NR + j % NR;
      if (j + VEC_WIDTH <= columns) {
        VSTORE(VLOAD(b + j), to);
      } else {
        PLAIN_LOOP
        for (uint c = 0; c < VEC_WIDTH; ++c) to[c] = j + c < columns ? b[j + c] : (REAL)0;
      }
    }
}

void store_strip(const Strip s, global REAL* b, const ulong ld, const uint columns) {
  for (uint i = 0; i < s.n; ++i, b += ld)
    for (uint j = 0; j < columns; j += VEC_WIDTH) {
      global const REAL* from = s.x + j / NR * s.panel + i * NR + j % NR;
      if (j + VEC_WIDTH <= columns) {
        VSTORE(VLOAD(from), b + j);
      } else {
        PLAIN_LOOP
        for (uint c = 0; j + c < columns; ++c) b[j + c] = from[c];
      }
    }
}

// A strip has up to `panels` panels; `block` is a multiple of MR. With `exchanges`, P are those of
// the rows k and pivots[k], else the identity. Each work-item has
//   panels * round_up(n, MR) * NR + block * MR
// elements of workspace. NDRange: any number of work-items, best a compute unit each.
kernel void solve_strips(global const REAL* restrict lu, const ulong offset, const ulong ld,
                         const uint n, global REAL* restrict b, const ulong b_offset,
                         const ulong b_ld, const uint nrhs, const uint panels, const uint block,
                         const uint exchanges, global const uint* restrict pivots,
                         global REAL* restrict workspace) {
  const ulong panel = (ulong)((n + MR - 1) / MR) * MR * NR;
  global REAL* own = workspace + get_global_id(0) * (panels * panel + block * MR);
  for (uint column = (uint)get_global_id(0) * panels * NR; column < nrhs;
       column += (uint)get_global_size(0) * panels * NR) {
    const uint columns = min(panels * NR, nrhs - column);
    const Strip s = {lu + offset, ld, n, own + block * MR, (columns + NR - 1) / NR, panel, own};
    load_strip(s, b + b_offset + column, b_ld, columns);
    if (exchanges) exchange(s, pivots);
    substitute(s, 0, block);
    substitute(s, 1, block);
    store_strip(s, b + b_offset + column, b_ld, columns);
  }
}
