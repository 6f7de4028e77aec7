// Many small systems on an NVIDIA device (inline PTX): X = A^-1 B with partial pivoting, n = SIZE
// <= 32, RHS right-hand sides at a time.
//
// A work-item keeps one row of [A | B] in registers; LANES of them, a sub-group or a part of one,
// are a system, so nothing waits for more than its own sub-group. Step k: arg-max of column k by
// reductions inside the sub-group, the owner writes the pivot row to local memory, and all read it
// back as a broadcast in words of 16 bytes (a quarter of the instructions that shuffles would
// take). Rows do not move: each remembers its step. L is not kept, B is eliminated along with A.
// COMPLEX 1 (0 if not defined): the numbers are complex; the pivot has the largest |re| + |im|.
//
// Arguments: a matrix of system s starts at offset + s * stride, rows ld apart, in elements; A is
// left as it is; info[s] = 0, or 1 + the first column whose pivot is exactly zero or not finite (a
// NaN counts as the largest magnitude); X is then NaN.
// NDRange: local SYSTEMS * LANES; dimension 0 has ceil(batch / SYSTEMS) groups, dimension 1 a group
// for every RHS right-hand sides, at least 1, each of which factors anew. Macros besides SIZE:
//   LANES    the power of 2 from SIZE on
//   RHS      a power of 2, at most LANES
//   SYSTEMS  a work-group's; SYSTEMS * LANES must be a multiple of 32
// Local memory: SYSTEMS * (LANES * (CHUNK + 1) + 2 * ROW) numbers, 20 KiB at 128 work-items, f64,
// SIZE 32 and RHS 1, 39 KiB in complex numbers.

#include "common.clh"
#include "numbers.clh"
#include "ptx.clh"
#include "numbers_ptx.clh"

#if !defined(SIZE) || !defined(LANES) || !defined(SYSTEMS) || !defined(RHS)
#error "SIZE, LANES, SYSTEMS and RHS must be defined"
#endif
#if SIZE > LANES || LANES > 32 || RHS > LANES || SYSTEMS * LANES % 32 != 0
#error "SIZE <= LANES <= 32, RHS <= LANES, and whole sub-groups"
#endif

#if REAL_BITS == 64
#define BITS ulong
#define BITS_OF(v) (as_ulong(size_of(v)) & 0x7fffffffffffffffUL)
#define REAL_OF(bits) as_double(bits)
#define FRACTION_BITS 52
#define LARGEST_EXPONENT 2046u
#define PACK double2
#else
#define BITS uint
#define BITS_OF(v) (as_uint(size_of(v)) & 0x7fffffffu)
#define REAL_OF(bits) as_float(bits)
#define FRACTION_BITS 23
#define LARGEST_EXPONENT 254u
#define PACK float4
#endif
#define PER_PACK (16 / ((COMPLEX + 1) * REAL_BITS / 8))  // numbers of 16 bytes
#define CHUNK (LANES < 16 ? LANES : 16)                  // columns that are staged at once
#define WIDTH (RHS < CHUNK ? RHS : CHUNK)                // the same of B
#define PACKS_OF(numbers) (((numbers) + PER_PACK - 1) / PER_PACK)
#define ROW ((PACKS_OF(SIZE + RHS) + 1) * PER_PACK)  // apart: an odd number of packs for most sizes
#define NOT_YET 0xffffu

typedef struct {
  NUMBER row[2][ROW]
      __attribute__((aligned(16)));  // of [A | B], from column k on, or of X; by turns
  NUMBER stage[LANES * (CHUNK + 1)];
} Shared;

// What a work-item knows of its row of [A | B].
typedef struct {
  NUMBER a[SIZE], y[RHS];
  uint lane, step;  // step: at which it is the pivot row
  REAL scale;       // of its pivot, whose reciprocal is scale * inverse
  NUMBER inverse;
  int bad;  // of the system: info
} Row;

