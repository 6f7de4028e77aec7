// Helpers of the experiments: a matrix with known numbers, a check of elimination steps on it that
// shares nothing with the kernel under test, a kernel that does nothing, and one that sees in which
// work-group it runs.
//
//   a        rows-by-cols, row-major, leading dimension ld >= cols
//
// All kernels: NDRange ld x rows, the columns or more (surplus work-items return at once), any
// work-group size. Local memory: none.

#include "common.clh"

// Integers -2 .. 2, irregular enough that an element at the wrong place is found out.
int pattern(ulong i, ulong j) {
  const uint mixed = ((uint)i * 2654435761u) ^ ((uint)j * 2246822519u);
  return (int)((mixed >> 13) % 5u) - 2;
}

// A(i, j) <- scale * pattern(i, j), plus 1 on the diagonal if `unit`. With scale = 1 / (4 n)
// elimination leaves the numbers as small as they are, however many steps are done.
kernel void lab_fill(global REAL* a, ulong ld, REAL scale, int unit) {
  const ulong j = get_global_id(0);
  const ulong i = get_global_id(1);
  if (j >= ld) return;
  a[i * ld + j] = scale * (REAL)pattern(i, j) + (unit && i == j ? (REAL)1 : (REAL)0);
}

// The pattern after the elimination step k, A(i, j) - A(k, j) A(i, k) for i > k and j > k.
int after_one(ulong i, ulong j, ulong k) {
  const int a = pattern(i, j);
  return i > k && j > k ? a - pattern(k, j) * pattern(i, k) : a;
}

// After the steps k0 < k1.
int after_two(ulong i, ulong j, ulong k0, ulong k1) {
  const int a = after_one(i, j, k0);
  return i > k1 && j > k1 ? a - after_one(k1, j, k0) * after_one(i, k1, k0) : a;
}

// mismatches <- mismatches + the number of elements that are not the pattern (scale 1) after the
// steps k0 < k1 < k2; all of them are integers below 2^12, so that they are exact in f32.
kernel void lab_check(global const REAL* a, ulong ld, ulong k0, ulong k1, ulong k2,
                      volatile global uint* mismatches) {
  const ulong j = get_global_id(0);
  const ulong i = get_global_id(1);
  if (j >= ld) return;
  int expected = after_two(i, j, k0, k1);
  if (i > k2 && j > k2) expected -= after_two(k2, j, k0, k1) * after_two(i, k2, k0, k1);
  if (!(a[i * ld + j] == (REAL)expected)) atomic_inc(mismatches);
}

// Nothing: what a launch, and the dispatch of its work-groups, take by themselves.
kernel void lab_empty(global REAL* a) {
  if (get_global_id(0) == ~(ulong)0) a[0] = 0;  // so that no driver leaves the launch out
}

// The statement of gauss_fwd (gauss.cl), and size[0], size[1] <- the columns and rows of the
// work-group, written by the range's first work-item.
kernel void lab_local_size(global REAL* a, ulong ld, ulong k, global uint* size) {
  const ulong j = get_global_id(0);
  const ulong i = get_global_id(1);
  if (i > k && j > k && j < ld) a[i * ld + j] -= a[k * ld + j] * a[i * ld + k];
  if (j == get_global_offset(0) && i == get_global_offset(1)) {
    size[0] = get_local_size(0);
    size[1] = get_local_size(1);
  }
}
