// Many small symmetric systems: P A P^T = L D L^T with the 1 x 1 and 2 x 2 pivots of Bunch and
// Kaufman, chosen as in LAPACK's sytf2, X = A^-1 B. A work-group takes one system after the other.
// Portable OpenCL C 1.2.
//
// A is symmetric, of which the lower triangle is read. Row j of the work area is column j of L from
// the diagonal on: what follows from a pivot is then a pass over rows. A 2 x 2 pivot's number
// beside the diagonal stands in the place of L's 0.
//   PACKED 1  the work area is the triangle alone, in local memory
//   PACKED 0  it is in global memory, in `scratch`; with VEC_WIDTH above 1, for CPUs, GROUP is 1,
//             rows have whole vectors, and what stands left of the diagonal means nothing
//
// Common arguments: a matrix of system s starts at offset + s * stride, rows ld apart, all in
// elements. scratch_size() elements of scratch a work-group. info[s] = 0, or 1 + the first column
// whose pivot is exactly zero or not finite; X of that system is NaN. A zero one has nothing but
// zeros below it, and the factorisation goes on. inertia[2 s] is the number of negative eigenvalues
// of D, inertia[2 s + 1] that of zero ones, where all pivots are finite. permutation[s n + i] is
// the row of A that is row i of P A P^T or, where a 2 x 2 pivot begins, its complement.
//
// NDRange: at most `batch` work-groups of GROUP work-items, a power of two. Local memory: Shared
// and the work area, if PACKED.
//
//   EXTENT     at least n + 3, a multiple of VEC_WIDTH
//   COLUMNS    work-items side by side in a row of the work area, a divisor of GROUP
//   RHS        right-hand sides that are solved together
//   USE_FMA    1 where fma() is an instruction

#include "vectors.clh"
#include "batched.clh"

#if !defined(EXTENT) || !defined(GROUP) || !defined(COLUMNS) || !defined(RHS) || !defined(PACKED)
#error "EXTENT, GROUP, COLUMNS, RHS and PACKED must be defined"
#endif
#if PACKED && VEC_WIDTH != 1
#error "a packed triangle has no whole vectors"
#endif
#if VEC_WIDTH != 1 && GROUP != 1
#error "vectors are for one work-item"
#endif

#define ALPHA ((REAL)0.6403882032022076)  // (1 + sqrt(17)) / 8
#define PARTS (GROUP < 16 ? GROUP : 16)
#if GROUP == 1
#define SYNC()
#elif PACKED
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#else
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
// From a row's own column on.
#if PACKED
#define AREA local REAL
#define ROW(j) (area + ((j)*n - (j) * ((j) + 1) / 2))
#else
#define AREA global REAL
#define ROW(j) (area + (j)*row_width(n))
#endif
#define WHOLE(i) ((i) / VEC_WIDTH * VEC_WIDTH)

// Of a work-group.
typedef struct {
  REAL w[2][EXTENT], l[2][EXTENT];  // the columns of L D and L of a pivot
  REAL y[EXTENT * RHS];             // right-hand sides, row by row
  REAL size[GROUP], part_size[PARTS];
  uint at[GROUP], part_at[PARTS];
  int order[EXTENT];  // `permutation`
} Shared;

typedef struct {
  int bad, negative, zero;
} Outcome;

#if !PACKED
INLINE uint row_width(const uint n) { return WHOLE(n + VEC_WIDTH - 1); }
INLINE uint scratch_size(const uint n) { return (n + 3) * row_width(n); }
#endif

// Element (i, c) of A, whichever triangle it is in.
#define ELEMENT(i, c) ((i) < (c) ? ROW(i)[c] : ROW(c)[i])

// The row from k on, but not c, with the largest magnitude in column c, the first of equals; n if
// there is none.
INLINE uint row_of_largest_in(const AREA* area, const uint c, const uint k, const uint n,
                              local Shared* my) {
  const uint id = get_local_id(0);
  REAL best = -1;
  uint at = n;
  for (uint i = k + id; i < n; i += GROUP) {
    const REAL size = magnitude_to_compare(ELEMENT(i, c));
    const bool better = size > best && i != c;
    best = better ? size : best;
    at = better ? i : at;
  }
#if GROUP > 1
  my->size[id] = best;
  my->at[id] = at;
  SYNC();
  if (id < PARTS) {
    for (uint other = id + PARTS; other < GROUP; other += PARTS) {
      const REAL size = my->size[other];
      const uint row = my->at[other];
      const bool better = size > best || (size == best && row < at);
      best = better ? size : best;
      at = better ? row : at;
    }
    my->part_size[id] = best;
    my->part_at[id] = at;
  }
  SYNC();
  at = row_of_largest(my->part_size, my->part_at, PARTS);
#endif
  return at;
}