// A power of 2 that brings a number of this size close to 1, if it is not subnormal.
INLINE REAL scale_of(const BITS size) {
  const uint exponent =
      min(max((uint)(size >> FRACTION_BITS), (uint)1), (uint)LARGEST_EXPONENT - 1);
  return REAL_OF((BITS)(LARGEST_EXPONENT - exponent) << FRACTION_BITS);
}

// The lane, counted inside the system, with the largest key, which becomes the key; the first among
// equals.
INLINE uint lane_of_largest(BITS* key) {
#if LANES == 32 && REAL_BITS == 64
  const uint high = (uint)(*key >> 32), top = sub_group_largest(high);
  const uint low = high == top ? (uint)*key : 0u, rest = sub_group_largest(low);
  const uint winners = sub_group_votes(high == top && low == rest);
  *key = (BITS)top << 32 | rest;
#elif LANES == 32
  const uint top = sub_group_largest(*key), winners = sub_group_votes(*key == top);
  *key = top;
#else
  BITS best = *key;
#pragma unroll
  for (uint distance = LANES / 2; distance > 0; distance /= 2) {
#if REAL_BITS == 64
    const uint low = sub_group_xor((uint)best, distance),
               high = sub_group_xor((uint)(best >> 32), distance);
    const BITS other = (ulong)high << 32 | low;
#else
    const BITS other = sub_group_xor(best, distance);
#endif
    best = max(best, other);
  }
  const uint first = get_local_id(0) % 32 / LANES * LANES;
  const uint winners = sub_group_votes(*key == best) >> first & ((1u << LANES) - 1);
  *key = best;
#endif
  return 31 - clz(winners & (0 - winners));
}

// Columns, steps and packs by name: as loops they may be unrolled too late for the rows to become
// registers.
// clang-format off
#define EACH_STAGED(f) \
  f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define EACH_STEP(f) \
  EACH_STAGED(f) \
  f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define EACH_PACK(f) \
  EACH_STEP(f) \
  f(32) f(33) f(34) f(35) f(36) f(37) f(38) f(39) f(40) f(41) f(42) f(43) f(44) f(45) f(46) f(47) \
  f(48) f(49) f(50) f(51) f(52) f(53) f(54) f(55) f(56) f(57) f(58) f(59) f(60) f(61) f(62) f(63)
// clang-format on

#define GIVE(j)                         \
  if (j < width && my->step != NOT_YET) \
    shared->stage[my->step * (CHUNK + 1) + j] = my->bad != 0 ? (NUMBER)(NAN) : my->y[first + j];

// Columns [first, first + width) of row `lane` of a matrix, read along rows by all lanes and turned
// in local memory: those before `end` of it, those before `places` to `row`. width: a power of 2.
INLINE void load_columns(global const NUMBER* m, const uint ld, const uint lane, const uint first,
                         const uint width, const uint end, const uint places, local Shared* shared,
                         NUMBER* row) {
  const uint column = first + lane % width;
#pragma unroll 8
  for (uint i = lane / width; i < SIZE; i += LANES / width)
    shared->stage[i * (CHUNK + 1) + lane % width] =
        column < end ? m[(ulong)i * ld + column] : (NUMBER)(0);
  SUB_GROUP_SYNC();
#pragma unroll
  for (uint j = 0; j < width; ++j)
    if (first + j < places)
      row[first + j] = lane < SIZE ? shared->stage[lane * (CHUNK + 1) + j] : (NUMBER)(0);
  SUB_GROUP_SYNC();
}

// The same back, of the rows of X.
INLINE void store_columns(global NUMBER* m, const uint ld, const Row* my, const uint first,
                          const uint width, const uint end, local Shared* shared) {
  const uint column = first + my->lane % width;
  EACH_STAGED(GIVE)
  SUB_GROUP_SYNC();
#pragma unroll 8
  for (uint i = my->lane / width; i < SIZE; i += LANES / width)
    if (column < end) m[(ulong)i * ld + column] = shared->stage[i * (CHUNK + 1) + my->lane % width];
  SUB_GROUP_SYNC();
}

