// Many small systems on an NVIDIA device (inline PTX): x = A^-1 b with partial pivoting, n = SIZE
// <= 32, one right-hand side a system.
//
// A work-item keeps one row of [A | b] in registers; LANES of them, a sub-group or a part of one,
// are a system, so nothing waits for more than its own sub-group. Step k: arg-max of column k by
// reductions inside the sub-group, the owner writes the pivot row to local memory, and all read it
// back as a broadcast in words of 16 bytes (a quarter of the instructions that shuffles would
// take). Rows do not move: each remembers its step. L is not kept, b is eliminated along with A.
//
// Arguments: a matrix of system s starts at offset + s * stride, rows ld apart, in elements; A is
// left as it is; info[s] = 0, or 1 + the first column whose pivot is exactly zero or not finite (a
// NaN counts as the largest magnitude); x is then NaN.
// NDRange: one dimension, local SYSTEMS * LANES, ceil(batch / SYSTEMS) groups. Macros besides SIZE:
//   LANES    the power of 2 from SIZE on
//   SYSTEMS  a work-group's; SYSTEMS * LANES must be a multiple of 32
// Local memory: SYSTEMS * (LANES * (CHUNK + 1) + 2 * ROW + LANES) scalars, about 20 KiB at 128
// work-items, f64.

#include "common.clh"
#include "ptx.clh"

#if !defined(SIZE) || !defined(LANES) || !defined(SYSTEMS)
#error "SIZE, LANES and SYSTEMS must be defined"
#endif
#if SIZE > LANES || LANES > 32 || SYSTEMS * LANES % 32 != 0
#error "SIZE <= LANES <= 32, and whole sub-groups"
#endif

#if REAL_BITS == 64
#define PACK double2
#define PER_PACK 2
#define BITS ulong
#define BITS_OF(v) (as_ulong(v) & 0x7fffffffffffffffUL)
#else
#define PACK float4
#define PER_PACK 4
#define BITS uint
#define BITS_OF(v) (as_uint(v) & 0x7fffffffu)
#endif
#define CHUNK (LANES < 16 ? LANES : 16)               // columns of A that are staged at once
#define PACKS ((SIZE + 1 + PER_PACK - 1) / PER_PACK)  // of a row of [A | b]
#define ROW ((PACKS + 1) * PER_PACK)  // apart: an odd number of packs for most sizes
#define NOT_YET 0xffffu

typedef struct {
  REAL row[2][ROW]
      __attribute__((aligned(16)));  // the pivot row from column k on, and its y; by turns
  REAL x[LANES];
  REAL stage[LANES * (CHUNK + 1)];
} Shared;

// The lane, counted inside the system, with the largest key; the first among equals.
INLINE uint lane_of_largest(const BITS key) {
#if LANES == 32 && REAL_BITS == 64
  const uint high = (uint)(key >> 32), top = sub_group_largest(high);
  const uint low = high == top ? (uint)key : 0u, rest = sub_group_largest(low);
  const uint winners = sub_group_votes(high == top && low == rest);
#elif LANES == 32
  const uint winners = sub_group_votes(key == sub_group_largest(key));
#else
  BITS best = key;
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
  const uint winners = sub_group_votes(key == best) >> first & ((1u << LANES) - 1);
#endif
  return 31 - clz(winners & (0 - winners));
}

// Columns [first, first + CHUNK) of row `lane` of A, read along rows by all lanes and turned in
// local memory.
INLINE void load_chunk(global const REAL* a, const uint ld, const bool active, const uint lane,
                       const uint first, local Shared* shared, REAL* row) {
  const uint column = first + lane % CHUNK;
#pragma unroll 8
  for (uint i = lane / CHUNK; i < SIZE; i += LANES / CHUNK)
    shared->stage[i * (CHUNK + 1) + lane % CHUNK] =
        active && column < SIZE ? a[(ulong)i * ld + column] : (REAL)0;
  SUB_GROUP_SYNC();
#pragma unroll
  for (uint j = 0; j < CHUNK; ++j)
    if (first + j < SIZE)
      row[first + j] = lane < SIZE ? shared->stage[lane * (CHUNK + 1) + j] : (REAL)0;
  SUB_GROUP_SYNC();
}

// What a work-item knows of its row of [A | b].
typedef struct {
  REAL a[SIZE], y;
  uint lane, step;      // step: at which it is the pivot row
  REAL scale, inverse;  // of its pivot
  int bad;              // of the system: info
} Row;

// Element j of [A | b]; IN_ROW keeps an index that is never used inside the array.
#define IN_ROW(j) ((j) < SIZE ? (j) : 0)
#define ELEMENT(j) ((j) < SIZE ? my->a[IN_ROW(j)] : (j) == SIZE ? my->y : (REAL)0)
#define UPDATE(j, u)                                 \
  if ((j) > k && (j) < SIZE)                         \
    my->a[IN_ROW(j)] = fma(-l, u, my->a[IN_ROW(j)]); \
  else if ((j) == SIZE)                              \
    my->y = fma(-l, u, my->y);