INLINE REAL magnitude_at(const AREA* area, const uint i, const uint c, const uint n) {
  return i < n ? magnitude_to_compare(ELEMENT(i, c)) : (REAL)0;
}

// The row that is to be the pivot's last one, in place of row k or, of a `pair`, row k + 1.
INLINE uint choose_pivot(const AREA* area, const uint k, const uint n, local Shared* my, bool* pair,
                         bool* finite) {
  const uint r = row_of_largest_in(area, k, k, n, my);
  const REAL diagonal = magnitude_at(area, k, k, n), largest = magnitude_at(area, r, k, n);
  *pair = false;
  *finite = diagonal < (REAL)INFINITY && largest < (REAL)INFINITY;
  // A bound may underflow: a pivot of 0 is taken only where there is nothing else.
  const bool good = largest == 0 || (diagonal > 0 && diagonal >= ALPHA * largest);
#if GROUP == 1
  if (good) return k;
#endif
  const uint c = r < n ? r : k, q = row_of_largest_in(area, c, k, n, my);
  const REAL across = magnitude_at(area, q, c, n), other = magnitude_at(area, c, c, n);
  if (good) return k;
  *finite = *finite && across < (REAL)INFINITY && other < (REAL)INFINITY;
  if (diagonal > 0 && diagonal >= ALPHA * largest * (largest / across)) return k;
  *pair = !(other > 0 && other >= ALPHA * across);
  return r;
}

// Rows and columns j < p of A, and rows j and p of L, change places.
INLINE void exchange(AREA* area, const uint j, const uint p, const uint n, local Shared* my) {
  for (uint t = get_local_id(0); t < n; t += GROUP) {
    if (t == p) continue;  // the element of both stays
    AREA* const x = t < j ? ROW(t) + j : ROW(j) + t;
    AREA* const y = t == j ? ROW(p) + p : t < p ? ROW(t) + p : ROW(p) + t;
    const REAL before = *x;
    *x = *y;
    *y = before;
  }
  if (get_local_id(0) == 0) {
    const int before = my->order[j];
    my->order[j] = my->order[p];
    my->order[p] = before;
  }
}

// Columns of L D and L of the pivot of row k, and of row k + 1 if it is a pair.
INLINE void divide_by_pivot(AREA* area, const uint k, const bool pair, const uint n,
                            local Shared* my) {
  AREA* const first = ROW(k);
  const REAL d11 = first[k];
  const uint begin = WHOLE(k + (pair ? 2 : 1)) + get_local_id(0) * VEC_WIDTH;
  if (pair) {
    AREA* const second = ROW(k + 1);
    const REAL d21 = first[k + 1], d22 = second[k + 1], p = d11 / d21, q = d22 / d21,
               t = 1 / (p * q - 1);
    for (uint i = begin; i < n; i += GROUP * VEC_WIDTH) {
      const VEC w0 = VLOAD(first + i), w1 = VLOAD(second + i), l0 = t * ((q * w0 - w1) / d21),
                l1 = t * ((p * w1 - w0) / d21);
      VSTORE(w0, my->w[0] + i);
      VSTORE(w1, my->w[1] + i);
      VSTORE(l0, my->l[0] + i);
      VSTORE(l1, my->l[1] + i);
      VSTORE(l0, first + i);
      VSTORE(l1, second + i);
    }
#if VEC_WIDTH > 1
    first[k + 1] = d21;  // they may lie in the first vector
    second[k + 1] = d22;
#endif
  } else {
    const REAL pivot = d11 == 0 ? (REAL)1 : d11;  // of a zero one only zeros are divided
    for (uint i = begin; i < n; i += GROUP * VEC_WIDTH) {
      const VEC w = VLOAD(first + i), l = w / pivot;
      VSTORE(w, my->w[0] + i);
      VSTORE(l, my->l[0] + i);
      VSTORE(l, first + i);
    }
  }
#if VEC_WIDTH > 1
  first[k] = d11;
#endif
}

#define STRIP 4
#define EACH_ROW(f) f(0) f(1) f(2) f(3)
#define FACTORS(r)                                            \
  const REAL f0_##r = j + r < n ? -my->w[0][j + r] : (REAL)0, \
             f1_##r = pair && j + r < n ? -my->w[1][j + r] : (REAL)0;
