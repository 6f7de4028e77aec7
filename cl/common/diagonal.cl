// diagonal[i] <- A(i, i): after an elimination, the pivots. A file of its own, so that a solve by
// LU need not build the kernels of the elimination.
//
//   a   n-by-n, row-major, leading dimension ld, of real numbers or, COMPLEX 1, complex ones
//
// NDRange: n work-items or more. No local memory.

#include "common.clh"
#include "numbers.clh"

kernel void diagonal(global const NUMBER* a, ulong ld, ulong n, global NUMBER* diagonal) {
  const ulong i = get_global_id(0);
  if (i < n) diagonal[i] = a[i * ld + i];
}
