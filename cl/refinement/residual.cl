// r = b - A x, and d = |b| + |A| |x| that it is measured against, for several right-hand sides: A
// is read once for RHS of them.
//
//   r[c n + i] = b_ci - sum_j a_ij x_cj,   d[c n + i] = |b_ci| + sum_j |a_ij| |x_cj|
//
// A: n x columns, row-major, at a + offset, ld. X, B, R and D lie transposed, a right-hand side a
// contiguous row of n, of X of `columns`; those from `first` on are meant.
//
// Macros, all required, besides REAL_BITS of common.clh:
//   WG_SIZE    work-items that share a row, a power of two; 1 where a work-item is a core
//   VEC_WIDTH  elements of a vector: 1, 2, 4, 8 or 16
//   RHS        right-hand sides: 1, 2 or 4
//   ACCURATE   0: ordinary sums. 1: the sum of r in double-double (Dot2), rounded once: |r - exact|
//              <= u |exact| + 2 (n + 2)^2 u^2 d, and for every product below the smallest denormal
//              number over u another half of that number
//   X_PARTS    1, or 2: x is x + x_lo, with |x_lo| <= u |x|; for ACCURATE 1
//   USE_FMA    1 where fma() is an instruction, 0 where ordinary sums had better do without
//
// NDRange: n groups of WG_SIZE, a row each; with WG_SIZE 1 a work-item does `rows` rows one after
// the other. (Groups have no loop over rows: rusticl's compiler warns, on the user's terminal, of
// arguments that are read in one.) Local memory: 3 * WG_SIZE * RHS elements, none with WG_SIZE 1.

#include "vectors.clh"

#include "double_double.clh"

#if !defined(WG_SIZE) || !defined(VEC_WIDTH) || !defined(RHS) || !defined(ACCURATE) || \
    !defined(X_PARTS) || !defined(USE_FMA)
#error "WG_SIZE, VEC_WIDTH, RHS, ACCURATE, X_PARTS and USE_FMA must be defined"
#endif
#if X_PARTS == 2 && !ACCURATE
#error "X_PARTS 2 is for ACCURATE 1"
#endif

#if RHS == 1
#define EACH_RHS(f) f(0)
#elif RHS == 2
#define EACH_RHS(f) f(0) f(1)
#elif RHS == 4
#define EACH_RHS(f) f(0) f(1) f(2) f(3)
#else
#error "RHS must be 1, 2 or 4"
#endif

DEFINE_DOUBLE_DOUBLE(REAL)
#if VEC_WIDTH > 1
DEFINE_DOUBLE_DOUBLE(VEC)
#endif
#define SUM_OF(T) PASTE(dd_, T)

// s <- s + a b; an ordinary sum leaves s.lo at 0.
#if ACCURATE
#define ADD_PRODUCT(T, s, a, b) s = PASTE(dd_add_product_, T)(s, a, b);
#else
#define ADD_PRODUCT(T, s, a, b) s.hi = MULADD(a, b, s.hi);
#endif
#if X_PARTS == 2
#define ADD_LOW_PRODUCT(s, a, load, at) s.lo = fma(a, load(x_lo + (at)), s.lo);
#else
#define ADD_LOW_PRODUCT(s, a, load, at)
#endif

#define AT(c) ((ulong)(first + c) * n)
#define X_AT(c) ((ulong)(first + c) * columns)
#define DECLARE(c)                             \
  SUM_OF(VEC) wide_##c = {(VEC)(0), (VEC)(0)}; \
  VEC wide_size_##c = (VEC)(0);
