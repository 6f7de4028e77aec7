// Row exchanges and the triangular solve with a diagonal block, on a strip of STRIP columns per
// work-group, portable OpenCL C 1.2.
//
// lu_swap_solve, for every column c of [0, columns) outside [hole_begin, hole_end):
//     B(:, c) = P B(:, c)                 rows j <-> pivots[pivot_offset + j] - row_base, j < block
//     B(0:block, c) = L^-1 B(0:block, c)  if `solve` and c >= hole_end (left of it lies L itself)
// block_solve:
//     B(0:block, :) = T^-1 B(0:block, :)   T unit lower (upper = 0) or upper (upper = 1)
//
// A strip of columns belongs to one work-group, which reads every row concerned before it writes
// one: LAPACK's laswp in a single pass. Which row comes to a position is traced backwards through
// the exchanges, every position by itself: `block` steps over local memory instead of a serial
// simulation. To solve, a work-item owns one row of the block (STRIP values in private memory), so
// block <= WG_SIZE. Blocks of DIAGONAL rows are substituted by a work-item a column. A zero on U's
// diagonal gives Inf or NaN, as in LAPACK.
//
// Everything in global memory is read and written with neighbours on neighbouring columns and
// transposed in local memory (`stage`) for the owner of the row.
//
//   t + t_offset  the block x block triangle; b + b_offset: the first element of B's first row;
//                 row-major, leading dimensions in elements
// KERNEL: which kernel is built, because each takes long to compile: 0 lu_swap_solve for exchanges
// alone (`solve` is ignored), 1 lu_swap_solve, 2 block_solve.
// NDRange: one dimension, local WG_SIZE, groups ceil(columns / STRIP).
// Local memory: (max(16, STRIP) + 1) * WG_SIZE + 32 * STRIP NUMBERs, 3 * WG_SIZE words: 41 KiB for
// f64, 256 rows; for exchanges alone the words.

#include "common.clh"
#include "numbers.clh"

#if !defined(WG_SIZE) || !defined(STRIP) || !defined(KERNEL)
#error "WG_SIZE, STRIP and KERNEL must be defined"
#endif
#define DIAGONAL 16
#if WG_SIZE % DIAGONAL != 0 || WG_SIZE % STRIP != 0
#error "WG_SIZE must be a multiple of 16 and of STRIP"
#endif
// Their addresses take registers: on an H200, f64, 16 loads leave room for one large work-group a
// unit, 8 for two.
#if WG_SIZE <= 64
#define LOADS_AT_ONCE 16
#else
#define LOADS_AT_ONCE 8
#endif
#define STAGE_LD ((STRIP > DIAGONAL ? STRIP : DIAGONAL) + 1)

// Where work-item id is on its k-th of `columns` turns through WG_SIZE rows of so many columns.
#define TURN_ROW(k, columns) ((k) * (WG_SIZE / (columns)) + get_local_id(0) / (columns))
#define TURN_COLUMN(columns) (get_local_id(0) % (columns))

#if KERNEL != 0

// The triangle's columns base .. from the diagonal block on, below or above, to the stage; zeros
// beyond.
static inline void stage_columns(const global NUMBER* t, uint ld, uint block, uint upper, uint base,
                                 local NUMBER* stage) {
  const uint column = base + TURN_COLUMN(DIAGONAL);
#pragma unroll LOADS_AT_ONCE
  for (uint k = 0; k < DIAGONAL; ++k) {
    const uint row = TURN_ROW(k, DIAGONAL);
    const bool in = upper ? row < base + DIAGONAL : row >= base;
    stage[row * STAGE_LD + TURN_COLUMN(DIAGONAL)] =
        in && row < block && column < block ? t[(ulong)row * ld + column] : (NUMBER)(0);
  }
}

