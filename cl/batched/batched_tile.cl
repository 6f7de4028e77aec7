// Many small systems on any device: P A = L U with partial pivoting, X = A^-1 B, TILE = ceil(n /
// GRID).
//
// A system belongs to GRID x GRID work-items; work-item (ty, tx) keeps the elements
// (ty + GRID r, tx + GRID c), r and c < TILE, in registers from beginning to end, so local memory
// holds only what passes between work-items. Step k: the owners of column k publish it with the
// largest entry of each, everybody agrees on the pivot, its owners publish row p, and all subtract
// l u: two barriers, and TILE^2 multiply-adds for 2 TILE words read. Rows do not move: each
// remembers its step, and takes its place when results are written.
// DEFINITE 1 (0 if not defined): A = L D L^H without exchanges, stored as an LU with U = D L^H,
// from the lower triangle of A and the real parts of its diagonal: column k is row k as well, but
// for conjugates, so one barrier a step is enough.
// COMPLEX 1 (0 if not defined): the numbers are complex; the pivot has the largest |re| + |im|.
//
// Arguments: a matrix of system s starts at offset + s * stride, rows ld apart, in elements;
// info[s] = 0, or 1 + the first column whose pivot is exactly zero or not finite (a NaN counts as
// the largest magnitude), or, if DEFINITE, not positive; X of that system is NaN.
// NDRange: local SYSTEMS * GRID * GRID; dimension 0 has ceil(batch / SYSTEMS) groups, dimension 1 a
// group for every RHS right-hand sides (1 in batched_factor; batched_factor_and_solve factors anew
// for each: what is read again stays in registers, and A is left as it is).
// KERNEL: which of the kernels is built, 1 to 3 in their order below; all together take several
// times as long. IN_REGISTERS 1: every column of tiles has code of its own, so that tiles are
// indexed by constants only; 0 for CPU devices, whose tiles lie on the stack anyway (PoCL builds
// for minutes otherwise).
// Local memory: SYSTEMS * (4 + RHS) * GRID * TILE numbers, SYSTEMS * GRID scalars and SYSTEMS *
// (GRID * TILE + GRID) words. No loop is longer than n * max(GRID, RHS): Mesa's llvmpipe cuts a
// work-item off after 65535 iterations.

#include "batched.clh"

#if !defined(GRID) || !defined(TILE) || !defined(SYSTEMS) || !defined(RHS) || \
    !defined(IN_REGISTERS) || !defined(KERNEL)
#error "GRID, TILE, SYSTEMS, RHS, IN_REGISTERS and KERNEL must be defined"
#endif
#ifndef DEFINITE
#define DEFINITE 0
#endif
#if GRID % 2 != 0
#error "GRID must be even: the two columns take turns"
#endif

// f(kc) for every column of tiles. Code for each, where that is what keeps a tile in registers: a
// loop with a barrier in it is unrolled too late for that.
#if !IN_REGISTERS
#define EACH_STEP(f) \
  for (uint kc = 0; kc < TILE; ++kc) f(kc)
#define EACH_STEP_BACK(f) \
  for (uint kc = TILE; kc-- > 0;) f(kc)
#elif TILE == 1
#define EACH_STEP(f) f(0)
#define EACH_STEP_BACK(f) f(0)
#elif TILE == 2
#define EACH_STEP(f) f(0) f(1)
#define EACH_STEP_BACK(f) f(1) f(0)
#elif TILE == 3
#define EACH_STEP(f) f(0) f(1) f(2)
#define EACH_STEP_BACK(f) f(2) f(1) f(0)
#elif TILE == 4
#define EACH_STEP(f) f(0) f(1) f(2) f(3)
#define EACH_STEP_BACK(f) f(3) f(2) f(1) f(0)
#elif TILE == 5
#define EACH_STEP(f) f(0) f(1) f(2) f(3) f(4)
#define EACH_STEP_BACK(f) f(4) f(3) f(2) f(1) f(0)
#elif TILE == 6
#define EACH_STEP(f) f(0) f(1) f(2) f(3) f(4) f(5)
#define EACH_STEP_BACK(f) f(5) f(4) f(3) f(2) f(1) f(0)
#elif TILE == 7
#define EACH_STEP(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6)
#define EACH_STEP_BACK(f) f(6) f(5) f(4) f(3) f(2) f(1) f(0)
#elif TILE == 8
#define EACH_STEP(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define EACH_STEP_BACK(f) f(7) f(6) f(5) f(4) f(3) f(2) f(1) f(0)
#else
#error "TILE must be at most 8"
#endif

