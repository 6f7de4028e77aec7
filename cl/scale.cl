// C <- beta C, row-major with leading dimension ldc: what is left of a matrix product whose inner
// dimension or alpha is 0.
//
// NDRange: columns x rows of C; any work-group size. beta 0 does not read C.

#include "common.clh"

kernel void scale(global REAL* c, ulong offset, ulong ldc, REAL beta) {
  global REAL* cell = c + offset + get_global_id(1) * ldc + get_global_id(0);
  *cell = beta == 0 ? 0 : beta * *cell;
}
