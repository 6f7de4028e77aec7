// Many small systems on a CPU device: P A = L U with partial pivoting, X = A^-1 B. DEFINITE: A = L
// D L^H without exchanges, stored as an LU with U = D L^H, from the lower triangle of A and the
// real parts of its diagonal; half the work.
//
// A work-item solves VEC_WIDTH systems at once, one a vector lane: element (i, j) of all of them is
// one vector (if COMPLEX, one of real and one of imaginary parts), so the arithmetic is that of one
// system and needs no shuffle. The lanes differ only in their pivots: the pivot row is fetched lane
// by lane, and the row that it displaces is blended in where the update passes over the pivot's old
// place, so an exchange costs no store of its own.
//
// A step (k): arg-max of column k by lanes; L(k+1:n, k); then the columns right of k, right-hand
// sides included, TILE at a time and for two steps in one pass. L is not exchanged later (LINPACK's
// form): step k can be applied to further right-hand sides by itself, and only batched_factor puts
// L into LAPACK's order.
//
// Common arguments: a matrix of system s starts at offset + s * stride, rows ld apart, all in
// elements; `scratch` has n * width + n elements of all lanes a work-item, width = n + RHS + TILE:
// the interleaved [A | B] with room for the last tile to overshoot, then the pivots. info[s] = 0,
// or 1 + the first column whose pivot is exactly zero or not finite, or, if DEFINITE, not positive;
// X of that system is NaN. NDRange: any number of work-items, local size 1; they share the systems
// out. No local memory, no barrier.
//
// Macros besides those of cpu_tile.clh: RHS, right-hand sides that are solved together; DEFINITE
// and COMPLEX, 0 (if not defined) or 1. A complex pivot has the largest |re| + |im|.

#include "cpu_tile.clh"
#include "numbers.clh"

#ifndef RHS
#error "RHS is required"
#endif
#ifndef DEFINITE
#define DEFINITE 0
#endif

#define PARTS (COMPLEX ? 2 : 1)
#if COMPLEX
#define TILE 2
#define EACH_COLUMN(f) f(0) f(1)
#else
#define TILE 4
#define EACH_COLUMN(f) f(0) f(1) f(2) f(3)
#endif
#define INTEGER_double long
#define INTEGER_float int
#define INTEGER PASTE(INTEGER_, REAL)
#define INTS PASTE(INTEGER, VEC_WIDTH)

#if VEC_WIDTH == 4
#define EACH_LANE(pick) pick(0), pick(1), pick(2), pick(3)
#elif VEC_WIDTH == 8
#define EACH_LANE(pick) pick(0), pick(1), pick(2), pick(3), pick(4), pick(5), pick(6), pick(7)
#else
#define EACH_LANE(pick)                                                                     \
  pick(0), pick(1), pick(2), pick(3), pick(4), pick(5), pick(6), pick(7), pick(8), pick(9), \
      pick(a), pick(b), pick(c), pick(d), pick(e), pick(f)
#endif
#define FETCH_LANE(i) lanes[offset.s##i + 0x##i]

VEC fetch_parts(global const REAL* lanes, const INTS offset) {
  return (VEC)(EACH_LANE(FETCH_LANE));
}

#if COMPLEX
// One number of each lane.
typedef struct {
  VEC x, y;
} LANES;