#define EXTENT (GRID * TILE)
#define MEMBERS (GRID * GRID)  // work-items of a system
#define NOT_YET 0xffffu        // of a row that has not been a pivot row
// Loops with a barrier run at least once and have one way out: PoCL doubles the code behind any
// other.
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
// Where both factors can be negated, what is new in a step is, never what a work-item keeps:
// Intel's CPU runtime (2026.22) takes the negation of a value that does not change out of a loop
// with a barrier, keeps it in one place for all work-items, and from the loop's second turn on
// gives every one the last one's. Wrong there for n = 4, and with fma(value, -y[k], y[l]) right:
//   l = get_local_id(0);  y[l] = 1;  barrier(CLK_LOCAL_MEM_FENCE);  const float value = a[l];
//   uint k = n;
//   do { --k; if (l < k) y[l] = fma(-value, y[k], y[l]);  barrier(CLK_LOCAL_MEM_FENCE); }
//   while (k > 0);
#define MIRRORED (DEFINITE && KERNEL != 3)  // what batched_solve reads has both triangles

// What the work-items of one system share.
typedef struct {
  NUMBER column[2][EXTENT];  // column k from the rows that are left, else 0; by turns
  NUMBER row[EXTENT];        // the pivot row
  NUMBER diagonal[EXTENT];   // of U
  NUMBER y[EXTENT * RHS];    // right-hand sides, row by row of A
  REAL magnitude[GRID];      // largest of each owner of column k, and its row
  uint candidate[GRID];
  uint pivot_row[EXTENT];  // row of A that is row k of U
} Shared;

typedef struct {
  NUMBER a[TILE][TILE];
  uint step[TILE];  // at which the row was the pivot row
  uint tx, ty, member;
} Private;

INLINE void load_tile(global const NUMBER* a, const uint ld, const uint n, const bool active,
                      Private* my) {
#pragma unroll
  for (uint r = 0; r < TILE; ++r) {
    const uint i = my->ty + GRID * r;
    my->step[r] = NOT_YET;
#pragma unroll
    for (uint c = 0; c < TILE; ++c) {
      const uint j = my->tx + GRID * c;
      const bool mirrored = MIRRORED && j > i;
      const NUMBER v = active && i < n && j < n
                           ? a[(ulong)(mirrored ? j : i) * ld + (mirrored ? i : j)]
                           : (NUMBER)(0);
      my->a[r][c] = mirrored ? conjugate(v) : v;
    }
  }
}

#if DEFINITE
// Steps GRID kc .. GRID kc + GRID - 1 of the elimination.
INLINE void eliminate_columns(Private* my, const uint kc, const uint n, const uint columns,
                              int* bad, local Shared* shared) {
  const uint steps = min((uint)GRID, n - GRID * kc);
  uint kx = 0;
  do {
    const uint k = GRID * kc + kx, turn = kx & 1;
    local NUMBER* column = shared->column[turn];
    if (my->tx == kx) {
#pragma unroll
      for (uint r = 0; r < TILE; ++r) column[my->ty + GRID * r] = my->a[r][kc];
    }
    SYNC();
    const REAL pivot = real_part(column[k]);
    if (my->member == 0) {
      shared->pivot_row[k] = k;
      shared->diagonal[k] = of_real(pivot);
    }
    if (*bad == 0 && !(pivot > 0 && pivot < (REAL)INFINITY)) *bad = (int)k + 1;
    const REAL scale = scale_for(pivot);
    const REAL inverse = pivot > 0 ? 1 / (pivot * scale) : (REAL)0;
#pragma unroll
    for (uint r = 0; r < TILE; ++r) {
      const uint i = my->ty + GRID * r;
      const NUMBER l = column[i] * scale * inverse;
      if (i == k) my->step[r] = k;
      if (my->tx == kx && i > k) my->a[r][kc] = l;
      if (COMPLEX && my->tx == kx && i == k) my->a[r][kc] = of_real(pivot);
#pragma unroll
      for (uint c = 0; c < TILE; ++c)
        if (c > kc || (c == kc && my->tx > kx)) {
          const NUMBER u = conjugate(column[my->tx + GRID * c]);
          if (i > k) my->a[r][c] = minus_product(l, u, my->a[r][c]);
          if (i == k) my->a[r][c] = u;
        }
    }
    for (uint e = my->member; e < (n - k - 1) * columns; e += MEMBERS) {
      const uint i = k + 1 + e / columns, c = e % columns;
      const NUMBER l = column[i] * scale * inverse;
      shared->y[i * RHS + c] = minus_product(l, shared->y[k * RHS + c], shared->y[i * RHS + c]);
    }
  } while (++kx < steps);
}

