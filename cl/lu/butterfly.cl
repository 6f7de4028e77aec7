// Random butterflies of depth 2 (Parker 1995; Baboulin, Dongarra, Herrmann, Tomov 2013): R = U^T A
// V, Y = P U^T X and Y = V P^T X, portable OpenCL C 1.2, each in one pass.
//
//     U = diag(B1, B2) B3,   B = [ D D' ] (a butterfly; D, D' diagonal, at random near 1) / sqrt(2)
//                                [ D -D']
//
// B3 couples row i with i + 2 q, B1 and B2 couple it with i + q, q = ceil(n / 4): U mixes the rows
// i, i + q, i + 2 q and i + 3 q with each other and with no other. A quadruple that passes the end
// of the matrix has fewer rows; a row whose partner is not there keeps its place in the butterfly,
// so that U stays invertible and nothing is padded. (A padding by ones would have to be as large as
// A is, or the sums would lose A or it.)
//
//   u, v: 2 n floats each, those of B1 and B2, then those of B3: a float is exact in both types, so
//   all kernels mean the same U.
// REAL is the type of A and of the arithmetic, OUT that of R: f64 -> f32 rounds once.
// two_sided:  a work-item takes 4 x 4 elements. NDRange: q columns x q rows, rounded up to WG_SIZE
//             columns.
// transposed, forward: a work-item takes 4 rows of one column of X, n x nrhs; row i of U^T X
// becomes row positions[i] of Y, as
//             row exchanges want it, and row positions[i] of X is row i of what V is applied to.
//             NDRange: nrhs columns x q rows, any local size.
// Local memory: none.

#include "common.clh"

#if !defined(OUT_BITS) || !defined(WG_SIZE)
#error "OUT_BITS and WG_SIZE must be defined"
#endif
#if OUT_BITS == 64
#define OUT double
#elif OUT_BITS == 32
#define OUT float
#else
#error "OUT_BITS must be 32 or 64"
#endif
#define QUADRUPLE 4

// How many rows of the quadruple i there are.
static inline uint members(uint i, uint quadruples, uint n) {
  return (n - i + quadruples - 1) / quadruples;
}

// The numbers of B1 or B2, then of B3, at the rows of the quadruple i; 0 where there is none.
static inline void load_diagonals(const global float* diagonals, uint i, uint quadruples, uint n,
                                  REAL* inner, REAL* outer) {
  UNROLLED
  for (uint k = 0; k < QUADRUPLE; ++k) {
    const uint row = i + k * quadruples;
    inner[k] = row < n ? diagonals[row] : 0.0f;
    outer[k] = row < n ? diagonals[n + row] : 0.0f;
  }
}

// y <- U^T y. Where a row is not there, its `inner` and `outer` are 0, and so is what is coupled
// from there.
static inline void apply_transposed(REAL* y, const REAL* inner, const REAL* outer) {
  const REAL a = inner[0] * (y[0] + y[1]), b = inner[1] * (y[0] - y[1]),
             c = inner[2] * (y[2] + y[3]), d = inner[3] * (y[2] - y[3]);
  y[0] = outer[0] * (a + c) / 2;  // of two butterflies, each by the root of 2
  y[1] = outer[1] * (b + d) / 2;
  y[2] = outer[2] * (a - c) / 2;
  y[3] = outer[3] * (b - d) / 2;
}

