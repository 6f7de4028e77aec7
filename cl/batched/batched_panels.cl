// Many systems of n <= ROWS on any device, which stay in global memory: P A = L U with partial
// pivoting, X = A^-1 B.
//
// A system belongs to one work-group. PANEL columns at a time come to local memory and are factored
// there. Then the rows of the other columns are exchanged and the panel's rows of U solved for, a
// column a work-item, and what is right of and below the panel loses L U, both read in local
// memory: a work-item has blocks of four rows and BLOCK_COLUMNS columns.
// COMPLEX 1 (0 if not defined): the numbers are complex; the pivot has the largest |re| + |im|.
//
// Arguments: a matrix of system s starts at offset + s * stride, rows ld apart, in elements;
// info[s] = 0, or 1 + the first column whose pivot is exactly zero or not finite (a NaN counts as
// the largest magnitude); X of that system is NaN. A launch is of the systems from `first` on, one
// for each group of dimension 0; their factors are matrices 0, 1, .. of lu, and so are the
// permutations.
// NDRange: local GROUP, a power of two; dimension 1 of batched_solve has a group for every RHS
// right-hand sides.
// KERNEL: which of the kernels is built, 1 or 2 in their order below.
// Local memory: batched_factor 2 * PANEL * (ROWS + 4) + 80 numbers and 2 * ROWS + PANEL + 16 words,
// batched_solve RHS * (ROWS + 1) + PANEL * PANEL numbers. Mesa's llvmpipe cuts a work-item off
// after 65535 iterations of its loops: with n = 256, GROUP = 256 and PANEL = 8 there are 24
// thousand.

#include "batched.clh"

#if !defined(ROWS) || !defined(PANEL) || !defined(GROUP) || !defined(KERNEL)
#error "ROWS, PANEL, GROUP and KERNEL must be defined"
#endif
#if ROWS % PANEL != 0 || PANEL % (COMPLEX ? 2 : 4) != 0
#error "ROWS must be a multiple of PANEL, and PANEL of 2, or of 4 for real numbers"
#endif

// Loops with a barrier run at least once and have one way out: PoCL doubles the code behind any
// other.
#define LOCAL_SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#if KERNEL == 1
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
// Four numbers of a column.
#if COMPLEX
#define FOUR PASTE(REAL, 8)
#define AT_0 s01
#define AT_1 s23
#define AT_2 s45
#define AT_3 s67
INLINE FOUR minus_products(const FOUR l, const NUMBER u, const FOUR v) {
  const FOUR turned = l.s10325476 * (FOUR)(-1, 1, -1, 1, -1, 1, -1, 1);  // i l
  return fma(-turned, (FOUR)(u.y), fma(-l, (FOUR)(u.x), v));
}
INLINE FOUR four_of(const local NUMBER* v) { return (FOUR)(v[0], v[1], v[2], v[3]); }
#else
#define FOUR PASTE(REAL, 4)
#define AT_0 s0
#define AT_1 s1
#define AT_2 s2
#define AT_3 s3
INLINE FOUR minus_products(const FOUR l, const NUMBER u, const FOUR v) {
  return fma(-l, (FOUR)(u), v);
}
INLINE FOUR four_of(const local NUMBER* v) { return *(const local FOUR*)v; }
#endif
#define COLUMN (ROWS + 4)  // from one column of a panel to the next: they begin in different banks
#define PARTS (GROUP < 16 ? GROUP : 16)  // of a column, searched side by side
#define LANES (GROUP < 16 ? GROUP : 16)  // work-items along a row
#define BLOCK_COLUMNS 4

// Rows count from the top of the matrix.
typedef struct {
  NUMBER lower[PANEL * COLUMN] __attribute__((aligned(32)));  // the panel by columns: L
  NUMBER upper[PANEL * COLUMN + LANES * BLOCK_COLUMNS];       // its rows of U
  REAL part_magnitude[PARTS];
  uint part_row[PARTS];
  uint row_from[ROWS];    // where this row was before this panel
  uint row_of_a[ROWS];    // which row of A this is
  uint displaced[PANEL];  // where the rows are now that were at the top
} Shared;

// A panel: columns top .. top + width - 1 of the matrix, from row `top` on.
typedef struct {
  global NUMBER* lu;
  uint ld, n;
  uint top, width;
} Place;