#define SUBTRACT(r)                                      \
  if (VEC_WIDTH > 1 || i >= j + r) {                     \
    AREA* const at = ROW(j + r) + i;                     \
    const VEC x = MULADD((VEC)(f0_##r), l0, VLOAD(at));  \
    VSTORE(pair ? MULADD((VEC)(f1_##r), l1, x) : x, at); \
  }

// A loses what follows from the pivot above row `next`. `pair` is a constant.
INLINE void subtract_products(AREA* area, const uint next, const bool pair, const uint n,
                              const local Shared* my) {
  const uint tx = get_local_id(0) % COLUMNS, ty = get_local_id(0) / COLUMNS;
  for (uint j = next + STRIP * ty; j < n; j += STRIP * (GROUP / COLUMNS)) {
    EACH_ROW(FACTORS)
    for (uint i = WHOLE(j) + tx * VEC_WIDTH; i < n; i += COLUMNS * VEC_WIDTH) {
      const VEC l0 = VLOAD(my->l[0] + i);
      const VEC l1 = pair ? VLOAD(my->l[1] + i) : (VEC)(0);
      EACH_ROW(SUBTRACT)
    }
  }
}

// Of A in the work area. Loops with a barrier run at least once and have one way out: PoCL doubles
// the code behind any other.
INLINE Outcome factor(AREA* area, const uint n, local Shared* my) {
  Outcome outcome = {0, 0, 0};
  for (uint i = get_local_id(0); i < n; i += GROUP) my->order[i] = (int)i;
  SYNC();
  uint k = 0;
  do {
    bool pair, finite;
    const uint p = choose_pivot(area, k, n, my, &pair, &finite);
    const uint last = k + (pair ? 1 : 0), next = last + 1;
    SYNC();
    if (p != last) exchange(area, last, p, n, my);
    if (pair && get_local_id(0) == 0) my->order[k] = ~my->order[k];
    SYNC();
    const REAL pivot = ROW(k)[k];
    if (outcome.bad == 0 && (!finite || (!pair && pivot == 0))) outcome.bad = (int)k + 1;
    outcome.negative += pair || pivot < 0 ? 1 : 0;
    outcome.zero += !pair && pivot == 0 ? 1 : 0;
    divide_by_pivot(area, k, pair, n, my);
    SYNC();
    if (pair)
      subtract_products(area, next, true, n, my);
    else
      subtract_products(area, next, false, n, my);
    SYNC();
    k = finite ? next : n;
  } while (k < n);
  return outcome;
}

// y <- L^-T D^-1 L^-1 y
INLINE void substitute(const AREA* area, const uint n, local Shared* my) {
  const uint id = get_local_id(0);
  uint k = 0;
  do {
    const uint from = k + (my->order[k] < 0 ? 2 : 1);
    for (uint e = from * RHS + id; e < n * RHS; e += GROUP)
      my->y[e] = MULADD(-ROW(k)[e / RHS], my->y[k * RHS + e % RHS], my->y[e]);
    SYNC();
  } while (++k < n);
  for (uint e = id; e < n * RHS; e += GROUP) {
    const uint i = e / RHS;
    local REAL* const y = my->y + e;
    const REAL d11 = ROW(i)[i];
    if (my->order[i] < 0) {
      const REAL d21 = ROW(i)[i + 1], d22 = ROW(i + 1)[i + 1], p = d11 / d21, q = d22 / d21,
                 b0 = y[0] / d21, b1 = y[RHS] / d21, t = p * q - 1;
      y[0] = (q * b0 - b1) / t;
      y[RHS] = (p * b1 - b0) / t;
    } else if (i == 0 || my->order[i - 1] >= 0) {
      y[0] /= d11;
    }
  }
  SYNC();
  do {
    --k;
    const uint end = k > 0 && my->order[k - 1] < 0 ? k - 1 : k;
    for (uint e = id; e < end * RHS; e += GROUP)
      my->y[e] = MULADD(-ROW(e / RHS)[k], my->y[k * RHS + e % RHS], my->y[e]);
    SYNC();
  } while (k > 0);
}

INLINE uint row_of(const int entry) { return (uint)(entry < 0 ? ~entry : entry); }

// X of one system, with the factors in the work area.
INLINE void solve(const AREA* area, global REAL* b, const uint ld, const uint nrhs, const uint n,
                  const bool failed, local Shared* my) {
  const uint id = get_local_id(0);
  uint first = 0;
  do {
    for (uint e = id; e < n * RHS; e += GROUP) {
      const uint c = first + e % RHS;
      my->y[e] = c < nrhs ? b[(ulong)row_of(my->order[e / RHS]) * ld + c] : (REAL)0;
    }
    SYNC();
    substitute(area, n, my);
    for (uint e = id; e < n * RHS; e += GROUP) {
      const uint c = first + e % RHS;
      if (c < nrhs) b[(ulong)row_of(my->order[e / RHS]) * ld + c] = failed ? (REAL)NAN : my->y[e];
    }
    SYNC();
    first += RHS;
  } while (first < nrhs);
}

// Between the lower triangle of A, or of the factors that stand there, and the work area.
INLINE void load_triangle(AREA* area, const global REAL* a, const uint ld, const uint n) {
  const uint tx = get_local_id(0) % COLUMNS, ty = get_local_id(0) / COLUMNS;
  for (uint i = ty; i < n; i += GROUP / COLUMNS)
    for (uint j = tx; j <= i; j += COLUMNS) ROW(j)[i] = a[(ulong)i * ld + j];
}

INLINE void store_triangle(const AREA* area, global REAL* a, const uint ld, const uint n) {
  const uint tx = get_local_id(0) % COLUMNS, ty = get_local_id(0) / COLUMNS;
  for (uint i = ty; i < n; i += GROUP / COLUMNS)
    for (uint j = tx; j <= i; j += COLUMNS) a[(ulong)i * ld + j] = ROW(j)[i];
}

#if PACKED
#define SCRATCH
#define WORK_AREA local REAL area[EXTENT * (EXTENT + 1) / 2];
#else
#define SCRATCH , global REAL* scratch
#define WORK_AREA                                                               \
  global REAL* const area = scratch + get_group_id(0) * (ulong)scratch_size(n); \
  for (uint e = 0; e < (VEC_WIDTH > 1 ? scratch_size(n) : 0); ++e) area[e] = 0;
#endif

INLINE void tell(const Outcome outcome, const ulong s, global int* info, global int* inertia) {
  if (get_local_id(0) != 0) return;
  info[s] = outcome.bad;
  inertia[2 * s] = outcome.negative;
  inertia[2 * s + 1] = outcome.zero;
}

// X = A^-1 B; A is left as it is.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_factor_and_solve(
    global const REAL* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global REAL* b, const ulong b_offset, const uint b_ld, const ulong b_stride, const uint nrhs,
    const uint n, const ulong batch, global int* info, global int* inertia SCRATCH) {
  local Shared shared;
  WORK_AREA
  ulong s = get_group_id(0);
  do {
    load_triangle(area, a + a_offset + s * a_stride, a_ld, n);
    const Outcome outcome = factor(area, n, &shared);
    solve(area, b + b_offset + s * b_stride, b_ld, nrhs, n, outcome.bad != 0, &shared);
    tell(outcome, s, info, inertia);
    s += get_num_groups(0);
  } while (s < batch);
}

// The lower triangle of A becomes that of L, and D.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_factor(
    global REAL* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global int* permutation, const uint n, const ulong batch, global int* info,
    global int* inertia SCRATCH) {
  local Shared shared;
  WORK_AREA
  ulong s = get_group_id(0);
  do {
    global REAL* const matrix = a + a_offset + s * a_stride;
    load_triangle(area, matrix, a_ld, n);
    const Outcome outcome = factor(area, n, &shared);
    store_triangle(area, matrix, a_ld, n);
    for (uint i = get_local_id(0); i < n; i += GROUP) permutation[s * n + i] = shared.order[i];
    tell(outcome, s, info, inertia);
    SYNC();
    s += get_num_groups(0);
  } while (s < batch);
}

// X = A^-1 B with what batched_factor left.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void batched_solve(
    global const REAL* a, const ulong a_offset, const uint a_ld, const ulong a_stride,
    global const int* permutation, global REAL* b, const ulong b_offset, const uint b_ld,
    const ulong b_stride, const uint nrhs, const uint n, const ulong batch,
    global const int* info SCRATCH) {
  local Shared shared;
  WORK_AREA
  ulong s = get_group_id(0);
  do {
    load_triangle(area, a + a_offset + s * a_stride, a_ld, n);
    for (uint i = get_local_id(0); i < n; i += GROUP) shared.order[i] = permutation[s * n + i];
    SYNC();
    solve(area, b + b_offset + s * b_stride, b_ld, nrhs, n, info[s] != 0, &shared);
    s += get_num_groups(0);
  } while (s < batch);
}
