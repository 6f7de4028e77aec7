// Many small systems on a CPU device: P A = L U with partial pivoting, X = A^-1 B. DEFINITE: A = L
// D L^T without exchanges, stored as an LU with U = D L^T, from the lower triangle of A; half the
// work.
//
// A work-item solves VEC_WIDTH systems at once, one a vector lane: element (i, j) of all of them is
// one vector, so the arithmetic is that of one system and needs no shuffle. The lanes differ only
// in their pivots: the pivot row is fetched lane by lane, and the row that it displaces is blended
// in where the update passes over the pivot's old place, so an exchange costs no store of its own.
//
// A step (k): arg-max of column k by lanes; L(k+1:n, k); then the columns right of k, right-hand
// sides included, TILE at a time and for two steps in one pass. L is not exchanged later (LINPACK's
// form): step k can be applied to further right-hand sides by itself, and only batched_factor puts
// L into LAPACK's order.
//
// Common arguments: a matrix of system s starts at offset + s * stride, rows ld apart, all in
// elements; `scratch` has n * width + n vectors a work-item, width = n + RHS + TILE: the
// interleaved [A | B] with room for the last tile to overshoot, then the pivots. info[s] = 0, or 1
// + the first column whose pivot is exactly zero or not finite, or, if DEFINITE, not positive; X of
// that system is NaN. NDRange: any number of work-items, local size 1; they share the systems out.
// No local memory, no barrier.
//
// Macros besides those of cpu_tile.clh: RHS, right-hand sides that are solved together; DEFINITE, 0
// (if not defined) or 1.

#include "cpu_tile.clh"

#ifndef RHS
#error "RHS is required"
#endif
#ifndef DEFINITE
#define DEFINITE 0
#endif

#define TILE 4
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

// Element `offset` (a multiple of VEC_WIDTH, lane by lane) behind `from`.
VEC fetch(global const VEC* from, const INTS offset) {
  global const REAL* lanes = (global const REAL*)from;
  return (VEC)(EACH_LANE(FETCH_LANE));
}

uint row_width(const uint n) { return n + RHS + TILE; }

// Vectors of scratch that one work-item has.
ulong scratch_size(const uint n) { return (ulong)n * row_width(n) + n; }

#define UPDATE_CELL(c) row[j + c] = MULADD(l, u##c, select(row[j + c], old##c, moved));

// Step k for columns [first, last): rows k and p change places, then rows below k lose L(:, k)
// times row k. Up to TILE - 1 columns behind `last` are overwritten.
void apply_step(global VEC* w, const uint n, const uint k, const INTS p, const uint first,
                const uint last) {
  const uint width = row_width(n);
  const INTS offset = p * (INTEGER)(width * VEC_WIDTH);
  for (uint j = first; j < last; j += TILE) {
    global VEC* top = w + k * width + j;
    const VEC old0 = top[0], old1 = top[1], old2 = top[2], old3 = top[3];
    const VEC u0 = fetch(w + j, offset), u1 = fetch(w + j + 1, offset),
              u2 = fetch(w + j + 2, offset), u3 = fetch(w + j + 3, offset);
    top[0] = u0;
    top[1] = u1;
    top[2] = u2;
    top[3] = u3;
    for (uint i = k + 1; i < n; ++i) {
      global VEC* row = w + i * width;
      const VEC l = -row[k];
      const INTS moved = p == (INTS)(i);
      UPDATE_CELL(0)
      UPDATE_CELL(1)
      UPDATE_CELL(2)
      UPDATE_CELL(3)
    }
  }
}

// Step k for one column.
void apply_step_to_column(global VEC* w, const uint n, const uint k, const INTS p, const uint j) {
  const uint width = row_width(n);
  const VEC old = w[k * width + j], u = fetch(w + j, p * (INTEGER)(width * VEC_WIDTH));
  w[k * width + j] = u;
  for (uint i = k + 1; i < n; ++i) {
    global VEC* row = w + i * width;
    row[j] = MULADD(-row[k], u, select(row[j], old, p == (INTS)(i)));
  }
}

#if DEFINITE
#define ROW_1(c) const VEC u1_##c = top[c];
// What is right of the matrix is not there by symmetry.
#define ROW_2(c) const VEC u2_##c = j + c < n ? next[c] : MULADD(l1_here, u1_##c, next[c]);
#define KEEP_ROW_2(c) next[c] = u2_##c;
#define UPDATE_TWICE(c) row[j + c] = MULADD(l2, u2_##c, MULADD(l1, u1_##c, row[j + c]));
#define EACH_COLUMN(f) f(0) f(1) f(2) f(3)