INLINE void copy_matrix(global const NUMBER* a, const uint a_ld, const Place* at) {
  for (uint i = get_local_id(0) / LANES; i < at->n; i += GROUP / LANES)
    for (uint j = get_local_id(0) % LANES; j < at->n; j += LANES)
      at->lu[(ulong)i * at->ld + j] = a[(ulong)i * a_ld + j];
}

// Zeros fill the places right of the last column, and those below the last row that fours reach.
INLINE void load_panel(const Place* at, local Shared* shared) {
  const uint rows = (COMPLEX ? at->n + 3 : (at->n + 3) / 4 * 4) - at->top;
  for (uint e = get_local_id(0); e < rows * PANEL; e += GROUP) {
    const uint i = at->top + e / PANEL, c = e % PANEL;
    const bool inside = i < at->n && c < at->width;
    shared->lower[c * COLUMN + i] = inside ? at->lu[(ulong)i * at->ld + at->top + c] : (NUMBER)(0);
  }
}

// The largest magnitudes of rows k + id, k + id + PARTS, ... of a column, the first among equals.
INLINE void search_parts(const local NUMBER* column, const uint k, const uint n,
                         local Shared* shared) {
  const uint id = get_local_id(0);
  if (id >= PARTS) return;
  REAL best = -1;
  uint row = n;
  for (uint i = k + id; i < n; i += PARTS) {
    const REAL size = magnitude_to_compare(column[i]);
    if (size > best) {
      best = size;
      row = i;
    }
  }
  shared->part_magnitude[id] = best;
  shared->part_row[id] = row;
}

INLINE void exchange(local uint* rows, const uint k, const uint p) {
  const uint row = rows[k];
  rows[k] = rows[p];
  rows[p] = row;
}

// Returns the info, which is `bad` so far.
INLINE int factor_panel(const Place* at, int bad, local Shared* shared) {
  const uint id = get_local_id(0);
  uint c = 0;
  do {
    const uint k = at->top + c;
    local NUMBER* column = shared->lower + c * COLUMN;
    search_parts(column, k, at->n, shared);
    LOCAL_SYNC();
    const uint p = row_of_largest(shared->part_magnitude, shared->part_row, PARTS);
    for (uint j = id; j < at->width; j += GROUP) {
      local NUMBER* entries = shared->lower + j * COLUMN;
      const NUMBER entry = entries[k];
      entries[k] = entries[p];
      entries[p] = entry;
    }
    if (id == 0) {
      exchange(shared->row_from, k, p);
      exchange(shared->row_of_a, k, p);
    }
    LOCAL_SYNC();
    const NUMBER pivot = column[k];
    const REAL size = magnitude_of(pivot), scale = scale_for(size);
    if (bad == 0 && !(size > 0 && size < (REAL)INFINITY)) bad = (int)k + 1;
    const NUMBER inverse = size > 0 ? reciprocal(pivot * scale) : (NUMBER)(0);
    for (uint i = k + 1 + id; i < at->n; i += GROUP) {
      const NUMBER l = product(column[i] * scale, inverse);
      column[i] = l;
      for (uint j = c + 1; j < at->width; ++j) {
        local NUMBER* entries = shared->lower + j * COLUMN;
        entries[i] = minus_product(l, entries[k], entries[i]);
      }
    }
    LOCAL_SYNC();
  } while (++c < at->width);
  return bad;
}

INLINE void store_panel(const Place* at, local Shared* shared) {
  for (uint e = get_local_id(0); e < (at->n - at->top) * PANEL; e += GROUP) {
    const uint i = at->top + e / PANEL, c = e % PANEL;
    if (c < at->width) at->lu[(ulong)i * at->ld + at->top + c] = shared->lower[c * COLUMN + i];
  }
}

// The panel's exchanges in the other columns, and L^-1 in the rows of U right of it.
INLINE void finish_rows(const Place* at, local Shared* shared) {
  const uint below = at->top + at->width;
  for (uint i = at->top + get_local_id(0); i < at->n; i += GROUP)
    if (shared->row_from[i] < below) shared->displaced[shared->row_from[i] - at->top] = i;
  LOCAL_SYNC();
  for (uint j = get_local_id(0); j < at->n; j += GROUP) {
    if (j >= at->top && j < below) continue;
    global NUMBER* entries = at->lu + j;
    NUMBER u[PANEL], old[PANEL];
    UNROLLED
    for (uint c = 0; c < PANEL; ++c) {
      const bool inside = c < at->width;
      old[c] = inside ? entries[(ulong)(at->top + c) * at->ld] : (NUMBER)(0);
      u[c] = inside ? entries[(ulong)shared->row_from[at->top + c] * at->ld] : (NUMBER)(0);
    }
    UNROLLED
    for (uint c = 0; c < PANEL; ++c)
      if (c < at->width && shared->displaced[c] >= below)
        entries[(ulong)shared->displaced[c] * at->ld] = old[c];
        // u moves on by one a row, so that it is indexed by constants only.
#pragma unroll 1
    for (uint c = 0; c < at->width; ++c) {
      const NUMBER first = u[0];
      entries[(ulong)(at->top + c) * at->ld] = first;
      shared->upper[c * COLUMN + j] = first;
      UNROLLED
      for (uint i = 1; i < PANEL; ++i)
        u[i - 1] = j >= below && c + i < PANEL
                       ? minus_product(first, shared->lower[c * COLUMN + at->top + c + i], u[i])
                       : u[i];
    }
  }
}

