// One sweep of the iterations of Jacobi and of Seidel for A x = b, n-by-n, of which every
// right-hand side and every x is a row of b and x: x_i = (b_i - sum of a_ij x_j over j != i) /
// a_ii.
//
//   jacobi_sweep  all of `next` from all of x. NDRange: n work-groups of WG_SIZE.
//   seidel_sweep  the numbers `first` to `last` - 1 of x in place, one after the other, each with
//                 those before it. NDRange: a work-group of WG_SIZE for each right-hand side.
//
// A is row-major with leading dimension ld. Macro besides REAL_BITS: WG_SIZE, a power of two. Local
// memory: WG_SIZE scalars.

#include "common.clh"

#ifndef WG_SIZE
#error "WG_SIZE must be defined"
#endif

// (b_i - sum) / a_ii, for all work-items of the group.
REAL new_number(const global REAL* row, uint n, uint i, REAL b, const global REAL* x,
                local REAL* parts) {
  const uint id = get_local_id(0);
  REAL sum = 0;
  for (uint j = id; j < n; j += WG_SIZE) sum += j == i ? (REAL)0 : row[j] * x[j];
  parts[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = WG_SIZE / 2; reach > 0; reach /= 2) {
    if (id < reach) parts[id] += parts[id + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return (b - parts[0]) / row[i];
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void jacobi_sweep(
    const global REAL* restrict a, ulong ld, uint n, uint nrhs, const global REAL* restrict b,
    const global REAL* restrict x, global REAL* restrict next) {
  local REAL parts[WG_SIZE];
  const uint i = get_group_id(0);
  for (uint c = 0; c < nrhs; ++c) {
    const ulong column = (ulong)c * n;
    const REAL number = new_number(a + i * ld, n, i, b[column + i], x + column, parts);
    if (get_local_id(0) == 0) next[column + i] = number;
    barrier(CLK_LOCAL_MEM_FENCE);  // parts are read before they are written again
  }
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void seidel_sweep(
    const global REAL* restrict a, ulong ld, uint n, const global REAL* restrict b, global REAL* x,
    uint first, uint last) {
  local REAL parts[WG_SIZE];
  const ulong column = (ulong)get_group_id(0) * n;
  for (uint i = first; i < last; ++i) {
    const REAL number = new_number(a + i * ld, n, i, b[column + i], x + column, parts);
    if (get_local_id(0) == 0) x[column + i] = number;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