// Column c of a diagonal block's right-hand sides, by substitution. Rows beyond the triangle are
// those of the identity.
static inline void substitute(const local NUMBER* diagonal, uint rows, uint upper,
                              const local NUMBER* right, local NUMBER* solved, uint c) {
  NUMBER r[DIAGONAL];
  UNROLLED
  for (uint i = 0; i < DIAGONAL; ++i) r[i] = right[i * STRIP + c];
  if (!upper) {
    UNROLLED
    for (uint k = 0; k < DIAGONAL; ++k) {
      UNROLLED
      for (uint i = 0; i < DIAGONAL; ++i)
        if (i > k) r[i] = minus_product(diagonal[i * STAGE_LD + k], r[k], r[i]);
    }
  } else {
    UNROLLED
    for (uint kk = 0; kk < DIAGONAL; ++kk) {
      const uint k = DIAGONAL - 1 - kk;
      if (k < rows) r[k] = quotient(r[k], diagonal[k * STAGE_LD + k]);
      UNROLLED
      for (uint i = 0; i < DIAGONAL; ++i)
        if (i < k) r[i] = minus_product(diagonal[i * STAGE_LD + k], r[k], r[i]);
    }
  }
  UNROLLED
  for (uint i = 0; i < DIAGONAL; ++i) solved[i * STRIP + c] = r[i];
}