// Of pack q: its numbers are element(j), or go to take(j, number).
#if COMPLEX && REAL_BITS == 64
#define FILL(q, element) packs[q] = element(q);
#define EMPTY(q, take)     \
  const PACK u = packs[q]; \
  take(q, u)
#elif COMPLEX
#define FILL(q, element)      \
  PACK u;                     \
  u.x = element(2 * q).x;     \
  u.y = element(2 * q).y;     \
  u.z = element(2 * q + 1).x; \
  u.w = element(2 * q + 1).y; \
  packs[q] = u;
#define EMPTY(q, take)     \
  const PACK u = packs[q]; \
  take(2 * q, NUMBER_OF(u.x, u.y)) take(2 * q + 1, NUMBER_OF(u.z, u.w))
#elif REAL_BITS == 64
#define FILL(q, element)    \
  PACK u;                   \
  u.x = element(2 * q);     \
  u.y = element(2 * q + 1); \
  packs[q] = u;
#define EMPTY(q, take)     \
  const PACK u = packs[q]; \
  take(2 * q, u.x) take(2 * q + 1, u.y)
#else
#define FILL(q, element)    \
  PACK u;                   \
  u.x = element(4 * q);     \
  u.y = element(4 * q + 1); \
  u.z = element(4 * q + 2); \
  u.w = element(4 * q + 3); \
  packs[q] = u;
#define EMPTY(q, take)     \
  const PACK u = packs[q]; \
  take(4 * q, u.x) take(4 * q + 1, u.y) take(4 * q + 2, u.z) take(4 * q + 3, u.w)
#endif

// Element j of [A | B]; A_AT and Y_AT keep an index that is never used inside the arrays.
#define A_AT(j) my->a[(j) < SIZE ? (j) : 0]
#define Y_AT(j) my->y[(j) < RHS ? (j) : 0]
#define ROW_ELEMENT(j) ((j) < SIZE ? A_AT(j) : (j) < SIZE + RHS ? Y_AT((j)-SIZE) : (NUMBER)(0))
#define ROW_UPDATE(j, u)                    \
  if ((j) > k && (j) < SIZE)                \
    A_AT(j) = minus_product(l, u, A_AT(j)); \
  else if ((j) >= SIZE && (j) < SIZE + RHS) \
    Y_AT((j)-SIZE) = minus_product(l, u, Y_AT((j)-SIZE));
#define X_ELEMENT(j) ((j) < RHS ? Y_AT(j) : (NUMBER)(0))
#define X_UPDATE(j, u) \
  if ((j) < RHS) Y_AT(j) = minus_product(my->a[k], u, Y_AT(j));

#define FILL_ROW(q)                                    \
  if (q >= k / PER_PACK && q < PACKS_OF(SIZE + RHS)) { \
    FILL(q, ROW_ELEMENT)                               \
  }
#define UPDATE_ROW(q)                                        \
  if (q >= (k + 1) / PER_PACK && q < PACKS_OF(SIZE + RHS)) { \
    EMPTY(q, ROW_UPDATE)                                     \
  }
#define FILL_X(q)          \
  if (q < PACKS_OF(RHS)) { \
    FILL(q, X_ELEMENT)     \
  }
#define EMPTY_X(q)         \
  if (q < PACKS_OF(RHS)) { \
    EMPTY(q, X_UPDATE)     \
  }
#define PUBLISH_X EACH_STEP(FILL_X)
#define UPDATE_X EACH_STEP(EMPTY_X)

