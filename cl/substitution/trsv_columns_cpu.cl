// Triangular solves with RHS right-hand sides for CPUs, with the factors of an LU in one matrix a
// (n x n, row-major, ld; L's unit diagonal is not stored): X <- T^-1 X and X <- T^-T X for T = L
// and T = U. The factors are read once, by rows, four at a time as vectors, whatever RHS is: plain,
// x_i -= sum of t_ij x_j for four i; transposed, x_j -= t_ij x_i for many j.
//
// Vectors: RHS columns of n contiguous numbers each. Macros: those of cpu_tile.clh (of which only
// VEC_WIDTH and USE_FMA count here) and RHS: 1, 2, 4 or 8. No local memory.
#include "common.clh"
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

// Columns that are taken at a time: their part of x stays in a near cache while all rows pass by.
#define STRIP 1024

// Column r of x.
#define X(r) (x + r * (ulong)n)

// Rows i .. i + rows - 1, rows <= 4; what is beyond is the first one.
#define FOUR_ROWS                                           \
  global const REAL* row_0 = t + i * ld;                    \
  global const REAL* row_1 = rows > 1 ? row_0 + ld : row_0; \
  global const REAL* row_2 = rows > 2 ? row_1 + ld : row_0; \
  global const REAL* row_3 = rows > 3 ? row_2 + ld : row_0;
#define LOAD_FOUR                                                                   \
  const VEC v_0 = VLOAD(row_0 + j), v_1 = VLOAD(row_1 + j), v_2 = VLOAD(row_2 + j), \
            v_3 = VLOAD(row_3 + j);

// ---- plain

REAL sum_of(const VEC v) {
  REAL lanes[VEC_WIDTH];
  VSTORE(v, lanes);
  REAL sum = 0;
  for (uint i = 0; i < VEC_WIDTH; ++i) sum += lanes[i];
  return sum;
}

#define START_DOTS(r) \
  VEC d_##r##_0 = (VEC)(0), d_##r##_1 = (VEC)(0), d_##r##_2 = (VEC)(0), d_##r##_3 = (VEC)(0);
#define ADD_TO_DOTS(r)                         \
  {                                            \
    const VEC known = VLOAD(X(r) + j);         \
    d_##r##_0 = MULADD(v_0, known, d_##r##_0); \
    d_##r##_1 = MULADD(v_1, known, d_##r##_1); \
    d_##r##_2 = MULADD(v_2, known, d_##r##_2); \
    d_##r##_3 = MULADD(v_3, known, d_##r##_3); \
  }
#define SUM_DOTS(r)                                                  \
  REAL s_##r##_0 = sum_of(d_##r##_0), s_##r##_1 = sum_of(d_##r##_1), \
       s_##r##_2 = sum_of(d_##r##_2), s_##r##_3 = sum_of(d_##r##_3);
#define ADD_ONE(r)                 \
  s_##r##_0 += row_0[j] * X(r)[j]; \
  s_##r##_1 += row_1[j] * X(r)[j]; \
  s_##r##_2 += row_2[j] * X(r)[j]; \
  s_##r##_3 += row_3[j] * X(r)[j];
#define SUBTRACT_DOTS(r)                  \
  X(r)[i] -= s_##r##_0;                   \
  if (rows > 1) X(r)[i + 1] -= s_##r##_1; \
  if (rows > 2) X(r)[i + 2] -= s_##r##_2; \
  if (rows > 3) X(r)[i + 3] -= s_##r##_3;

// x_i -= sum of t_ij x_j over the columns first .. last - 1, for the rows i .. i + rows - 1.
void subtract_dots(global const REAL* t, const ulong ld, const uint n, const uint i,
                   const uint rows, const uint first, const uint last, global REAL* x) {
  FOUR_ROWS
  EACH_RHS(START_DOTS)
  uint j = first;
  for (; j + VEC_WIDTH <= last; j += VEC_WIDTH) {
    LOAD_FOUR
    EACH_RHS(ADD_TO_DOTS)
  }
  EACH_RHS(SUM_DOTS)
  PLAIN_LOOP
  for (; j < last; ++j) {
    EACH_RHS(ADD_ONE)
  }
  EACH_RHS(SUBTRACT_DOTS)
}

// ---- transposed

#define FACTORS(r)                                                          \
  const REAL f_##r##_0 = -X(r)[i], f_##r##_1 = rows > 1 ? -X(r)[i + 1] : 0, \
             f_##r##_2 = rows > 2 ? -X(r)[i + 2] : 0, f_##r##_3 = rows > 3 ? -X(r)[i + 3] : 0;