#else
// Publishes the work-item's part of column k = GRID kc + tx.
INLINE void publish_column(const Private* my, const uint kc, const uint n, const uint turn,
                           local Shared* shared) {
  REAL best = -1;
  uint row = 0;
#pragma unroll
  for (uint r = 0; r < TILE; ++r) {
    const uint i = my->ty + GRID * r;
    const bool left = my->step[r] == NOT_YET && i < n;
    const NUMBER v = my->a[r][kc];
    const REAL size = magnitude_to_compare(v);
    shared->column[turn][i] = left ? v : (NUMBER)(0);
    if (left && size > best) {
      best = size;
      row = i;
    }
  }
  shared->magnitude[my->ty] = best;
  shared->candidate[my->ty] = row;
}

// The owners of row p publish it from column GRID kc on, and remember the step.
INLINE void publish_row(Private* my, const uint kc, const uint p, const uint k,
                        local Shared* shared) {
  if (my->ty != p % GRID) return;
#pragma unroll
  for (uint r = 0; r < TILE; ++r)
    if (r == p / GRID) {
      my->step[r] = k;
#pragma unroll
      for (uint c = 0; c < TILE; ++c)
        if (c >= kc) shared->row[my->tx + GRID * c] = my->a[r][c];
    }
}

// Rows that are left lose l times the pivot row; the owners of column k keep l.
INLINE void update_tile(Private* my, const uint kc, const uint kx, const uint p, const REAL scale,
                        const NUMBER inverse, const uint turn, const local Shared* shared) {
#pragma unroll
  for (uint r = 0; r < TILE; ++r) {
    const uint i = my->ty + GRID * r;
    const NUMBER l = i == p ? (NUMBER)(0) : product(shared->column[turn][i] * scale, inverse);
    if (my->tx == kx && my->step[r] == NOT_YET) my->a[r][kc] = l;
#pragma unroll
    for (uint c = 0; c < TILE; ++c)
      if (c > kc || (c == kc && my->tx > kx))
        my->a[r][c] = minus_product(l, shared->row[my->tx + GRID * c], my->a[r][c]);
  }
}

// Steps GRID kc .. GRID kc + GRID - 1 of the elimination.
INLINE void eliminate_columns(Private* my, const uint kc, const uint n, const uint columns,
                              int* bad, local Shared* shared) {
  const uint steps = min((uint)GRID, n - GRID * kc);
  uint kx = 0;
  do {
    const uint k = GRID * kc + kx, turn = kx & 1;
    if (my->tx == kx) publish_column(my, kc, n, turn, shared);
    SYNC();
    const uint p = row_of_largest(shared->magnitude, shared->candidate, GRID);
    const NUMBER pivot = shared->column[turn][p];
    const REAL size = magnitude_of(pivot);
    publish_row(my, kc, p, k, shared);
    if (my->member == 0) {
      shared->pivot_row[k] = p;
      shared->diagonal[k] = pivot;
    }
    if (*bad == 0 && !(size > 0 && size < (REAL)INFINITY)) *bad = (int)k + 1;
    const REAL scale = scale_for(size);
    const NUMBER inverse = size > 0 ? reciprocal(pivot * scale) : (NUMBER)(0);
    SYNC();
    update_tile(my, kc, kx, p, scale, inverse, turn, shared);
    for (uint e = my->member; e < n * columns; e += MEMBERS) {
      const uint i = e / columns, at = i * RHS + e % columns;
      const NUMBER l = product(shared->column[turn][i] * scale, inverse);
      if (i != p) shared->y[at] = minus_product(l, shared->y[p * RHS + e % columns], shared->y[at]);
    }
  } while (++kx < steps);
}