// Steps and packs by name: as loops they may be unrolled too late for the rows to become registers.
// clang-format off
#define EACH_PACK(f) \
  f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16)
#define EACH_STEP(f) \
  EACH_PACK(f) f(17) f(18) f(19) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29) \
  f(30) f(31)
// clang-format on
#if REAL_BITS == 64
#define ELEMENTS(q) (PACK)(ELEMENT(2 * q), ELEMENT(2 * q + 1))
#define UPDATES(q, u) \
  UPDATE(2 * q, u.s0) \
  UPDATE(2 * q + 1, u.s1)
#else
#define ELEMENTS(q) \
  (PACK)(ELEMENT(4 * q), ELEMENT(4 * q + 1), ELEMENT(4 * q + 2), ELEMENT(4 * q + 3))
#define UPDATES(q, u)     \
  UPDATE(4 * q, u.s0)     \
  UPDATE(4 * q + 1, u.s1) \
  UPDATE(4 * q + 2, u.s2) \
  UPDATE(4 * q + 3, u.s3)
#endif
#define PUBLISH_PACK(q) \
  if (q >= k / PER_PACK && q < PACKS) packs[q] = ELEMENTS(q);
#define UPDATE_PACK(q)                  \
  if (q >= k / PER_PACK && q < PACKS) { \
    const PACK u = packs[q];            \
    UPDATES(q, u)                       \
  }

INLINE void eliminate(Row* my, const uint k, local Shared* shared) {
  const bool left = my->step == NOT_YET && my->lane < SIZE;
  const uint p = lane_of_largest(left ? BITS_OF(my->a[k]) + 1 : (BITS)0);
  local PACK* packs = (local PACK*)shared->row[k & 1];
  if (my->lane == p) {
    EACH_PACK(PUBLISH_PACK)
  }
  SUB_GROUP_SYNC();
  const REAL pivot = shared->row[k & 1][k], size = fabs(pivot);
  if (my->bad == 0 && !(size > 0 && size < (REAL)INFINITY)) my->bad = (int)k + 1;
  // The reciprocal of a subnormal number would overflow.
  const REAL scale = size < REAL_MIN_NORMAL ? (REAL)SCALE : (REAL)1;
  const REAL inverse = size > 0 ? 1 / (pivot * scale) : (REAL)0;
  if (my->lane == p) {
    my->step = k;
    my->scale = scale;
    my->inverse = inverse;
  }
  const REAL l = my->step == NOT_YET ? my->a[k] * scale * inverse : (REAL)0;
  EACH_PACK(UPDATE_PACK)
}

// Unknown k of U x = y.
INLINE void substitute(Row* my, const uint k, local Shared* shared) {
  if (my->step == k) shared->x[k] = my->y * my->scale * my->inverse;
  SUB_GROUP_SYNC();
  if (my->step < k) my->y = fma(-my->a[k], shared->x[k], my->y);
}

#define ELIMINATE(k) \
  if (k < SIZE) eliminate(&my, IN_ROW(k), shared);
#define SUBSTITUTE(kk) \
  if (kk < SIZE) substitute(&my, kk < SIZE ? SIZE - 1 - kk : 0, shared);

kernel __attribute__((reqd_work_group_size(SYSTEMS * LANES, 1, 1))) void batched_factor_and_solve(
    global const REAL* restrict a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global REAL* restrict b, const ulong b_offset, const uint b_ld, const ulong b_stride,
    const ulong batch, global int* restrict info) {
  local Shared memory[SYSTEMS];
  local Shared* shared = memory + get_local_id(0) / LANES;
  const uint lane = get_local_id(0) % LANES;
  const ulong s = (ulong)get_group_id(0) * SYSTEMS + get_local_id(0) / LANES;
  const bool active = s < batch, has_row = active && lane < SIZE;
  global REAL* x = b + b_offset + s * b_stride + (ulong)lane * b_ld;
  Row my;
  a += a_offset + s * a_stride;
  load_chunk(a, a_ld, active, lane, 0, shared, my.a);
  if (SIZE > CHUNK) load_chunk(a, a_ld, active, lane, CHUNK, shared, my.a);
  my.y = has_row ? *x : (REAL)0;
  my.lane = lane;
  my.step = NOT_YET;
  my.scale = my.inverse = 0;
  my.bad = 0;
  EACH_STEP(ELIMINATE)
  EACH_STEP(SUBSTITUTE)  // the last unknown first
  if (has_row) *x = my.bad != 0 ? (REAL)NAN : shared->x[lane];
  if (active && lane == 0) info[s] = my.bad;
}