// y <- V y, and likewise; y of what is not there is 0.
static inline void apply(REAL* y, const REAL* inner, const REAL* outer) {
  const REAL a = outer[0] * y[0], b = outer[1] * y[1], c = outer[2] * y[2], d = outer[3] * y[3];
  const REAL e = inner[0] * (a + c), f = inner[1] * (b + d), g = inner[2] * (a - c),
             h = inner[3] * (b - d);
  y[0] = (e + f) / 2;
  y[1] = (e - f) / 2;
  y[2] = (g + h) / 2;
  y[3] = (g - h) / 2;
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void two_sided(
    const global REAL* restrict a, ulong a_offset, uint a_ld, uint n,
    const global float* restrict u, const global float* restrict v, global OUT* restrict r,
    ulong r_offset, uint r_ld) {
  const uint quadruples = (n + QUADRUPLE - 1) / QUADRUPLE, i = get_global_id(1),
             j = get_global_id(0);
  if (j >= quadruples) return;
  const uint rows = members(i, quadruples, n), columns = members(j, quadruples, n);
  REAL inner[QUADRUPLE], outer[QUADRUPLE], x[QUADRUPLE][QUADRUPLE];
  UNROLLED
  for (uint s = 0; s < QUADRUPLE; ++s) {
    const global REAL* row = a + a_offset + (ulong)(i + s * quadruples) * a_ld + j;
    UNROLLED
    for (uint t = 0; t < QUADRUPLE; ++t)
      x[s][t] = s < rows && t < columns ? row[(ulong)t * quadruples] : (REAL)0;
  }
  load_diagonals(v, j, quadruples, n, inner, outer);
  UNROLLED
  for (uint s = 0; s < QUADRUPLE; ++s) apply_transposed(x[s], inner, outer);  // A V = (V^T A^T)^T
  load_diagonals(u, i, quadruples, n, inner, outer);
  UNROLLED
  for (uint t = 0; t < QUADRUPLE; ++t) {
    REAL y[QUADRUPLE] = {x[0][t], x[1][t], x[2][t], x[3][t]};
    apply_transposed(y, inner, outer);
    UNROLLED
    for (uint s = 0; s < QUADRUPLE; ++s)
      if (s < rows && t < columns)
        r[r_offset + (ulong)(i + s * quadruples) * r_ld + j + t * quadruples] = (OUT)y[s];
  }
}

kernel void transposed(const global REAL* restrict x, ulong x_offset, uint x_ld, uint n,
                       const global float* restrict u, const global int* restrict positions,
                       global REAL* restrict y, ulong y_offset, uint y_ld) {
  const uint quadruples = (n + QUADRUPLE - 1) / QUADRUPLE, i = get_global_id(1),
             c = get_global_id(0), rows = members(i, quadruples, n);
  REAL inner[QUADRUPLE], outer[QUADRUPLE], z[QUADRUPLE];
  load_diagonals(u, i, quadruples, n, inner, outer);
  UNROLLED
  for (uint k = 0; k < QUADRUPLE; ++k)
    z[k] = k < rows ? x[x_offset + (ulong)(i + k * quadruples) * x_ld + c] : (REAL)0;
  apply_transposed(z, inner, outer);
  UNROLLED
  for (uint k = 0; k < QUADRUPLE; ++k)
    if (k < rows) y[y_offset + (ulong)positions[i + k * quadruples] * y_ld + c] = z[k];
}

kernel void forward(const global REAL* restrict x, ulong x_offset, uint x_ld, uint n,
                    const global float* restrict v, const global int* restrict positions,
                    global REAL* restrict y, ulong y_offset, uint y_ld) {
  const uint quadruples = (n + QUADRUPLE - 1) / QUADRUPLE, i = get_global_id(1),
             c = get_global_id(0), rows = members(i, quadruples, n);
  REAL inner[QUADRUPLE], outer[QUADRUPLE], z[QUADRUPLE];
  load_diagonals(v, i, quadruples, n, inner, outer);
  UNROLLED
  for (uint k = 0; k < QUADRUPLE; ++k)
    z[k] = k < rows ? x[x_offset + (ulong)positions[i + k * quadruples] * x_ld + c] : (REAL)0;
  apply(z, inner, outer);
  UNROLLED
  for (uint k = 0; k < QUADRUPLE; ++k)
    if (k < rows) y[y_offset + (ulong)(i + k * quadruples) * y_ld + c] = z[k];
}
