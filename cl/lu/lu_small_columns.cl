// A x = b with partial pivoting by one work-group, for NVIDIA (inline PTX), n <= MOST_N: one
// system, or one of many. The elimination is that of lu_columns.clh, with b as one more column; the
// substitution is one sub-group's, by the columns of U.
//
// lu_small: the arguments and results of lu_small.cl, with one right-hand side at most.
// batched_factor_and_solve: the arguments, but for nrhs, and results of batched_ptx.cl, n = SIZE; a
// group a system. COMPLEX 1 (0 if not defined) is for this kernel only.
// NDRange: one dimension, local SUB_GROUPS * 32. MOST_N (of SIZE, where that is given) is a
// multiple of 32, at most 128, and SUB_GROUPS at least MOST_N / 8. KERNEL: which of the two is
// built.
// Local memory: MOST_N * (MOST_N + 7) numbers and some words: 35 KiB for f64 and 64, 134 KiB for
// 128.

#ifdef SIZE  // code for one n: 8 % less time
#define MOST_N ((SIZE + 31) / 32 * 32)
#endif
#if !defined(MOST_N) || !defined(SUB_GROUPS) || !defined(KERNEL) || MOST_N % 32 != 0 || MOST_N > 128
#error "MOST_N, a multiple of 32 up to 128, SUB_GROUPS and KERNEL must be defined"
#endif
#define LANE_ROWS (MOST_N / 32)
#define COLUMNS ((MOST_N + SUB_GROUPS) / SUB_GROUPS)  // of A and b
#define U_ROWS MOST_N
#define U_LD (MOST_N + 1)  // odd: neighbouring rows lie in different banks
#include "common.clh"
#include "numbers.clh"
#include "ptx.clh"
#include "numbers_ptx.clh"
#include "lu_columns.clh"

#if COMPLEX && REAL_BITS == 64
#define COPY_NUMBER(to, from) COPY_ASYNC(ca, 16, local_address(to), from)
#elif COMPLEX || REAL_BITS == 64
#define COPY_NUMBER(to, from) COPY_ASYNC(ca, 8, local_address(to), from)
#else
#define COPY_NUMBER(to, from) COPY_ASYNC(ca, 4, local_address(to), from)
#endif

// [A | b] to the registers, by way of u. b: 0 for none.
INLINE void load_system(Columns* my, const uint n, global const NUMBER* a, const uint a_ld,
                        global const NUMBER* b, const uint b_ld, local Shared* x) {
  const uint id = get_local_id(0);
  my->sub = id / 32;
  my->lane = id % 32;
  my->used = 0;
  my->full = my->sub + SUB_GROUPS * (COLUMNS - 1) <= n;
  start(my, x);
  for (uint i = my->sub; i < n; i += SUB_GROUPS)
    for (uint j = my->lane; j < n; j += 32)
      COPY_NUMBER(x->u + i * U_LD + j, a + (ulong)i * a_ld + j);
  COMMIT_COPIES();
  if (id < n) x->u[id * U_LD + n] = b != 0 ? b[(ulong)id * b_ld] : (NUMBER)(0);
  WAIT_COPIES(0);
  GROUP_SYNC();
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    const uint row = 32 * i + my->lane;
    if (row >= n) my->used |= 1u << i;
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c) {
      const uint column = my->sub + SUB_GROUPS * c;
      my->r[c][i] = row < n && column <= n ? x->u[row * U_LD + column] : (NUMBER)(0);
    }
  }
  GROUP_SYNC();
}

// x of U x = y by one sub-group, both by rows lane + 32 i; y is column n of u. Returns 0, or 1 +
// the first column whose pivot is zero or not finite. The rows take turns at the last place of x,
// where they are solved for: one text does for all places.
INLINE int substitute(const local NUMBER* u, const uint n, const uint lane, NUMBER* x) {
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    const uint row = 32 * i + lane;
    x[i] = row < n ? u[row * U_LD + n] : (NUMBER)(0);
  }
  int info = 0;
