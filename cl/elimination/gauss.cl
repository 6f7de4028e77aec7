// Gauss elimination of the augmented matrix [A | B], one launch a kernel and step, after Baranov
// and Vlatskaya (2013).
//
//   a        n-by-(n + nrhs), row-major, leading dimension ld >= n + nrhs; the right-hand sides
//            are the columns from n on
//   x        n-by-nrhs, row-major, dense
//   k        the step, 0-based
//   pivots   pivots[k] = the row exchanged with row k (partial pivoting only)
//
// One step forward:   [gauss_pivot, gauss_swap,] gauss_fwd_pre, gauss_fwd
// One step backward:  gauss_bwd_prepare, gauss_bwd
//
// The NDRange may cover the whole matrix in every step (fixed: work-items outside the step's part
// return at once) or, by a global offset, only the part that is left (shrinking). Any work-group
// size is right, 1 included. The first dimension may go beyond its end, so that the last work-group
// is a whole one: the surplus work-items return at once. Elements below the diagonal keep the
// multipliers; nothing reads them after their step.

#include "common.clh"

// A(i, k) <- A(i, k) / A(k, k), i > k.   NDRange: rows; fixed n, shrinking k+1 .. n-1.
kernel void gauss_fwd_pre(global REAL* a, ulong ld, ulong k, ulong n) {
  const ulong i = get_global_id(0);
  if (i > k && i < n) a[i * ld + k] /= a[k * ld + k];
}

// A(i, j) <- A(i, j) - A(k, j) A(i, k), i > k, j > k.
// NDRange: columns x rows; fixed (n + nrhs) x n, shrinking from (k+1, k+1).
kernel void gauss_fwd(global REAL* a, ulong ld, ulong k) {
  const ulong j = get_global_id(0);
  const ulong i = get_global_id(1);
  if (i > k && j > k && j < ld) a[i * ld + j] -= a[k * ld + j] * a[i * ld + k];
}

// x(k, r) <- b(k, r) / A(k, k).   NDRange: nrhs; one work-item for one right-hand side.
kernel void gauss_bwd_prepare(global const REAL* a, ulong ld, ulong n, ulong k, global REAL* x,
                              ulong nrhs) {
  const ulong r = get_global_id(0);
  if (r < nrhs) x[k * nrhs + r] = a[k * ld + n + r] / a[k * ld + k];
}

// b(i, r) <- b(i, r) - x(k, r) A(i, k), i < k.
// NDRange: rows x nrhs; fixed n x nrhs, shrinking k x nrhs.
kernel void gauss_bwd(global REAL* a, ulong ld, ulong n, ulong k, global const REAL* x,
                      ulong nrhs) {
  const ulong i = get_global_id(0);
  const ulong r = get_global_id(1);
  if (i < k) a[i * ld + n + r] -= x[k * nrhs + r] * a[i * ld + k];
}

// pivots[k] <- the row i >= k with the largest |A(i, k)|, the lowest such row on a tie.   NDRange:
// one work-group. A NaN counts as infinitely large: it becomes the pivot and is reported, where a
// comparison would pass it over. Local memory: one REAL and one ulong a work-item.
kernel void gauss_pivot(global const REAL* a, ulong ld, ulong n, ulong k, global ulong* pivots,
                        local REAL* largest, local ulong* row) {
  const uint me = get_local_id(0);
  REAL my_largest = -1;
  ulong my_row = k;
  for (ulong i = k + me; i < n; i += get_local_size(0)) {
    const REAL value = a[i * ld + k];
    const REAL magnitude = isnan(value) ? INFINITY : fabs(value);
    if (magnitude > my_largest) {
      my_largest = magnitude;
      my_row = i;
    }
  }
  largest[me] = my_largest;
  row[me] = my_row;
  barrier(CLK_LOCAL_MEM_FENCE);

  // Halve the candidates until one is left; the work-group size need not be a power of two.
  for (uint candidates = get_local_size(0); candidates > 1;) {
    const uint half_up = (candidates + 1) / 2;
    const uint other = me + half_up;
    if (other < candidates &&
        (largest[other] > largest[me] || (largest[other] == largest[me] && row[other] < row[me]))) {
      largest[me] = largest[other];
      row[me] = row[other];
    }
    candidates = half_up;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (me == 0) pivots[k] = row[0];
}

// Exchanges rows k and pivots[k] from column k on.   NDRange: columns; fixed n + nrhs, shrinking
// from k.
kernel void gauss_swap(global REAL* a, ulong ld, ulong k, global const ulong* pivots) {
  const ulong j = get_global_id(0);
  const ulong p = pivots[k];
  if (j >= k && j < ld && p != k) {
    const REAL upper = a[k * ld + j];
    a[k * ld + j] = a[p * ld + j];
    a[p * ld + j] = upper;
  }
}