#endif

// Returns the info; the first `columns` right-hand sides become L^-1 P B, still in the rows of A.
INLINE int eliminate(Private* my, const uint n, const uint columns, local Shared* shared) {
  int bad = 0;
#define ELIMINATE(kc) eliminate_columns(my, kc, n, columns, &bad, shared);
  EACH_STEP(ELIMINATE)
  SYNC();
  return bad;
}

// y <- L^-1 y, by columns GRID kc .. GRID kc + GRID - 1 of L, for rows in the order of L.
INLINE void forward_columns(const Private* my, const uint kc, const uint n, const uint columns,
                            local Shared* shared) {
  const uint steps = min((uint)GRID, n - GRID * kc);
  uint kx = 0;
  do {
    const uint k = GRID * kc + kx;
    for (uint c = 0; c < (my->tx == kx ? columns : 0); ++c) {
      const NUMBER x = shared->y[k * RHS + c];
#pragma unroll
      for (uint r = 0; r < TILE; ++r) {
        const uint i = my->ty + GRID * r;
        if (i > k && i < n)
          shared->y[i * RHS + c] = minus_product(x, my->a[r][kc], shared->y[i * RHS + c]);
      }
    }
    SYNC();
  } while (++kx < steps);
}

// y <- U^-1 y, by the same columns of U; the division by the diagonal is left to store_columns().
INLINE void backward_columns(const Private* my, const uint kc, const uint n, const uint columns,
                             local Shared* shared) {
  uint kx = min((uint)GRID, n - GRID * kc);
  do {
    const uint k = GRID * kc + --kx;
    for (uint c = 0; c < (my->tx == kx ? columns : 0); ++c) {
      const NUMBER x = quotient(shared->y[shared->pivot_row[k] * RHS + c], shared->diagonal[k]);
#pragma unroll
      for (uint r = 0; r < TILE; ++r) {
        const uint i = my->ty + GRID * r;
        if (my->step[r] < k)
          shared->y[i * RHS + c] = minus_product(x, my->a[r][kc], shared->y[i * RHS + c]);
      }
    }
    SYNC();
  } while (kx > 0);
}

INLINE void substitute_forward(const Private* my, const uint n, const uint columns,
                               local Shared* shared) {
#define FORWARD(kc) forward_columns(my, kc, n, columns, shared);
  EACH_STEP(FORWARD)
}

INLINE void substitute_back(const Private* my, const uint n, const uint columns,
                            local Shared* shared) {
#define BACKWARD(kc) backward_columns(my, kc, n, columns, shared);
  EACH_STEP_BACK(BACKWARD)
}

INLINE void store_columns(global NUMBER* x, const uint ld, const uint n, const uint columns,
                          const bool singular, const uint member, const local Shared* shared) {
  for (uint e = member; e < n * columns; e += MEMBERS) {
    const uint k = e / columns, c = e % columns;
    const NUMBER y = shared->y[shared->pivot_row[k] * RHS + c];
    x[(ulong)k * ld + c] = singular ? (NUMBER)(NAN) : quotient(y, shared->diagonal[k]);
  }
}

INLINE void find_place(Private* my) {
  my->member = get_local_id(0) % MEMBERS;
  my->tx = my->member % GRID;
  my->ty = my->member / GRID;
}

#define THIS_SYSTEM (get_group_id(0) * SYSTEMS + get_local_id(0) / MEMBERS)