// x (this work-item's row of the strip) becomes the solution's row; all work-items of the group
// take part.
static inline void solve_strip(const global NUMBER* t, uint ld, uint block, uint upper, NUMBER* x,
                               local NUMBER* stage, local NUMBER* right, local NUMBER* solved) {
  const uint id = get_local_id(0), steps = (block + DIAGONAL - 1) / DIAGONAL;
  for (uint step = 0; step < steps; ++step) {
    const uint base = (upper ? steps - 1 - step : step) * DIAGONAL;
    const bool owner = id >= base && id < base + DIAGONAL;
    stage_columns(t, ld, block, upper, base, stage);
    if (owner) {
      UNROLLED
      for (uint c = 0; c < STRIP; ++c) right[(id - base) * STRIP + c] = x[c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < STRIP) substitute(stage + base * STAGE_LD, block - base, upper, right, solved, id);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (owner) {
      UNROLLED
      for (uint c = 0; c < STRIP; ++c) x[c] = solved[(id - base) * STRIP + c];
    } else if (id < block && (upper ? id < base : id >= base + DIAGONAL)) {
      UNROLLED
      for (uint k = 0; k < DIAGONAL; ++k) {
        const NUMBER factor = stage[id * STAGE_LD + k];
        UNROLLED
        for (uint c = 0; c < STRIP; ++c) x[c] = minus_product(factor, solved[k * STRIP + c], x[c]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// This work-item's row of the stage to and from private memory, which everybody has written before
// and reads after.
static inline void take_row(const local NUMBER* stage, NUMBER* x) {
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint c = 0; c < STRIP; ++c) x[c] = stage[get_local_id(0) * STAGE_LD + c];
  barrier(CLK_LOCAL_MEM_FENCE);
}
static inline void give_row(const NUMBER* x, local NUMBER* stage) {
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint c = 0; c < STRIP; ++c) stage[get_local_id(0) * STAGE_LD + c] = x[c];
  barrier(CLK_LOCAL_MEM_FENCE);
}
// The rows of the stage to the first `block` rows of a strip, turn by turn.
static inline void write_stage(const local NUMBER* stage, global NUMBER* strip, uint ld,
                               uint block) {
#pragma unroll 1
  for (uint row = TURN_ROW(0, STRIP); row < block; row += WG_SIZE / STRIP)
    strip[(ulong)row * ld] = stage[row * STAGE_LD + TURN_COLUMN(STRIP)];
}

#define LOCAL_MEMORY_TO_SOLVE             \
  local NUMBER stage[WG_SIZE * STAGE_LD]; \
  local NUMBER right[DIAGONAL * STRIP], solved[DIAGONAL * STRIP];

#endif
#if KERNEL != 2

// The positions whose rows end at these two after all exchanges. Unrolled, for the pivots to be
// read before they are needed.
static inline uint2 trace_back(uint2 position, uint block, const local uint* pivot) {
#pragma unroll LOADS_AT_ONCE
  for (uint j = block; j-- > 0;) {
    const uint p = pivot[j];
    position.x = position.x == j ? p : (position.x == p ? j : position.x);
    position.y = position.y == j ? p : (position.y == p ? j : position.y);
  }
  return position;
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_swap_solve(
    const global NUMBER* t, ulong t_offset, uint t_ld, global NUMBER* b, ulong b_offset, uint b_ld,
    uint block, uint columns, uint hole_begin, uint hole_end, uint solve, const global int* pivots,
    ulong pivot_offset, uint row_base) {
  local uint pivot[WG_SIZE], source[WG_SIZE], displaced[WG_SIZE];
#if KERNEL == 1
  LOCAL_MEMORY_TO_SOLVE
#endif
  const uint id = get_local_id(0), first = get_group_id(0) * STRIP;
  pivot[id] = id < block ? (uint)pivots[pivot_offset + id] - row_base : 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  // The row that comes to this position of the block, and the one that comes to the position below
  // it that its exchange emptied.
  const uint2 from = trace_back((uint2)(id, pivot[id]), id < block ? block : 0u, pivot);
  source[id] = from.x;
  displaced[id] = from.y;
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint column = first + TURN_COLUMN(STRIP);
  const bool in = column < columns && (column < hole_begin || column >= hole_end);
  global NUMBER* strip = b + b_offset + column;
  NUMBER x[STRIP], y[STRIP];
  UNROLLED
  for (uint k = 0; k < STRIP; ++k) {
    const uint row = TURN_ROW(k, STRIP);
    const bool there = in && row < block;
    x[k] = there ? strip[(ulong)source[row] * b_ld] : (NUMBER)(0);
    y[k] = there && pivot[row] >= block ? strip[(ulong)displaced[row] * b_ld] : (NUMBER)(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if KERNEL == 1
  const bool solved_here = solve != 0 && column >= hole_end;
#else
  const bool solved_here = false;
#endif
  UNROLLED
  for (uint k = 0; k < STRIP; ++k) {
    const uint row = TURN_ROW(k, STRIP);
    const bool there = in && row < block;
    // Several exchanges with one row: each of their work-items writes the same.
    if (there && pivot[row] >= block) strip[(ulong)pivot[row] * b_ld] = y[k];
    if (there && !solved_here) strip[(ulong)row * b_ld] = x[k];
  }
#if KERNEL == 1
  if (solve != 0 && first + STRIP > hole_end) {
    UNROLLED
    for (uint k = 0; k < STRIP; ++k)
      stage[TURN_ROW(k, STRIP) * STAGE_LD + TURN_COLUMN(STRIP)] = x[k];
    take_row(stage, x);
    solve_strip(t + t_offset, t_ld, block, 0u, x, stage, right, solved);
    give_row(x, stage);
    if (in && solved_here) write_stage(stage, strip, b_ld, block);
  }
#endif
}

#else

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void block_solve(
    const global NUMBER* t, ulong t_offset, uint t_ld, global NUMBER* b, ulong b_offset, uint b_ld,
    uint block, uint columns, uint upper) {
  LOCAL_MEMORY_TO_SOLVE
  const uint column = get_group_id(0) * STRIP + TURN_COLUMN(STRIP);
  global NUMBER* strip = b + b_offset + column;
  NUMBER x[STRIP];
#pragma unroll 4
  for (uint row = TURN_ROW(0, STRIP); row < WG_SIZE; row += WG_SIZE / STRIP)
    stage[row * STAGE_LD + TURN_COLUMN(STRIP)] =
        column < columns && row < block ? strip[(ulong)row * b_ld] : (NUMBER)(0);
  take_row(stage, x);
  // Not called once for each triangle: with its barriers in two branches PoCL 3.1 gave wrong
  // answers.
  solve_strip(t + t_offset, t_ld, block, upper, x, stage, right, solved);
  give_row(x, stage);
  if (column < columns) write_stage(stage, strip, b_ld, block);
}

#endif