#pragma unroll 1
  for (uint turn = 0; turn < LANE_ROWS; ++turn) {
    const uint first = 32 * (LANE_ROWS - 1 - turn), steps = n > first ? min(32u, n - first) : 0u;
    const NUMBER pivot = lane < steps ? u[(first + lane) * (U_LD + 1)] : ONE;
    const REAL size = fabs(size_of(pivot));
    const uint bad = sub_group_votes(!(size > 0 && size < (REAL)INFINITY));
    if (bad != 0) info = (int)first + 32 - (int)clz(bad & (0 - bad));
    const REAL scale = scale_for(size);
    const NUMBER inverse = reciprocal(pivot * scale);
    NUMBER* mine = x + LANE_ROWS - 1;
    for (uint k = steps; k-- > 0;) {
      const NUMBER found = number_from(product(*mine * scale, inverse), k);
      const local NUMBER* column = u + first + k + lane * U_LD;
      UNROLLED
      for (uint i = 0; i + 1 < LANE_ROWS; ++i)
        if (i >= turn) x[i] = minus_product(column[32 * (i - turn) * U_LD], found, x[i]);
      if (lane < k) *mine = minus_product(column[first * U_LD], found, *mine);
    }
    const NUMBER solved = product(*mine * scale, inverse);
    UNROLLED
    for (uint i = LANE_ROWS - 1; i > 0; --i) x[i] = x[i - 1];
    x[0] = solved;
  }
  return info;
}

// x to where b was, NaN if there is none. Returns what substitute() does.
INLINE int store_solution(const Columns* my, const uint n, global NUMBER* b, const uint b_ld,
                          const local Shared* x) {
  NUMBER found[LANE_ROWS];
  const int bad = substitute(x->u, n, my->lane, found);
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    const uint row = 32 * i + my->lane;
    if (row < n && b != 0) b[(ulong)row * b_ld] = bad != 0 ? (NUMBER)(NAN) : found[i];
  }
  return bad;
}

#if KERNEL == 1
kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_small(
    global REAL* restrict a, ulong a_offset, uint a_ld, uint n, global REAL* restrict b,
    ulong b_offset, uint b_ld, uint nrhs, global int* restrict pivots, ulong pivot_offset,
    volatile global int* restrict info) {
  local Shared shared;
  Columns my;
  global REAL* x = nrhs > 0 ? b + b_offset : 0;
  a += a_offset;
  load_system(&my, n, a, a_ld, x, b_ld, &shared);
  eliminate(&my, n, n, &shared);
  GROUP_SYNC();
  const uint id = get_local_id(0);
  if (my.sub == 0) (void)store_solution(&my, n, x, b_ld, &shared);
  if (id < n) {
    pivots[pivot_offset + id] = (int)shared.exchanged[id];
    if (!(fabs(shared.u[id * U_LD + id]) > 0)) atomic_min(info, (int)id);
  }
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    const uint row = 32 * i + my.lane, position = row < n ? shared.position_of[row] : 0u;
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c)
      if (my.sub + SUB_GROUPS * c < position)
        shared.u[position * U_LD + my.sub + SUB_GROUPS * c] = my.r[c][i];
  }
  GROUP_SYNC();
  for (uint i = my.sub; i < n; i += SUB_GROUPS)
    for (uint j = my.lane; j < n; j += 32) a[(ulong)i * a_ld + j] = shared.u[i * U_LD + j];
}
#elif KERNEL == 2
kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void batched_factor_and_solve(
    global const NUMBER* restrict a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global NUMBER* restrict b, const ulong b_offset, const uint b_ld, const ulong b_stride,
    const ulong batch, global int* restrict info) {
  local Shared shared;
  Columns my;
  const uint n = SIZE;
  const ulong s = get_group_id(0);
  global NUMBER* x = b + b_offset + s * b_stride;
  load_system(&my, n, a + a_offset + s * a_stride, a_ld, x, b_ld, &shared);
  eliminate(&my, n, n, &shared);
  GROUP_SYNC();
  if (my.sub == 0) {
    const int bad = store_solution(&my, n, x, b_ld, &shared);
    if (my.lane == 0) info[s] = bad;
  }
}
#else
#error "KERNEL must be 1 or 2"
#endif
