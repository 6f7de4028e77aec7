// Transposed triangular solves with RHS right-hand sides for CPUs: X <- U^-T X, X <- L^-T X with the factors of an LU in one
// matrix a (n x n, row-major, ld; L's unit diagonal is not stored), read by rows, four at a time as vectors: x_j -= t_ij x_i for
// many j at once.
//
// Vectors: RHS columns of n contiguous numbers each. Macros: those of cpu_tile.clh (of which only VEC_WIDTH and USE_FMA count here)
// and RHS: 1, 2, 4 or 8. No local memory.
#include "columns.clh"
#include "cpu_tile.clh"

#ifndef RHS
#error "RHS is required"
#endif
#if RHS == 1
#define EACH_RHS(f) f(0)
#elif RHS == 2
#define EACH_RHS(f) f(0) f(1)
#elif RHS == 4
#define EACH_RHS(f) f(0) f(1) f(2) f(3)
#elif RHS == 8
#define EACH_RHS(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#else
#error "RHS must be 1, 2, 4 or 8"
#endif

// Columns that are taken at a time: their part of x stays in the first-level cache while all rows pass by.
#define STRIP 512

#define FACTORS(r)                                                \
  const REAL f_##r##_0 = -x[r * (ulong)n + i],                    \
             f_##r##_1 = rows > 1 ? -x[r * (ulong)n + i + 1] : 0, \
             f_##r##_2 = rows > 2 ? -x[r * (ulong)n + i + 2] : 0, \
             f_##r##_3 = rows > 3 ? -x[r * (ulong)n + i + 3] : 0;
#define SUBTRACT_VECTOR(r)                             \
  {                                                    \
    global REAL* out = x + r * (ulong)n + j;           \
    VEC sum = VLOAD(out);                              \
    sum = MULADD((VEC)(f_##r##_0), row_0, sum);        \
    sum = MULADD((VEC)(f_##r##_1), row_1, sum);        \
    sum = MULADD((VEC)(f_##r##_2), row_2, sum);        \
    VSTORE(MULADD((VEC)(f_##r##_3), row_3, sum), out); \
  }
#define SUBTRACT_ONE(r)  \
  x[r * (ulong)n + j] += \
      f_##r##_0 * p_0[j] + f_##r##_1 * p_1[j] + f_##r##_2 * p_2[j] + f_##r##_3 * p_3[j];

// x_j -= sum of t_kj x_k over the rows k = i .. i + rows - 1, rows <= 4, for the columns first .. last - 1. Rows that are not
// there are the first one, times zero.
void subtract_rows(global const REAL* t, const ulong ld, const uint n, const uint i,
                   const uint rows, const uint first, const uint last, global REAL* x) {
  global const REAL* p_0 = t + i * ld;
  global const REAL* p_1 = rows > 1 ? p_0 + ld : p_0;
  global const REAL* p_2 = rows > 2 ? p_1 + ld : p_0;
  global const REAL* p_3 = rows > 3 ? p_2 + ld : p_0;
  EACH_RHS(FACTORS)
  uint j = first;
  for (; j + VEC_WIDTH <= last; j += VEC_WIDTH) {
    const VEC row_0 = VLOAD(p_0 + j), row_1 = VLOAD(p_1 + j), row_2 = VLOAD(p_2 + j),
              row_3 = VLOAD(p_3 + j);
    EACH_RHS(SUBTRACT_VECTOR)
  }
  PLAIN_LOOP
  for (; j < last; ++j) {
    EACH_RHS(SUBTRACT_ONE)
  }
}

// The same for any number of rows.
void subtract_block(global const REAL* t, const ulong ld, const uint n, const uint begin,
                    const uint end, const uint first, const uint last, global REAL* x) {
  for (uint j = first; j < last; j += STRIP)
    for (uint i = begin; i < end; i += 4)
      subtract_rows(t, ld, n, i, min(4u, end - i), j, min(last, j + STRIP), x);
}

// x(begin:end) <- T^-T x(begin:end) with the diagonal block of U or L, four rows at a time.
void solve_block(global const REAL* t, const ulong ld, const uint n, const uint begin,
                 const uint end, const uint upper, global REAL* x) {
  for (uint done = 0; done < end - begin; done += 4) {
    const uint rows = min(4u, end - begin - done);
    const uint i = upper ? begin + done : end - done - rows;
    for (uint c = 0; c < RHS; ++c) {
      global REAL* v = x + c * (ulong)n + i;
      for (uint s = 0; s < rows; ++s) {
        const uint k = upper ? s : rows - 1 - s;
        global const REAL* row = t + (i + k) * ld + i;
        if (upper) v[k] /= row[k];
        for (uint j = upper ? k + 1 : 0; j < (upper ? rows : k); ++j) v[j] -= row[j] * v[k];
      }
    }
    subtract_rows(t, ld, n, i, rows, upper ? i + rows : begin, upper ? end : i, x);
  }
}

// Block s of `size` rows, upper 1: of U, s = 0, 1, ...; 0: of L, from the last to the first. What block s - 1 (or s + 1), which is
// solved, takes from all columns that are not is subtracted; work-item 0 takes the columns of block s and solves them, the others
// share the rest. NDRange: any number of work-items, local 1.
kernel void transposed_block(global const REAL* a, const ulong offset, const ulong ld, const uint n,
                             const uint size, const uint block, const uint upper, global REAL* x) {
  const uint begin = block * size, end = min(n, begin + size);
  const uint solved = upper ? begin - min(begin, size) : end,
             solved_end = upper ? begin : min(n, end + size);
  const uint id = (uint)get_global_id(0), helpers = max((uint)get_global_size(0), 2u) - 1;
  const uint rest = upper ? end : 0, rest_end = upper ? n : begin;
  const uint share = ((rest_end - rest + helpers - 1) / helpers + 15) / 16 * 16;
  const uint first = id == 0 ? begin : min(rest_end, rest + (id - 1) * share);
  const uint last = id == 0 ? end : min(rest_end, first + share);
  global const REAL* t = a + offset;
  subtract_block(t, ld, n, solved, solved_end, first, last, x);
  if (id == 0) solve_block(t, ld, n, begin, end, upper, x);
}