// Rows 0 .. rows - 1 of four below each other.
INLINE FOUR load_rows(global const NUMBER* from, const uint ld, const uint rows) {
  FOUR v = (FOUR)(0);
  if (rows > 0) v.AT_0 = from[0];
  if (rows > 1) v.AT_1 = from[ld];
  if (rows > 2) v.AT_2 = from[2 * (ulong)ld];
  if (rows > 3) v.AT_3 = from[3 * (ulong)ld];
  return v;
}

INLINE void store_rows(const FOUR v, global NUMBER* to, const uint ld, const uint rows) {
  if (rows > 0) to[0] = v.AT_0;
  if (rows > 1) to[ld] = v.AT_1;
  if (rows > 2) to[2 * (ulong)ld] = v.AT_2;
  if (rows > 3) to[3 * (ulong)ld] = v.AT_3;
}

// What is right of and below a panel, which is a whole one if there is anything, loses L U.
INLINE void update(const Place* at, const local Shared* shared) {
  const uint below = at->top + PANEL, tx = get_local_id(0) % LANES, ty = get_local_id(0) / LANES;
  for (uint first = below; first < at->n; first += LANES * BLOCK_COLUMNS)
    for (uint i = below + 4 * ty; i < at->n; i += 4 * (GROUP / LANES)) {
      global NUMBER* entries = at->lu + (ulong)i * at->ld + first + tx;
      FOUR v[BLOCK_COLUMNS];
      uint rows[BLOCK_COLUMNS];
      UNROLLED
      for (uint b = 0; b < BLOCK_COLUMNS; ++b) {
        rows[b] = first + tx + LANES * b < at->n ? at->n - i : 0;
        v[b] = load_rows(entries + LANES * b, at->ld, rows[b]);
      }
      // One after the other: all at once they take three times as many registers.
#pragma unroll 1
      for (uint c = 0; c < PANEL; ++c) {
        const FOUR l = four_of(shared->lower + c * COLUMN + i);
        const local NUMBER* u = shared->upper + c * COLUMN + first + tx;
        UNROLLED
        for (uint b = 0; b < BLOCK_COLUMNS; ++b) v[b] = minus_products(l, u[LANES * b], v[b]);
      }
      UNROLLED
      for (uint b = 0; b < BLOCK_COLUMNS; ++b)
        store_rows(v[b], entries + LANES * b, at->ld, rows[b]);
    }
}

// L\U of A, which may be A's own place; permutation[i] of a system is the row of A that is row i of
// L U.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_factor(
    global const NUMBER* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global NUMBER* lu, const ulong lu_offset, const uint lu_ld, const ulong lu_stride,
    global int* permutation, const uint n, const ulong first, global int* info) {
  local Shared shared;
  const ulong s = get_group_id(0);
  Place at = {lu + lu_offset + s * lu_stride, lu_ld, n, 0, 0};
  a += a_offset + (first + s) * a_stride;
  if (a != at.lu) copy_matrix(a, a_ld, &at);
  for (uint i = get_local_id(0); i < n; i += GROUP) shared.row_of_a[i] = i;
  int bad = 0;
  SYNC();
  do {
    at.width = min((uint)PANEL, n - at.top);
    load_panel(&at, &shared);
    for (uint i = at.top + get_local_id(0); i < n; i += GROUP) shared.row_from[i] = i;
    SYNC();
    bad = factor_panel(&at, bad, &shared);
    store_panel(&at, &shared);
    finish_rows(&at, &shared);
    SYNC();
    update(&at, &shared);
    SYNC();
    at.top += PANEL;
  } while (at.top < n);
  for (uint i = get_local_id(0); i < n; i += GROUP)
    permutation[s * n + i] = (int)shared.row_of_a[i];
  if (get_local_id(0) == 0) info[first + s] = bad;
}