#if KERNEL == 1
// X = A^-1 B; A is left as it is.
kernel __attribute__((reqd_work_group_size(SYSTEMS * MEMBERS, 1, 1))) void batched_factor_and_solve(
    global const NUMBER* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global NUMBER* b, const ulong b_offset, const uint b_ld, const ulong b_stride, const uint nrhs,
    const uint n, const ulong batch, global int* info) {
  local Shared memory[SYSTEMS];
  local Shared* shared = memory + get_local_id(0) / MEMBERS;
  Private my;
  find_place(&my);
  const ulong s = THIS_SYSTEM;
  const bool active = s < batch;
  const uint first = (uint)get_group_id(1) * RHS, columns = min((uint)RHS, nrhs - first);
  global NUMBER* x = b + b_offset + s * b_stride + first;
  load_tile(a + a_offset + s * a_stride, a_ld, n, active, &my);
  for (uint e = my.member; e < n * columns; e += MEMBERS) {
    const uint i = e / columns, c = e % columns;
    shared->y[i * RHS + c] = active ? x[(ulong)i * b_ld + c] : (NUMBER)(0);
  }
  const int bad = eliminate(&my, n, columns, shared);
  substitute_back(&my, n, columns, shared);
  if (active) store_columns(x, b_ld, n, columns, bad != 0, my.member, shared);
  if (active && my.member == 0) info[s] = bad;
}

#elif KERNEL == 2
// A becomes L\U, permutation[s n + i] the row of A that is row i of L U.
kernel __attribute__((reqd_work_group_size(SYSTEMS * MEMBERS, 1, 1))) void batched_factor(
    global NUMBER* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global int* permutation, const uint n, const ulong batch, global int* info) {
  local Shared memory[SYSTEMS];
  local Shared* shared = memory + get_local_id(0) / MEMBERS;
  Private my;
  find_place(&my);
  const ulong s = THIS_SYSTEM;
  const bool active = s < batch;
  global NUMBER* lu = a + a_offset + s * a_stride;
  load_tile(lu, a_ld, n, active, &my);
  const int bad = eliminate(&my, n, 0, shared);
  barrier(CLK_GLOBAL_MEM_FENCE);  // rows are written where others have read theirs
  if (!active) return;
#pragma unroll
  for (uint r = 0; r < TILE; ++r)
#pragma unroll
    for (uint c = 0; c < TILE; ++c) {
      const uint j = my.tx + GRID * c;
      if (my.step[r] != NOT_YET && j < n) lu[(ulong)my.step[r] * a_ld + j] = my.a[r][c];
    }
  for (uint k = my.member; k < n; k += MEMBERS) permutation[s * n + k] = (int)shared->pivot_row[k];
  if (my.member == 0) info[s] = bad;
}

#elif KERNEL == 3
// X = U^-1 L^-1 P B with what batched_factor left.
kernel __attribute__((reqd_work_group_size(SYSTEMS * MEMBERS, 1, 1))) void batched_solve(
    global const NUMBER* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global const int* permutation, global NUMBER* b, const ulong b_offset, const uint b_ld,
    const ulong b_stride, const uint nrhs, const uint n, const ulong batch,
    global const int* info) {
  local Shared memory[SYSTEMS];
  local Shared* shared = memory + get_local_id(0) / MEMBERS;
  Private my;
  find_place(&my);
  const ulong s = THIS_SYSTEM;
  const bool active = s < batch;
  const uint first = (uint)get_group_id(1) * RHS, columns = min((uint)RHS, nrhs - first);
  global NUMBER* x = b + b_offset + s * b_stride + first;
  load_tile(a + a_offset + s * a_stride, a_ld, n, active, &my);
#pragma unroll
  for (uint r = 0; r < TILE; ++r) {
    const uint i = my.ty + GRID * r;
    my.step[r] = i < n ? i : NOT_YET;
    if (my.tx == my.ty && i < n) {
      shared->diagonal[i] = my.a[r][r];
      shared->pivot_row[i] = i;
    }
  }
  for (uint e = my.member; e < n * columns; e += MEMBERS) {
    const uint i = e / columns, c = e % columns;
    shared->y[i * RHS + c] = active ? x[(ulong)permutation[s * n + i] * b_ld + c] : (NUMBER)(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // as in batched_factor
  substitute_forward(&my, n, columns, shared);
  substitute_back(&my, n, columns, shared);
  if (active) store_columns(x, b_ld, n, columns, info[s] != 0, my.member, shared);
}
#else
#error "KERNEL must be 1, 2 or 3"
#endif