LANES chosen(const LANES a, const LANES b, const INTS second) {
  return (LANES){select(a.x, b.x, second), select(a.y, b.y, second)};
}
// c - a b
LANES minus_lanes(const LANES a, const LANES b, const LANES c) {
  return (LANES){MULADD(a.y, b.y, MULADD(-a.x, b.x, c.x)),
                 MULADD(-a.y, b.x, MULADD(-a.x, b.y, c.y))};
}
LANES product_lanes(const LANES a, const LANES b) {
  return (LANES){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
LANES scaled_lanes(const LANES a, const VEC by) { return (LANES){a.x * by, a.y * by}; }
// As quotient() of numbers.clh.
LANES quotient_lanes(const LANES a, const LANES b) {
  const INTS wide = fabs(b.x) >= fabs(b.y);
  const VEC ratio = select(b.x, b.y, wide) / select(b.y, b.x, wide);
  const VEC whole = select(b.y, b.x, wide) + select(b.x, b.y, wide) * ratio;
  const VEC p = select(ratio, (VEC)(1), wide), q = select((VEC)(1), ratio, wide);
  return (LANES){(a.x * p + a.y * q) / whole, (a.y * p - a.x * q) / whole};
}
LANES reciprocal_lanes(const LANES a) { return quotient_lanes((LANES){(VEC)(1), (VEC)(0)}, a); }
VEC magnitude_of(const LANES a) { return fabs(a.x) + fabs(a.y); }
LANES conjugate_lanes(const LANES a) { return (LANES){a.x, -a.y}; }
VEC real_lanes(const LANES a) { return a.x; }
LANES of_real_lanes(const VEC v) { return (LANES){v, (VEC)(0)}; }
#define LEAST_PIVOT (64 * REAL_MIN_NORMAL)  // from here on the reciprocal cannot overflow
#else
#define LANES VEC

LANES chosen(const LANES a, const LANES b, const INTS second) { return select(a, b, second); }
LANES minus_lanes(const LANES a, const LANES b, const LANES c) { return MULADD(-a, b, c); }
LANES product_lanes(const LANES a, const LANES b) { return a * b; }
LANES scaled_lanes(const LANES a, const VEC by) { return a * by; }
LANES quotient_lanes(const LANES a, const LANES b) { return a / b; }
LANES reciprocal_lanes(const LANES a) { return 1 / a; }
VEC magnitude_of(const LANES a) { return fabs(a); }
LANES conjugate_lanes(const LANES a) { return a; }
VEC real_lanes(const LANES a) { return a; }
LANES of_real_lanes(const VEC v) { return v; }
#define LEAST_PIVOT REAL_MIN_NORMAL
#endif

// The number of each lane that is `rows` rows of `width` behind `from`.
LANES fetch(global const LANES* from, const INTS rows, const uint width) {
  const INTS offset = rows * (INTEGER)(width * PARTS * VEC_WIDTH);
#if COMPLEX
  global const REAL* lanes = (global const REAL*)from;
  return (LANES){fetch_parts(lanes, offset), fetch_parts(lanes + VEC_WIDTH, offset)};
#else
  return fetch_parts((global const REAL*)from, offset);
#endif
}

uint row_width(const uint n) { return n + RHS + TILE; }

// Elements of all lanes that one work-item's scratch has.
ulong scratch_size(const uint n) { return (ulong)n * row_width(n) + n; }

#define OLD(c) const LANES old##c = top[c];
#define FETCH_ROW(c) const LANES u##c = fetch(w + j + c, p, width);
#define KEEP_ROW(c) top[c] = u##c;
#define UPDATE_CELL(c) row[j + c] = minus_lanes(l, u##c, chosen(row[j + c], old##c, moved));

// Step k for columns [first, last): rows k and p change places, then rows below k lose L(:, k)
// times row k. Up to TILE - 1 columns behind `last` are overwritten.
void apply_step(global LANES* w, const uint n, const uint k, const INTS p, const uint first,
                const uint last) {
  const uint width = row_width(n);
  for (uint j = first; j < last; j += TILE) {
    global LANES* top = w + k * width + j;
    EACH_COLUMN(OLD)
    EACH_COLUMN(FETCH_ROW)
    EACH_COLUMN(KEEP_ROW)
    for (uint i = k + 1; i < n; ++i) {
      global LANES* row = w + i * width;
      const LANES l = row[k];
      const INTS moved = p == (INTS)(i);
      EACH_COLUMN(UPDATE_CELL)
    }
  }
}

// Step k for one column.
void apply_step_to_column(global LANES* w, const uint n, const uint k, const INTS p, const uint j) {
  const uint width = row_width(n);
  const LANES old = w[k * width + j], u = fetch(w + j, p, width);
  w[k * width + j] = u;
  for (uint i = k + 1; i < n; ++i) {
    global LANES* row = w + i * width;
    row[j] = minus_lanes(row[k], u, chosen(row[j], old, p == (INTS)(i)));
  }
}

#if DEFINITE
#define ROW_1(c) const LANES u1_##c = top[c];
// What is right of the matrix is not there by symmetry.
#define ROW_2(c) const LANES u2_##c = j + c < n ? next[c] : minus_lanes(l1_here, u1_##c, next[c]);
#define KEEP_ROW_2(c) next[c] = u2_##c;
#define UPDATE_TWICE(c) row[j + c] = minus_lanes(l2, u2_##c, minus_lanes(l1, u1_##c, row[j + c]));

// Steps k and k + 1, which exchange nothing, for columns [first, last), of the matrix from the
// diagonal down. Up to TILE - 1 columns behind `last` are overwritten.
void apply_two_steps(global LANES* w, const uint n, const uint k, const INTS p1, const INTS p2,
                     const uint first, const uint last) {
  const uint width = row_width(n);
  const LANES l1_here = w[(k + 1) * width + k];
  for (uint j = first; j < last; j += TILE) {
    global LANES* top = w + k * width + j;
    global LANES* next = top + width;
    EACH_COLUMN(ROW_1)
    EACH_COLUMN(ROW_2)
    EACH_COLUMN(KEEP_ROW_2)
    for (uint i = j + TILE <= n ? j : k + 2; i < n; ++i) {
      global LANES* row = w + i * width;
      const LANES l1 = row[k], l2 = row[k + 1];
      EACH_COLUMN(UPDATE_TWICE)
    }
  }
}

// Makes column k one of L, and row k one of U; `bad` is each lane's info. The pivots are those of
// the diagonal.
INTS factor_column(global LANES* w, const uint n, const uint k, INTS* bad) {
  const uint width = row_width(n);
  const VEC pivot = real_lanes(w[k * width + k]);
  *bad = select(*bad, (INTS)(k + 1), *bad == 0 && !(pivot > 0 && pivot < (VEC)(INFINITY)));
  const VEC scale = select((VEC)(1), (VEC)(SCALE), pivot < (VEC)(REAL_MIN_NORMAL));
  const VEC inverse = 1 / (pivot * scale);
  w[k * width + k] = of_real_lanes(pivot);
  for (uint i = k + 1; i < n; ++i) {
    const LANES entry = w[i * width + k];
    w[k * width + i] = conjugate_lanes(entry);
    w[i * width + k] = scaled_lanes(scaled_lanes(entry, scale), inverse);
  }
  ((global INTS*)(w + n * width))[k] = (INTS)(k);
  return (INTS)(k);
}

#else
#define OLD_1(c) const LANES old1_##c = top[c];
#define ROW_1(c) const LANES u1_##c = fetch(w + j + c, p1, width);
#define OLD_2(c) \
  const LANES old2_##c = minus_lanes(l1_here, u1_##c, chosen(next[c], old1_##c, p1_here));
#define ROW_2(c)                                                                              \
  const LANES u2_##c = chosen(                                                                \
      minus_lanes(l1_there, u1_##c, chosen(fetch(w + j + c, p2, width), old1_##c, p1_there)), \
      old2_##c, p2_here);
#define KEEP_ROWS(c) \
  top[c] = u1_##c;   \
  next[c] = u2_##c;
#define UPDATE_TWICE(c)                                                            \
  {                                                                                \
    const LANES x = minus_lanes(l1, u1_##c, chosen(row[j + c], old1_##c, moved1)); \
    row[j + c] = minus_lanes(l2, u2_##c, chosen(x, old2_##c, moved2));             \
  }

// Steps k and k + 1 in one pass over columns [first, last), to the bit what apply_step() does in
// two: large systems are bound by the way to the cache.
void apply_two_steps(global LANES* w, const uint n, const uint k, const INTS p1, const INTS p2,
                     const uint first, const uint last) {
  const uint width = row_width(n);
  const INTS p1_here = p1 == (INTS)(k + 1), p2_here = p2 == (INTS)(k + 1), p1_there = p1 == p2;
  const LANES l1_here = w[(k + 1) * width + k], l1_there = fetch(w + k, p2, width);
  for (uint j = first; j < last; j += TILE) {
    global LANES* top = w + k * width + j;
    global LANES* next = top + width;
    EACH_COLUMN(OLD_1)
    EACH_COLUMN(ROW_1)
    EACH_COLUMN(OLD_2)
    EACH_COLUMN(ROW_2)
    EACH_COLUMN(KEEP_ROWS)
    for (uint i = k + 2; i < n; ++i) {
      global LANES* row = w + i * width;
      const LANES l1 = row[k], l2 = row[k + 1];
      const INTS moved1 = p1 == (INTS)(i), moved2 = p2 == (INTS)(i);
      EACH_COLUMN(UPDATE_TWICE)
    }
  }
}

// Row of the largest entry of column k from row k on, lane by lane, the first among equals; a NaN
// counts as infinite.
INTS find_pivots(global const LANES* w, const uint n, const uint k) {
  const uint width = row_width(n);
  VEC best = (VEC)(-1);
  INTS p = (INTS)(k);
  for (uint i = k; i < n; ++i) {
    const VEC size = magnitude_of(w[i * width + k]);
    const VEC magnitude = select(size, (VEC)(INFINITY), isnan(size));
    const INTS larger = magnitude > best;
    best = select(best, magnitude, larger);
    p = select(p, (INTS)(i), larger);
  }
  return p;
}

// Chooses the pivots of column k and makes the column one of L; `bad` is each lane's info.
INTS factor_column(global LANES* w, const uint n, const uint k, INTS* bad) {
  const uint width = row_width(n);
  const INTS p = find_pivots(w, n, k);
  const LANES old = w[k * width + k], pivot = fetch(w + k, p, width);
  const VEC size = magnitude_of(pivot);
  const INTS usable = size > 0 && size < (VEC)(INFINITY);
  *bad = select(*bad, (INTS)(k + 1), *bad == 0 && !usable);
  const VEC scale = select((VEC)(1), (VEC)(SCALE), size < (VEC)(LEAST_PIVOT));
  const LANES inverse = reciprocal_lanes(scaled_lanes(pivot, scale));
  w[k * width + k] = pivot;
  for (uint i = k + 1; i < n; ++i) {
    global LANES* entry = w + i * width + k;
    *entry = product_lanes(scaled_lanes(chosen(*entry, old, p == (INTS)(i)), scale), inverse);
  }
  ((global INTS*)(w + n * width))[k] = p;
  return p;
}
#endif

// Factors [A | B] in w, up to column `last`, and returns the info of each lane.
INTS eliminate(global LANES* w, const uint n, const uint last) {
  INTS bad = (INTS)(0);
  for (uint k = 0; k < n; k += 2) {
    const INTS p1 = factor_column(w, n, k, &bad);
    if (k + 1 == n) {
      apply_step(w, n, k, p1, n, last);
      break;
    }
    apply_step_to_column(w, n, k, p1, k + 1);
    const INTS p2 = factor_column(w, n, k + 1, &bad);
    apply_two_steps(w, n, k, p1, p2, k + 2, last);
  }
  return bad;
}

// X = U^-1 Y in columns [n, n + columns).
void substitute_back(global LANES* w, const uint n, const uint columns) {
  const uint width = row_width(n);
  for (uint k = n; k-- > 0;)
    for (uint c = n; c < n + columns; ++c) {
      const LANES x = quotient_lanes(w[k * width + c], w[k * width + k]);
      w[k * width + c] = x;
      for (uint i = 0; i < k; ++i)
        w[i * width + c] = minus_lanes(w[i * width + k], x, w[i * width + c]);
    }
}

// The matrices of `count` systems between memory, which begins at number `at`, and the lanes.
void load_matrices(global const REAL* a, const ulong at, const uint ld, const ulong stride,
                   const uint count, const uint n, global LANES* w) {
  for (uint i = 0; i < n; ++i)
    pack_across(a + PARTS * (at + (ulong)i * ld), PARTS * stride, count, PARTS * n, (REAL)1,
                (global REAL*)(w + i * row_width(n)), VEC_WIDTH);
}

// Where the lanes of a part of a number are.
global REAL* lanes_of(global LANES* number, const uint part) {
  return (global REAL*)number + part * VEC_WIDTH;
}

void load_columns(global const REAL* b, const ulong at, const uint ld, const ulong stride,
                  const uint count, const uint n, const uint columns, global LANES* w) {
  for (uint i = 0; i < n; ++i)
    for (uint c = 0; c < RHS + TILE; ++c)
      for (uint part = 0; part < PARTS; ++part) {
        global REAL* lanes = lanes_of(w + i * row_width(n) + n + c, part);
        for (uint s = 0; s < VEC_WIDTH; ++s)
          lanes[s] = c < columns && s < count
                         ? b[PARTS * (at + s * stride + (ulong)i * ld + c) + part]
                         : (REAL)0;
      }
}

void store_columns(global REAL* b, const ulong at, const uint ld, const ulong stride,
                   const uint count, const uint n, const uint columns, global LANES* w,
                   global const int* info) {
  for (uint s = 0; s < count; ++s)
    for (uint i = 0; i < n; ++i)
      for (uint c = 0; c < columns; ++c)
        for (uint part = 0; part < PARTS; ++part)
          b[PARTS * (at + s * stride + (ulong)i * ld + c) + part] =
              info[s] == 0 ? lanes_of(w + i * row_width(n) + n + c, part)[s] : (REAL)NAN;
}

// X = A^-1 B; A is left as it is.
kernel void batched_factor_and_solve(global const REAL* a, const ulong a_offset, const uint a_ld,
                                     const ulong a_stride, global REAL* b, const ulong b_offset,
                                     const uint b_ld, const ulong b_stride, const uint nrhs,
                                     const uint n, const ulong batch, global int* info,
                                     global LANES* scratch) {
  global LANES* w = scratch + get_global_id(0) * scratch_size(n);
  global const INTS* pivots = (global const INTS*)(w + n * row_width(n));
  for (ulong s = get_global_id(0) * VEC_WIDTH; s < batch; s += get_global_size(0) * VEC_WIDTH) {
    const uint count = min((ulong)VEC_WIDTH, batch - s);
    load_matrices(a, a_offset + s * a_stride, a_ld, a_stride, count, n, w);
    for (uint first = 0; first < max(nrhs, 1u); first += RHS) {
      const uint columns = min((uint)RHS, nrhs - first);
      const ulong x = b_offset + s * b_stride + first;
      load_columns(b, x, b_ld, b_stride, count, n, columns, w);
      if (first == 0) {
        const INTS bad = eliminate(w, n, n + columns);
        for (uint lane = 0; lane < count; ++lane)
          info[s + lane] = (int)((const INTEGER*)&bad)[lane];
      } else {
        for (uint k = 0; k < n; ++k) apply_step(w, n, k, pivots[k], n, n + columns);
      }
      substitute_back(w, n, columns);
      store_columns(b, x, b_ld, b_stride, count, n, columns, w, info + s);
    }
  }
}

// A becomes L\U, permutation[s n + i] the row of A that is row i of L U.
kernel void batched_factor(global REAL* a, const ulong a_offset, const uint a_ld,
                           const ulong a_stride, global int* permutation, const uint n,
                           const ulong batch, global int* info, global LANES* scratch) {
  global LANES* w = scratch + get_global_id(0) * scratch_size(n);
  const uint width = row_width(n);
  global const INTEGER* pivots = (global const INTEGER*)(w + n * width);
  for (ulong s = get_global_id(0) * VEC_WIDTH; s < batch; s += get_global_size(0) * VEC_WIDTH) {
    const uint count = min((ulong)VEC_WIDTH, batch - s);
    load_matrices(a, a_offset + s * a_stride, a_ld, a_stride, count, n, w);
    const INTS bad = eliminate(w, n, n);
    for (uint lane = 0; lane < count; ++lane) {
      info[s + lane] = (int)((const INTEGER*)&bad)[lane];
      global REAL* lu = (global REAL*)w + lane;
      global int* order = permutation + (s + lane) * n;
      for (uint i = 0; i < n; ++i) order[i] = (int)i;
      for (uint k = 0; k < n; ++k) {
        const uint p = (uint)pivots[k * VEC_WIDTH + lane];
        const int row = order[k];
        order[k] = order[p];
        order[p] = row;
        for (uint j = 0; j < (p != k ? PARTS * k : 0); ++j) {
          const ulong above = ((ulong)k * PARTS * width + j) * VEC_WIDTH,
                      below = ((ulong)p * PARTS * width + j) * VEC_WIDTH;
          const REAL l = lu[above];
          lu[above] = lu[below];
          lu[below] = l;
        }
      }
      global REAL* out = a + PARTS * (a_offset + (s + lane) * a_stride);
      for (uint i = 0; i < n; ++i)
        for (uint j = 0; j < PARTS * n; ++j)
          out[(ulong)i * PARTS * a_ld + j] = lu[((ulong)i * PARTS * width + j) * VEC_WIDTH];
    }
  }
}

// X = U^-1 L^-1 P B with what batched_factor left.
kernel void batched_solve(global const REAL* a, const ulong a_offset, const uint a_ld,
                          const ulong a_stride, global const int* permutation, global REAL* b,
                          const ulong b_offset, const uint b_ld, const ulong b_stride,
                          const uint nrhs, const uint n, const ulong batch, global const int* info,
                          global LANES* scratch) {
  global LANES* w = scratch + get_global_id(0) * scratch_size(n);
  const uint width = row_width(n);
  for (ulong s = get_global_id(0) * VEC_WIDTH; s < batch; s += get_global_size(0) * VEC_WIDTH) {
    const uint count = min((ulong)VEC_WIDTH, batch - s);
    load_matrices(a, a_offset + s * a_stride, a_ld, a_stride, count, n, w);
    for (uint first = 0; first < nrhs; first += RHS) {
      const uint columns = min((uint)RHS, nrhs - first);
      const ulong x = b_offset + s * b_stride + first;
      for (uint i = 0; i < n; ++i)
        for (uint c = 0; c < columns; ++c)
          for (uint lane = 0; lane < VEC_WIDTH; ++lane) {
            const ulong row = lane < count ? (ulong)permutation[(s + lane) * n + i] : 0;
            for (uint part = 0; part < PARTS; ++part)
              lanes_of(w + i * width + n + c, part)[lane] =
                  lane < count ? b[PARTS * (x + lane * b_stride + row * b_ld + c) + part] : (REAL)0;
          }
      for (uint k = 0; k < n; ++k)
        for (uint i = k + 1; i < n; ++i)
          for (uint c = n; c < n + columns; ++c)
            w[i * width + c] = minus_lanes(w[i * width + k], w[k * width + c], w[i * width + c]);
      substitute_back(w, n, columns);
      store_columns(b, x, b_ld, b_stride, count, n, columns, w, info + s);
    }
  }
}