#elif KERNEL == 2
#ifndef RHS
#error "RHS must be defined"
#endif
#define Y_LD (ROWS + 1)  // from one right-hand side to the next

typedef struct {
  NUMBER y[RHS * Y_LD];
  NUMBER block[PANEL * PANEL];  // of L or U, at the diagonal
} Shared;

// y <- L^-1 y if `lower`, else U^-1 y: PANEL unknowns, one right-hand side a work-item, then what
// they leave in the other rows.
INLINE void substitute(global const NUMBER* lu, const uint ld, const uint n, const uint columns,
                       const bool lower, local Shared* shared) {
  const uint id = get_local_id(0), panels = (n + PANEL - 1) / PANEL;
  uint step = 0;
  do {
    const uint top = PANEL * (lower ? step : panels - 1 - step);
    for (uint e = id; e < PANEL * PANEL; e += GROUP) {
      const uint i = top + e / PANEL, j = top + e % PANEL;
      shared->block[e] = i < n && j < n ? lu[(ulong)i * ld + j] : i == j ? ONE : (NUMBER)(0);
    }
    LOCAL_SYNC();
    for (uint c = id; c < columns; c += GROUP) {
      local NUMBER* y = shared->y + c * Y_LD + top;
      NUMBER x[PANEL];
      UNROLLED
      for (uint k = 0; k < PANEL; ++k) x[k] = y[k];
      UNROLLED
      for (uint step_in = 0; step_in < PANEL; ++step_in) {
        const uint k = lower ? step_in : PANEL - 1 - step_in;
        if (!lower) x[k] = quotient(x[k], shared->block[k * PANEL + k]);
        UNROLLED
        for (uint i = 0; i < PANEL; ++i)
          if (lower ? i > k : i < k) x[i] = minus_product(shared->block[i * PANEL + k], x[k], x[i]);
      }
      UNROLLED
      for (uint k = 0; k < PANEL; ++k) y[k] = x[k];
    }
    LOCAL_SYNC();
    const uint first = lower ? top + PANEL : 0, end = lower ? n : top;
    for (uint i = first + id; i < end; i += GROUP) {
      NUMBER row[PANEL];
      UNROLLED
      for (uint k = 0; k < PANEL; ++k)
        row[k] = top + k < n ? lu[(ulong)i * ld + top + k] : (NUMBER)(0);
      for (uint c = 0; c < columns; ++c) {
        local NUMBER* y = shared->y + c * Y_LD;
        NUMBER sum = y[i];
        UNROLLED
        for (uint k = 0; k < PANEL; ++k) sum = minus_product(row[k], y[top + k], sum);
        y[i] = sum;
      }
    }
    LOCAL_SYNC();
  } while (++step < panels);
}

// X = U^-1 L^-1 P B with what batched_factor left.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_solve(
    global const NUMBER* lu, const ulong lu_offset, const uint lu_ld, const ulong lu_stride,
    global const int* permutation, global NUMBER* b, const ulong b_offset, const uint b_ld,
    const ulong b_stride, const uint nrhs, const uint n, const ulong first,
    global const int* info) {
  local Shared shared;
  const uint id = get_local_id(0), before = (uint)get_group_id(1) * RHS,
             columns = min((uint)RHS, nrhs - before), end = (n + PANEL - 1) / PANEL * PANEL;
  const ulong s = get_group_id(0);
  global NUMBER* x = b + b_offset + (first + s) * b_stride + before;
  lu += lu_offset + s * lu_stride;
  for (uint e = id; e < end * columns; e += GROUP) {
    const uint i = e / columns, c = e % columns;
    shared.y[c * Y_LD + i] = i < n ? x[(ulong)permutation[s * n + i] * b_ld + c] : (NUMBER)(0);
  }
  SYNC();
  substitute(lu, lu_ld, n, columns, true, &shared);
  substitute(lu, lu_ld, n, columns, false, &shared);
  const bool singular = info[first + s] != 0;
  for (uint e = id; e < n * columns; e += GROUP) {
    const uint i = e / columns, c = e % columns;
    x[(ulong)i * b_ld + c] = singular ? (NUMBER)(NAN) : shared.y[c * Y_LD + i];
  }
}
#else
#error "KERNEL must be 1 or 2"
#endif
