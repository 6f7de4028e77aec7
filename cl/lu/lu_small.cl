// A small system in ONE launch of one work-group, portable OpenCL C 1.2: P A = L U with partial
// pivoting and X = A^-1 B, n <= SMALL_N.
//
// The matrix lies in local memory. A step: arg-max by PARTS partial results, exchange of two rows,
// rank-1 update by all work-items (columns along the fast index, so neighbours touch neighbouring
// words). The right-hand sides are columns n, n + 1, ...: the forward substitution is part of the
// elimination; the backward one follows column by column.
//
// NDRange: one work-group of WG_SIZE, a multiple of COLUMNS = 32. a + a_offset (n x n, a_ld)
// becomes L\U; b + b_offset (n x nrhs, b_ld, nrhs <= SMALL_NRHS, 0 allowed) becomes X;
// pivots[pivot_offset + j] = LAPACK's exchanges, 0-based; info[0] = atomic minimum of j over zero
// or NaN pivots (X is then NaN). A NaN counts as infinite.
// Local memory: SMALL_N * (SMALL_N + SMALL_NRHS + 1) scalars and 32 words. Above
// CL_DEVICE_LOCAL_MEM_SIZE only as a static array on NVIDIA (f64, n = 128: 130 KiB, ran on an
// H200); elsewhere the host must not choose it.

#include "common.clh"

#if !defined(SMALL_N) || !defined(SMALL_NRHS) || !defined(WG_SIZE)
#error "SMALL_N, SMALL_NRHS and WG_SIZE must be defined"
#endif
// As in cpu_tile.clh: PoCL would say of `unroll 4` that it cannot.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#define COLUMNS 32
#define PARTS 16
#if WG_SIZE % COLUMNS != 0
#error "WG_SIZE must be a multiple of 32"
#endif
#define SMALL_LD (SMALL_N + SMALL_NRHS + 1)
#define SPAN ((SMALL_N + SMALL_NRHS + COLUMNS - 1) / COLUMNS)  // columns of a work-item

static inline REAL magnitude_of(REAL v) { return isnan(v) ? (REAL)INFINITY : fabs(v); }

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_small(
    global REAL* restrict a, ulong a_offset, uint a_ld, uint n, global REAL* restrict b,
    ulong b_offset, uint b_ld, uint nrhs, global int* restrict pivots, ulong pivot_offset,
    volatile global int* restrict info) {
  local REAL s[SMALL_N * SMALL_LD];
  local REAL part_magnitude[PARTS];
  local uint part_row[PARTS];
  const uint id = get_local_id(0), tx = id % COLUMNS, ty = id / COLUMNS,
             rows_at_once = WG_SIZE / COLUMNS, width = n + nrhs;
  for (uint i = ty; i < n; i += rows_at_once)
    for (uint c = tx; c < width; c += COLUMNS)
      s[i * SMALL_LD + c] =
          c < n ? a[a_offset + (ulong)i * a_ld + c] : b[b_offset + (ulong)i * b_ld + c - n];
  barrier(CLK_LOCAL_MEM_FENCE);

  bool failed = false;
  for (uint j = 0; j < n; ++j) {
    // Pivot: the largest entry of column j, the lowest row among equals.
    if (id < PARTS) {
      REAL best = -1;
      uint row = n;
      for (uint i = j + id; i < n; i += PARTS) {
        REAL v = magnitude_of(s[i * SMALL_LD + j]);
        if (v > best) {
          best = v;
          row = i;
        }
      }
      part_magnitude[id] = best;
      part_row[id] = row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint p = part_row[0];
    REAL best = part_magnitude[0];
    for (uint k = 1; k < PARTS; ++k) {
      REAL v = part_magnitude[k];
      uint row = part_row[k];
      if (v > best || (v == best && row < p)) {
        best = v;
        p = row;
      }
    }
    // Exchange whole rows, right-hand sides included.
    for (uint c = id; c < (p != j ? width : 0u); c += WG_SIZE) {
      REAL v = s[j * SMALL_LD + c];
      s[j * SMALL_LD + c] = s[p * SMALL_LD + c];
      s[p * SMALL_LD + c] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const REAL pivot = s[j * SMALL_LD + j];
    failed = failed || !(fabs(pivot) > 0);
    if (id == 0) {
      pivots[pivot_offset + j] = (int)p;
      if (!(fabs(pivot) > 0)) atomic_min(info, (int)j);
    }
    const REAL inverse = fabs(pivot) >= REAL_MIN_NORMAL ? 1 / pivot : (REAL)1;
    const bool divides =
        pivot != 0 && !(fabs(pivot) >= REAL_MIN_NORMAL);  // its reciprocal would overflow
    // Update; a work-item keeps its columns of the pivot row. L is scaled after the last step:
    // an exchange moves unscaled entries just as well.
    REAL pivot_row[SPAN];
#pragma unroll
    for (uint k = 0; k < SPAN; ++k)
      pivot_row[k] = tx + k * COLUMNS < width ? s[j * SMALL_LD + tx + k * COLUMNS] : (REAL)0;
#pragma unroll 4
    for (uint i = j + 1 + ty; i < n; i += rows_at_once) {
      const REAL entry = s[i * SMALL_LD + j], l = divides ? entry / pivot : entry * inverse;
#pragma unroll
      for (uint k = 0; k < SPAN; ++k) {
        const uint c = tx + k * COLUMNS;
        if (c > j && c < width) s[i * SMALL_LD + c] = fma(-l, pivot_row[k], s[i * SMALL_LD + c]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = ty; i < n; i += rows_at_once)
    for (uint j = tx; j < i; j += COLUMNS) {
      const REAL pivot = s[j * SMALL_LD + j];
      if (pivot != 0) s[i * SMALL_LD + j] /= pivot;
    }
  barrier(CLK_LOCAL_MEM_FENCE);

  // U X = Y, the last unknown first: x_j, then its column leaves the rows above.
  for (uint jj = 0; jj < (nrhs > 0 ? n : 0); ++jj) {
    const uint j = n - 1 - jj;
    for (uint c = n + id; c < width; c += WG_SIZE) s[j * SMALL_LD + c] /= s[j * SMALL_LD + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint e = id; e < j * nrhs; e += WG_SIZE) {
      const uint i = e / nrhs, c = n + e % nrhs;
      s[i * SMALL_LD + c] = fma(-s[i * SMALL_LD + j], s[j * SMALL_LD + c], s[i * SMALL_LD + c]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = ty; i < n; i += rows_at_once)
    for (uint c = tx; c < width; c += COLUMNS) {
      if (c < n)
        a[a_offset + (ulong)i * a_ld + c] = s[i * SMALL_LD + c];
      else
        b[b_offset + (ulong)i * b_ld + c - n] = failed ? (REAL)NAN : s[i * SMALL_LD + c];
    }
}