#define STEP(c)                                                  \
  {                                                              \
    const VEC v = VLOAD(x + X_AT(c) + j);                        \
    ADD_PRODUCT(VEC, wide_##c, entry, v)                         \
    ADD_LOW_PRODUCT(wide_##c, entry, VLOAD, X_AT(c) + j)         \
    wide_size_##c = MULADD(fabs(entry), fabs(v), wide_size_##c); \
  }
// The lanes of a vector, one after the other.
#define FOLD(c)                                                    \
  REAL hi_##c[VEC_WIDTH], lo_##c[VEC_WIDTH], sizes_##c[VEC_WIDTH]; \
  VSTORE(wide_##c.hi, hi_##c);                                     \
  VSTORE(wide_##c.lo, lo_##c);                                     \
  VSTORE(wide_size_##c, sizes_##c);                                \
  SUM_OF(REAL) sum_##c = {0, 0};                                   \
  REAL size_##c = 0;                                               \
  for (uint lane = 0; lane < VEC_WIDTH; ++lane) {                  \
    const SUM_OF(REAL) of_lane = {hi_##c[lane], lo_##c[lane]};     \
    sum_##c = PASTE(dd_add_, REAL)(sum_##c, of_lane);              \
    size_##c += sizes_##c[lane];                                   \
  }
#define LOAD(p) (*(p))
#define LAST_STEP(c)                                   \
  {                                                    \
    const REAL v = x[X_AT(c) + j];                     \
    ADD_PRODUCT(REAL, sum_##c, entry, v)               \
    ADD_LOW_PRODUCT(sum_##c, entry, LOAD, X_AT(c) + j) \
    size_##c = MULADD(fabs(entry), fabs(v), size_##c); \
  }
#define WRITE(c)                                                         \
  {                                                                      \
    const REAL right = b[AT(c) + i];                                     \
    const SUM_OF(REAL) left = PASTE(two_sum_, REAL)(right, -sum_##c.hi); \
    r[AT(c) + i] = left.hi + (left.lo - sum_##c.lo);                     \
    d[AT(c) + i] = fabs(right) + size_##c;                               \
  }
// Between the work-items of a group.
#define PUT(c)                      \
  sums[c * WG_SIZE + id] = sum_##c; \
  sizes[c * WG_SIZE + id] = size_##c;
#define JOIN(c)                                                                    \
  sums[c * WG_SIZE + id] =                                                         \
      PASTE(dd_add_, REAL)(sums[c * WG_SIZE + id], sums[c * WG_SIZE + id + step]); \
  sizes[c * WG_SIZE + id] += sizes[c * WG_SIZE + id + step];
#define TAKE(c)                \
  sum_##c = sums[c * WG_SIZE]; \
  size_##c = sizes[c * WG_SIZE];

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void residual(
    const global REAL* restrict a, ulong offset, uint ld, uint n, uint columns, uint rows,
    uint first, const global REAL* restrict x,
#if X_PARTS == 2
    const global REAL* restrict x_lo,
#endif
    const global REAL* restrict b, global REAL* restrict r, global REAL* restrict d) {
#if WG_SIZE > 1
  local SUM_OF(REAL) sums[RHS * WG_SIZE];
  local REAL sizes[RHS * WG_SIZE];
#endif
  const uint id = get_local_id(0);
#if WG_SIZE == 1
  const uint begin = (uint)get_global_id(0) * rows, end = min(begin + rows, n);
  for (uint i = begin; i < end; ++i)
#else
  const uint i = get_group_id(0);
#endif
  {
    const global REAL* row = a + offset + (ulong)i * ld;
    EACH_RHS(DECLARE)
    for (uint j = id * VEC_WIDTH; j + VEC_WIDTH <= columns; j += WG_SIZE * VEC_WIDTH) {
      const VEC entry = VLOAD(row + j);
      EACH_RHS(STEP)
    }
    EACH_RHS(FOLD)
    for (uint j = columns / VEC_WIDTH * VEC_WIDTH + id; j < columns; j += WG_SIZE) {
      const REAL entry = row[j];
      EACH_RHS(LAST_STEP)
    }
#if WG_SIZE > 1
    EACH_RHS(PUT)
    for (uint step = WG_SIZE / 2; step > 0; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (id < step) {
        EACH_RHS(JOIN)
      }
    }
    if (id == 0) {
      EACH_RHS(TAKE)
      EACH_RHS(WRITE)
    }
#else
    EACH_RHS(WRITE)
#endif
  }
}
