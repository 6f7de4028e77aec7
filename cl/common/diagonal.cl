// diagonal[i] <- A(i, i): after an elimination, the pivots. A file of its own, so that a solve by
// LU need not build the paper's elimination for it.
//
//   a   n-by-n, row-major, leading dimension ld
//
// NDRange: n work-items or more. No local memory.

#include "common.clh"

kernel void diagonal(global const REAL* a, ulong ld, ulong n, global REAL* diagonal) {
  const ulong i = get_global_id(0);
  if (i < n) diagonal[i] = a[i * ld + i];
}
