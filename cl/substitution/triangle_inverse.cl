// Inverses of the diagonal blocks of a triangle, by substitution: block k of BLOCK rows and columns
// goes to inverses + k BLOCK^2, row-major; the last one may be cut.
//
//   t + offset   the n x n triangle, row-major, ld; unit lower (upper = 0) or upper (upper = 1),
//                what lies beside it is not read
//
// Macros besides REAL_BITS: BLOCK, rows of a block; VEC_WIDTH, columns of an inverse that a
// work-item computes: 1, or a vector of 2, 4, 8 or 16. NDRange: BLOCK / VEC_WIDTH x blocks; any
// work-group size. No local memory.

#include "vectors.clh"

#if !defined(BLOCK) || !defined(VEC_WIDTH)
#error "BLOCK and VEC_WIDTH must be defined"
#endif
#if BLOCK % VEC_WIDTH != 0
#error "BLOCK must be a multiple of VEC_WIDTH"
#endif

kernel void invert_diagonal_blocks(const global REAL* restrict t, ulong offset, uint ld, uint n,
                                   uint upper, global REAL* restrict inverses) {
  const uint first = (uint)get_global_id(0) * VEC_WIDTH, block = get_global_id(1);
  const uint base = block * BLOCK, size = min((uint)BLOCK, n - base);
  const global REAL* triangle = t + offset + (ulong)base * ld + base;
  global REAL* x = inverses + (ulong)block * BLOCK * BLOCK + first;
  for (uint step = 0; step < size; ++step) {
    const uint i = upper != 0 ? size - 1 - step : step;
    const global REAL* row = triangle + (ulong)i * ld;
    VSTORE((VEC)(0), x + i * BLOCK);
    if (i >= first && i < first + VEC_WIDTH) x[i * BLOCK + i - first] = 1;
    VEC sum = VLOAD(x + i * BLOCK);
    const uint end = upper != 0 ? size : i;
    for (uint j = upper != 0 ? i + 1 : 0; j < end; ++j) sum -= row[j] * VLOAD(x + j * BLOCK);
    VSTORE(upper != 0 ? sum / row[i] : sum, x + i * BLOCK);
  }
}