#define SUBTRACT_VECTOR(r)                                 \
  {                                                        \
    VEC rest = VLOAD(X(r) + j);                            \
    rest = MULADD((VEC)(f_##r##_0), v_0, rest);            \
    rest = MULADD((VEC)(f_##r##_1), v_1, rest);            \
    rest = MULADD((VEC)(f_##r##_2), v_2, rest);            \
    VSTORE(MULADD((VEC)(f_##r##_3), v_3, rest), X(r) + j); \
  }
#define SUBTRACT_ONE(r)                                                                            \
  {                                                                                                \
    global REAL* rest = X(r) + j;                                                                  \
    *rest +=                                                                                       \
        f_##r##_0 * row_0[j] + f_##r##_1 * row_1[j] + f_##r##_2 * row_2[j] + f_##r##_3 * row_3[j]; \
  }

// x_j -= sum of t_ij x_i over the rows i .. i + rows - 1, for the columns first .. last - 1.
void subtract_rows(global const REAL* t, const ulong ld, const uint n, const uint i,
                   const uint rows, const uint first, const uint last, global REAL* x) {
  FOUR_ROWS
  EACH_RHS(FACTORS)
  uint j = first;
  for (; j + VEC_WIDTH <= last; j += VEC_WIDTH) {
    LOAD_FOUR
    EACH_RHS(SUBTRACT_VECTOR)
  }
  PLAIN_LOOP
  for (; j < last; ++j) {
    EACH_RHS(SUBTRACT_ONE)
  }
}

// ---- both

// What the solved x_s, s = solved .. solved_end - 1, take from x_first .. x_(last - 1).
void subtract_solved(global const REAL* t, const ulong ld, const uint n, const uint transposed,
                     const uint solved, const uint solved_end, const uint first, const uint last,
                     global REAL* x) {
  if (transposed) {
    for (uint j = first; j < last; j += STRIP)
      for (uint i = solved; i < solved_end; i += 4)
        subtract_rows(t, ld, n, i, min(4u, solved_end - i), j, min(last, j + STRIP), x);
  } else {
    for (uint j = solved; j < solved_end; j += STRIP)
      for (uint i = first; i < last; i += 4)
        subtract_dots(t, ld, n, i, min(4u, last - i), j, min(solved_end, j + STRIP), x);
  }
}

// x_i, x_(i+1), ... <- their solution with the corner of `rows` <= 4 rows and columns at i of T or
// T^T.
void solve_corner(global const REAL* t, const ulong ld, const uint n, const uint i, const uint rows,
                  const uint upper, const uint transposed, global REAL* x) {
  const uint downwards = upper == transposed;
  for (uint r = 0; r < RHS; ++r) {
    global REAL* v = X(r) + i;
    for (uint step = 0; step < rows; ++step) {
      const uint k = downwards ? step : rows - 1 - step;
      for (uint other = 0; other < step; ++other) {
        const uint s = downwards ? other : rows - 1 - other;
        v[k] -= t[(i + (transposed ? s : k)) * ld + i + (transposed ? k : s)] * v[s];
      }
      if (upper) v[k] /= t[(i + k) * ld + i + k];
    }
  }
}

// Block s of `size` rows, L's (upper 0) or U's (upper 1), in the order of the substitution: from
// the first to the last for L and for U transposed, else from the last to the first. Work-item 0
// subtracts from x_s what the block before it, solved in the last step, takes from it, and solves
// it. Meanwhile the others share, by whole runs along the rows,
//   transposed: what the block before s takes from all that comes after s,
//   plain: what all blocks before s take from the one after s.
// NDRange: at least two work-items, local 1.
kernel void columns_step(global const REAL* a, const ulong offset, const ulong ld, const uint n,
                         const uint size, const uint block, const uint upper, const uint transposed,
                         global REAL* x) {
  const uint downwards = upper == transposed;
  const uint begin = block * size, end = min(n, begin + size);
  const uint before = downwards ? begin - min(begin, size) : end,
             before_end = downwards ? begin : min(n, end + size);
  const uint after = downwards    ? end
                     : transposed ? 0
                                  : begin - min(begin, size),
             after_end = !downwards   ? begin
                         : transposed ? n
                                      : min(n, end + size);
  const uint id = (uint)get_global_id(0), helpers = (uint)get_global_size(0) - 1;
  const uint unit = transposed ? 16 : 4;
  const uint share = ((after_end - after + helpers - 1) / helpers + unit - 1) / unit * unit;
  const uint first = min(after_end, after + (id - 1) * share), last = min(after_end, first + share);
  global const REAL* t = a + offset;
  const bool all = id > 0 && !transposed;  // the blocks before s, not only the last of them
  subtract_solved(t, ld, n, transposed, all ? (downwards ? 0 : end) : before,
                  all ? (downwards ? begin : n) : before_end, id > 0 ? first : begin,
                  id > 0 ? last : end, x);
  if (id > 0) return;
  for (uint done = 0; done < end - begin; done += 4) {
    const uint rows = min(4u, end - begin - done);
    const uint i = downwards ? begin + done : end - done - rows;
    if (transposed) {
      solve_corner(t, ld, n, i, rows, upper, transposed, x);
      subtract_solved(t, ld, n, 1, i, i + rows, downwards ? i + rows : begin, downwards ? end : i,
                      x);
    } else {
      subtract_solved(t, ld, n, 0, downwards ? begin : i + rows, downwards ? i : end, i, i + rows,
                      x);
      solve_corner(t, ld, n, i, rows, upper, transposed, x);
    }
  }
}
