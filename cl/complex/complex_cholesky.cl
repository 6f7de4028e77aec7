// A = L D L^H for a Hermitian positive definite A of complex numbers: the part that is not a
// product. L is unit lower triangular and D diagonal and real: Cholesky's factors without their
// square roots. They are stored in A as an LU without row exchanges, U = D L^H. Only A's lower
// triangle is read, and only the real parts of its diagonal. Numbers, offsets and leading
// dimensions are those of complex_lu.cl. Portable OpenCL C 1.2.
//
// hermitian_block: the `size` columns at a + offset become L, D and U. Step k writes row k of U
// from column k, then every row below loses its multiple of it, in vectors, whose ends reach into
// places of U that a later step writes.
// info[0]: minimum of first + k over the pivots that are not positive numbers.
// NDRange: one work-group of GROUP. Local memory: 2 BLOCK scalars.
//
// hermitian_turn: number (j, i) of what lies at `to` becomes the conjugate of number (i, j) of the
// rows x columns at `from`; where `divides` is 1, over number i of the diagonal at `diagonal`.
// NDRange: GROUP x 1 work-groups, one for each EDGE x EDGE numbers; EDGE = 16.
//
// Macros besides REAL_BITS: VEC_WIDTH, 2, 4, 8 or 16; BLOCK, a multiple of 8, the largest `size`;
// GROUP, 1 or a multiple of 16.

#include "complex_vectors.clh"

#if !defined(GROUP) || !defined(BLOCK)
#error "GROUP and BLOCK must be defined"
#endif
#if BLOCK % 8 != 0
#error "BLOCK must be a multiple of 8"
#endif
#if GROUP > 1 && GROUP % 16 != 0
#error "GROUP must be 1 or a multiple of 16"
#endif

#define EDGE 16
#define LANES (GROUP > 1 ? 16 : 1)  // work-items of a row

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void hermitian_block(
    global REAL* a, ulong offset, uint ld, uint size, uint first, global int* restrict info) {
  local REAL u[2 * BLOCK];  // row k of U, with zeros up to the diagonal and behind the block
  const uint item = get_local_id(0), lane = item % LANES;
  const uint end = (2 * size + VEC_WIDTH - 1) / VEC_WIDTH * VEC_WIDTH;
  global REAL* const block = a + offset;
  for (uint k = 0; k < size; ++k) {
    global REAL* const top = block + (ulong)k * ld;
    const REAL d = top[2 * k];
    for (uint c = item; 2 * c < end; c += GROUP) {
      NUMBER number = NUMBER_OF(0, 0);
      if (c > k && c < size) {
        const global REAL* const from = block + (ulong)c * ld + 2 * k;
        number = conjugate(NUMBER_OF(from[0], from[1]));
        top[2 * c] = number.x;
        top[2 * c + 1] = number.y;
      }
      u[2 * c] = number.x;
      u[2 * c + 1] = number.y;
    }
    if (item == 0) {
      top[2 * k + 1] = 0;
      if (!(d > 0 && d < (REAL)INFINITY) && info[0] > (int)(first + k)) info[0] = (int)(first + k);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = k + 1 + item / LANES; i < size; i += GROUP / LANES) {
      global REAL* const row = block + (ulong)i * ld;
      const NUMBER l = conjugate(NUMBER_OF(u[2 * i], u[2 * i + 1])) / d;
      for (uint part = (2 * k + 2) / VEC_WIDTH + lane; part * VEC_WIDTH <= 2 * i; part += LANES) {
        const VEC by = VLOAD(u + part * VEC_WIDTH);
        global REAL* const at = row + part * VEC_WIDTH;
        VSTORE(VLOAD(at) - l.x * by - l.y * TIMES_I(by), at);
      }
      if (lane == 0) {
        row[2 * k] = l.x;
        row[2 * k + 1] = l.y;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void hermitian_turn(
    global REAL* a, ulong from, ulong to, uint ld, uint rows, uint columns, ulong diagonal,
    uint divides) {
  const uint top = get_group_id(0) * EDGE, left = get_group_id(1) * EDGE;
  for (uint e = get_local_id(0); e < EDGE * EDGE; e += GROUP) {
    const uint i = top + e % EDGE, j = left + e / EDGE;
    if (i >= rows || j >= columns) continue;
    const global REAL* const here = a + from + (ulong)i * ld + 2 * j;
    global REAL* const there = a + to + (ulong)j * ld + 2 * i;
    NUMBER number = conjugate(NUMBER_OF(here[0], here[1]));
    if (divides) number /= a[diagonal + (ulong)i * ld + 2 * i];
    there[0] = number.x;
    there[1] = number.y;
  }
}