// Steps k and k + 1, which exchange nothing, for columns [first, last), of the matrix from the
// diagonal down. Up to TILE - 1 columns behind `last` are overwritten.
void apply_two_steps(global VEC* w, const uint n, const uint k, const INTS p1, const INTS p2,
                     const uint first, const uint last) {
  const uint width = row_width(n);
  const VEC l1_here = -w[(k + 1) * width + k];
  for (uint j = first; j < last; j += TILE) {
    global VEC* top = w + k * width + j;
    global VEC* next = top + width;
    EACH_COLUMN(ROW_1)
    EACH_COLUMN(ROW_2)
    EACH_COLUMN(KEEP_ROW_2)
    for (uint i = j + TILE <= n ? j : k + 2; i < n; ++i) {
      global VEC* row = w + i * width;
      const VEC l1 = -row[k], l2 = -row[k + 1];
      EACH_COLUMN(UPDATE_TWICE)
    }
  }
}

// Makes column k one of L, and row k one of U; `bad` is each lane's info. The pivots are those of
// the diagonal.
INTS factor_column(global VEC* w, const uint n, const uint k, INTS* bad) {
  const uint width = row_width(n);
  const VEC pivot = w[k * width + k];
  *bad = select(*bad, (INTS)(k + 1), *bad == 0 && !(pivot > 0 && pivot < (VEC)(INFINITY)));
  const VEC scale = select((VEC)(1), (VEC)(SCALE), pivot < (VEC)(REAL_MIN_NORMAL));
  const VEC inverse = 1 / (pivot * scale);
  for (uint i = k + 1; i < n; ++i) {
    const VEC entry = w[i * width + k];
    w[k * width + i] = entry;
    w[i * width + k] = entry * scale * inverse;
  }
  ((global INTS*)(w + n * width))[k] = (INTS)(k);
  return (INTS)(k);
}