INLINE void eliminate(Row* my, const uint k, local Shared* shared) {
  const bool left = my->step == NOT_YET && my->lane < SIZE;
  BITS key = left ? BITS_OF(my->a[k]) + 1 : (BITS)0;
  const uint p = lane_of_largest(&key);
  local PACK* packs = (local PACK*)shared->row[k & 1];
  if (my->lane == p) {
    EACH_PACK(FILL_ROW)
  }
  SUB_GROUP_SYNC();
  const NUMBER pivot = shared->row[k & 1][k];
  const BITS size = key - 1;
  const bool usable = size > 0 && size < BITS_OF((NUMBER)(INFINITY));
  if (my->bad == 0 && !usable) my->bad = (int)k + 1;
  const REAL scale = scale_of(size);
  const NUMBER inverse = plain_reciprocal(pivot * scale);
  if (my->lane == p) {
    my->step = k;
    my->scale = scale;
    my->inverse = inverse;
  }
  if (k + 1 == SIZE) return;
  const NUMBER l = my->step == NOT_YET ? product(my->a[k] * scale, inverse) : (NUMBER)(0);
  EACH_PACK(UPDATE_ROW)
}

// Row k of X from U X = Y.
INLINE void substitute(Row* my, const uint k, local Shared* shared) {
  // Not the row that the last step of the elimination may still be read from.
  local PACK* packs = (local PACK*)shared->row[(k + 1) & 1];
  if (my->step == k) {
#pragma unroll
    for (uint c = 0; c < RHS; ++c) my->y[c] = product(my->y[c] * my->scale, my->inverse);
    if (k > 0) {
      PUBLISH_X
    }
  }
  if (k == 0) return;
  SUB_GROUP_SYNC();
  if (my->step < k) {  // the others keep their X, also beside one that overflows
    UPDATE_X
  }
}

#define ELIMINATE(k) \
  if (k < SIZE) eliminate(&my, k < SIZE ? k : 0, shared);
#define SUBSTITUTE(kk) \
  if (kk < SIZE) substitute(&my, kk < SIZE ? SIZE - 1 - kk : 0, shared);

kernel __attribute__((reqd_work_group_size(SYSTEMS * LANES, 1, 1))) void batched_factor_and_solve(
    global const NUMBER* restrict a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global NUMBER* restrict b, const ulong b_offset, const uint b_ld, const ulong b_stride,
    const uint nrhs, const ulong batch, global int* restrict info) {
  local Shared memory[SYSTEMS];
  local Shared* shared = memory + get_local_id(0) / LANES;
  const uint lane = get_local_id(0) % LANES, first = (uint)get_group_id(1) * RHS;
  const ulong s = (ulong)get_group_id(0) * SYSTEMS + get_local_id(0) / LANES;
  const bool active = s < batch;
  const uint rows = active ? SIZE : 0, columns = active ? min((uint)RHS, nrhs - first) : 0;
  a += a_offset + s * a_stride;
  b += b_offset + s * b_stride + first;
  Row my;
  load_columns(a, a_ld, lane, 0, CHUNK, rows, SIZE, shared, my.a);
  if (SIZE > CHUNK) load_columns(a, a_ld, lane, CHUNK, CHUNK, rows, SIZE, shared, my.a);
#if RHS == 1
  my.y[0] = lane < rows && columns > 0 ? b[(ulong)lane * b_ld] : (NUMBER)(0);
#else
  load_columns(b, b_ld, lane, 0, WIDTH, columns, RHS, shared, my.y);
  if (RHS > WIDTH) load_columns(b, b_ld, lane, WIDTH, WIDTH, columns, RHS, shared, my.y);
#endif
  my.lane = lane;
  my.step = NOT_YET;
  my.scale = 0;
  my.inverse = (NUMBER)(0);
  my.bad = 0;
  EACH_STEP(ELIMINATE)
  EACH_STEP(SUBSTITUTE)  // the last unknown first
#if RHS == 1
  if (lane < rows && columns > 0) b[(ulong)my.step * b_ld] = my.bad != 0 ? (NUMBER)(NAN) : my.y[0];
#else
  store_columns(b, b_ld, &my, 0, WIDTH, columns, shared);
  if (RHS > WIDTH) store_columns(b, b_ld, &my, WIDTH, WIDTH, columns, shared);
#endif
  if (active && lane == 0) info[s] = my.bad;
}
