// The parts of a matrix product that its own kernels leave out; all matrices are row-major.
//
// scale: C <- beta C, for a product whose inner dimension or alpha is 0.
// add_slices: C <- beta C + P_0 + .. + P_(slices - 1), for products of slices of the inner
// dimension, which lie one under the other.
//
// NDRange: columns x rows of C; any work-group size. beta 0 does not read C.

#include "common.clh"

kernel void scale(global REAL* c, ulong offset, ulong ldc, REAL beta) {
  global REAL* cell = c + offset + get_global_id(1) * ldc + get_global_id(0);
  *cell = beta == 0 ? 0 : beta * *cell;
}

kernel void add_slices(const global REAL* restrict products, ulong ld, uint slices,
                       global REAL* restrict c, ulong offset, ulong ldc, REAL beta) {
  const ulong row = get_global_id(1), column = get_global_id(0);
  REAL sum = 0;
  for (uint s = 0; s < slices; ++s) sum += products[(s * get_global_size(1) + row) * ld + column];
  global REAL* const cell = c + offset + row * ldc + column;
  *cell = beta == 0 ? sum : sum + beta * *cell;
}