#else
#define OLD_1(c) const VEC old1_##c = top[c];
#define ROW_1(c) const VEC u1_##c = fetch(w + j + c, offset1);
#define OLD_2(c) const VEC old2_##c = MULADD(l1_here, u1_##c, select(next[c], old1_##c, p1_here));
#define ROW_2(c)                                                                              \
  const VEC u2_##c =                                                                          \
      select(MULADD(l1_there, u1_##c, select(fetch(w + j + c, offset2), old1_##c, p1_there)), \
             old2_##c, p2_here);
#define KEEP_ROWS(c) \
  top[c] = u1_##c;   \
  next[c] = u2_##c;
#define UPDATE_TWICE(c)                                                     \
  {                                                                         \
    const VEC x = MULADD(l1, u1_##c, select(row[j + c], old1_##c, moved1)); \
    row[j + c] = MULADD(l2, u2_##c, select(x, old2_##c, moved2));           \
  }
#define EACH_COLUMN(f) f(0) f(1) f(2) f(3)

// Steps k and k + 1 in one pass over columns [first, last), to the bit what apply_step() does in
// two: large systems are bound by the way to the cache.
void apply_two_steps(global VEC* w, const uint n, const uint k, const INTS p1, const INTS p2,
                     const uint first, const uint last) {
  const uint width = row_width(n);
  const INTS offset1 = p1 * (INTEGER)(width * VEC_WIDTH),
             offset2 = p2 * (INTEGER)(width * VEC_WIDTH);
  const INTS p1_here = p1 == (INTS)(k + 1), p2_here = p2 == (INTS)(k + 1), p1_there = p1 == p2;
  const VEC l1_here = -w[(k + 1) * width + k], l1_there = -fetch(w + k, offset2);
  for (uint j = first; j < last; j += TILE) {
    global VEC* top = w + k * width + j;
    global VEC* next = top + width;
    EACH_COLUMN(OLD_1)
    EACH_COLUMN(ROW_1)
    EACH_COLUMN(OLD_2)
    EACH_COLUMN(ROW_2)
    EACH_COLUMN(KEEP_ROWS)
    for (uint i = k + 2; i < n; ++i) {
      global VEC* row = w + i * width;
      const VEC l1 = -row[k], l2 = -row[k + 1];
      const INTS moved1 = p1 == (INTS)(i), moved2 = p2 == (INTS)(i);
      EACH_COLUMN(UPDATE_TWICE)
    }
  }
}

// Row of the largest entry of column k from row k on, lane by lane, the first among equals; a NaN
// counts as infinite.
INTS find_pivots(global const VEC* w, const uint n, const uint k) {
  const uint width = row_width(n);
  VEC best = (VEC)(-1);
  INTS p = (INTS)(k);
  for (uint i = k; i < n; ++i) {
    const VEC v = w[i * width + k];
    const VEC magnitude = select(fabs(v), (VEC)(INFINITY), isnan(v));
    const INTS larger = magnitude > best;
    best = select(best, magnitude, larger);
    p = select(p, (INTS)(i), larger);
  }
  return p;
}

// Chooses the pivots of column k and makes the column one of L; `bad` is each lane's info.
INTS factor_column(global VEC* w, const uint n, const uint k, INTS* bad) {
  const uint width = row_width(n);
  const INTS p = find_pivots(w, n, k);
  const VEC old = w[k * width + k];
  const VEC pivot = fetch(w + k, p * (INTEGER)(width * VEC_WIDTH)), size = fabs(pivot);
  const INTS usable = size > 0 && size < (VEC)(INFINITY);
  *bad = select(*bad, (INTS)(k + 1), *bad == 0 && !usable);
  const VEC scale = select((VEC)(1), (VEC)(SCALE), size < (VEC)(REAL_MIN_NORMAL));
  const VEC inverse = 1 / (pivot * scale);
  w[k * width + k] = pivot;
  for (uint i = k + 1; i < n; ++i) {
    global VEC* entry = w + i * width + k;
    *entry = select(*entry, old, p == (INTS)(i)) * scale * inverse;
  }
  ((global INTS*)(w + n * width))[k] = p;
  return p;
}
#endif

// Factors [A | B] in w, up to column `last`, and returns the info of each lane.
INTS eliminate(global VEC* w, const uint n, const uint last) {
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
void substitute_back(global VEC* w, const uint n, const uint columns) {
  const uint width = row_width(n);
  for (uint k = n; k-- > 0;)
    for (uint c = n; c < n + columns; ++c) {
      const VEC x = w[k * width + c] / w[k * width + k];
      w[k * width + c] = x;
      for (uint i = 0; i < k; ++i)
        w[i * width + c] = MULADD(-w[i * width + k], x, w[i * width + c]);
    }
}

// The matrices of `count` systems between memory and the lanes.
void load_matrices(global const REAL* a, const uint ld, const ulong stride, const uint count,
                   const uint n, global VEC* w) {
  for (uint i = 0; i < n; ++i)
    pack_across(a + (ulong)i * ld, stride, count, n, (REAL)1, (global REAL*)(w + i * row_width(n)),
                VEC_WIDTH);
}

void load_columns(global const REAL* b, const uint ld, const ulong stride, const uint count,
                  const uint n, const uint columns, global VEC* w) {
  for (uint i = 0; i < n; ++i)
    for (uint c = 0; c < RHS + TILE; ++c) {
      global REAL* lanes = (global REAL*)(w + i * row_width(n) + n + c);
      for (uint s = 0; s < VEC_WIDTH; ++s)
        lanes[s] = c < columns && s < count ? b[s * stride + (ulong)i * ld + c] : (REAL)0;
    }
}

void store_columns(global REAL* b, const uint ld, const ulong stride, const uint count,
                   const uint n, const uint columns, global const VEC* w, global const int* info) {
  for (uint s = 0; s < count; ++s)
    for (uint i = 0; i < n; ++i)
      for (uint c = 0; c < columns; ++c) {
        global const REAL* lanes = (global const REAL*)(w + i * row_width(n) + n + c);
        b[s * stride + (ulong)i * ld + c] = info[s] == 0 ? lanes[s] : (REAL)NAN;
      }
}

// X = A^-1 B; A is left as it is.
kernel void batched_factor_and_solve(global const REAL* a, const ulong a_offset, const uint a_ld,
                                     const ulong a_stride, global REAL* b, const ulong b_offset,
                                     const uint b_ld, const ulong b_stride, const uint nrhs,
                                     const uint n, const ulong batch, global int* info,
                                     global VEC* scratch) {
  global VEC* w = scratch + get_global_id(0) * scratch_size(n);
  global const INTS* pivots = (global const INTS*)(w + n * row_width(n));
  for (ulong s = get_global_id(0) * VEC_WIDTH; s < batch; s += get_global_size(0) * VEC_WIDTH) {
    const uint count = min((ulong)VEC_WIDTH, batch - s);
    load_matrices(a + a_offset + s * a_stride, a_ld, a_stride, count, n, w);
    for (uint first = 0; first < max(nrhs, 1u); first += RHS) {
      const uint columns = min((uint)RHS, nrhs - first);
      global REAL* x = b + b_offset + s * b_stride + first;
      load_columns(x, b_ld, b_stride, count, n, columns, w);
      if (first == 0) {
        const INTS bad = eliminate(w, n, n + columns);
        for (uint lane = 0; lane < count; ++lane)
          info[s + lane] = (int)((const INTEGER*)&bad)[lane];
      } else {
        for (uint k = 0; k < n; ++k) apply_step(w, n, k, pivots[k], n, n + columns);
      }
      substitute_back(w, n, columns);
      store_columns(x, b_ld, b_stride, count, n, columns, w, info + s);
    }
  }
}

// A becomes L\U, permutation[s n + i] the row of A that is row i of L U.
kernel void batched_factor(global REAL* a, const ulong a_offset, const uint a_ld,
                           const ulong a_stride, global int* permutation, const uint n,
                           const ulong batch, global int* info, global VEC* scratch) {
  global VEC* w = scratch + get_global_id(0) * scratch_size(n);
  const uint width = row_width(n);
  global const INTEGER* pivots = (global const INTEGER*)(w + n * width);
  for (ulong s = get_global_id(0) * VEC_WIDTH; s < batch; s += get_global_size(0) * VEC_WIDTH) {
    const uint count = min((ulong)VEC_WIDTH, batch - s);
    load_matrices(a + a_offset + s * a_stride, a_ld, a_stride, count, n, w);
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
        for (uint j = 0; j < (p != k ? k : 0); ++j) {
          const ulong above = ((ulong)k * width + j) * VEC_WIDTH,
                      below = ((ulong)p * width + j) * VEC_WIDTH;
          const REAL l = lu[above];
          lu[above] = lu[below];
          lu[below] = l;
        }
      }
      global REAL* out = a + a_offset + (s + lane) * a_stride;
      for (uint i = 0; i < n; ++i)
        for (uint j = 0; j < n; ++j)
          out[(ulong)i * a_ld + j] = lu[((ulong)i * width + j) * VEC_WIDTH];
    }
  }
}

// X = U^-1 L^-1 P B with what batched_factor left.
kernel void batched_solve(global const REAL* a, const ulong a_offset, const uint a_ld,
                          const ulong a_stride, global const int* permutation, global REAL* b,
                          const ulong b_offset, const uint b_ld, const ulong b_stride,
                          const uint nrhs, const uint n, const ulong batch, global const int* info,
                          global VEC* scratch) {
  global VEC* w = scratch + get_global_id(0) * scratch_size(n);
  const uint width = row_width(n);
  for (ulong s = get_global_id(0) * VEC_WIDTH; s < batch; s += get_global_size(0) * VEC_WIDTH) {
    const uint count = min((ulong)VEC_WIDTH, batch - s);
    load_matrices(a + a_offset + s * a_stride, a_ld, a_stride, count, n, w);
    for (uint first = 0; first < nrhs; first += RHS) {
      const uint columns = min((uint)RHS, nrhs - first);
      global REAL* x = b + b_offset + s * b_stride + first;
      for (uint i = 0; i < n; ++i)
        for (uint c = 0; c < columns; ++c)
          for (uint lane = 0; lane < VEC_WIDTH; ++lane)
            ((global REAL*)(w + i * width + n + c))[lane] =
                lane < count
                    ? x[lane * b_stride + (ulong)permutation[(s + lane) * n + i] * b_ld + c]
                    : (REAL)0;
      for (uint k = 0; k < n; ++k)
        for (uint i = k + 1; i < n; ++i)
          for (uint c = n; c < n + columns; ++c)
            w[i * width + c] = MULADD(-w[i * width + k], w[k * width + c], w[i * width + c]);
      substitute_back(w, n, columns);
      store_columns(x, b_ld, b_stride, count, n, columns, w, info + s);
    }
  }
}
