// The rungs of Vatutin, Martynov and Titov, "Real performance of modern video cards in matrix
// multiplication": C = A B in f32, each rung as printed there.
//
//   a, b, c   n-by-n, row-major, leading dimension n; any n >= 1
//
// Parameters: BLOCK = side of the tiles of the blocked rungs (their "BS"), RESULTS = elements of C
// of a work-item of ladder_blocked_many, 1 if it is not given; the other rungs do not depend on
// them.
// The printed kernels read and write beyond the matrices where n is no multiple of the group. Here
// the naive rung skips the work-items outside, the blocked rungs fill their tiles with zeros and
// skip the stores; the buffered rungs have exactly n groups of n.

#ifndef BLOCK
#error "BLOCK must be defined"
#endif
#ifndef RESULTS
#define RESULTS 1
#endif

// (a) One work-item an element. The first dimension is the ROW, as printed: neighbours read A and
// write C n elements apart. NDRange: at least n x n, any work-group (32 x 32 there). Local memory:
// none.
kernel void ladder_naive(global const float* a, global const float* b, global float* c, ulong n) {
  const ulong i = get_global_id(0), j = get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = 0.0f;
  for (ulong k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

// (b) Group j keeps column j of B; its work-items load it n elements apart (not coalesced).
// NDRange: n groups of n. Local memory: 4 n bytes.
kernel void ladder_buffered_column(global const float* a, global const float* b, global float* c,
                                   ulong n, local float* column) {
  const ulong j = get_group_id(0), i = get_local_id(0);
  column[i] = b[i * n + j];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (ulong k = 0; k < n; ++k) sum += a[i * n + k] * column[k];
  c[i * n + j] = sum;
}

// (c) Group i keeps row i of A; its work-items load neighbours (coalesced).
// NDRange: n groups of n. Local memory: 4 n bytes.
kernel void ladder_buffered_row(global const float* a, global const float* b, global float* c,
                                ulong n, local float* row) {
  const ulong i = get_group_id(0), j = get_local_id(0);
  row[j] = a[i * n + j];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (ulong k = 0; k < n; ++k) sum += row[k] * b[k * n + j];
  c[i * n + j] = sum;
}

static inline float element_or_zero(global const float* matrix, ulong n, ulong row, ulong col) {
  return row < n && col < n ? matrix[row * n + col] : 0.0f;
}

// (d) Tiles of A and B in local memory, one element of C a work-item.
// NDRange: ceil(n / BLOCK)^2 groups of BLOCK x BLOCK. Local memory: 8 BLOCK^2 bytes.
kernel void ladder_blocked(global const float* a, global const float* b, global float* c, ulong n) {
  local float ta[BLOCK][BLOCK], tb[BLOCK][BLOCK];
  const ulong tx = get_local_id(1), ty = get_local_id(0);
  const ulong i = get_group_id(0) * BLOCK + tx, j = get_group_id(1) * BLOCK + ty;
  float sum = 0.0f;
  for (ulong z = 0; z < n; z += BLOCK) {
    ta[tx][ty] = element_or_zero(a, n, i, z + ty);
    tb[tx][ty] = element_or_zero(b, n, z + tx, j);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BLOCK; ++k) sum += ta[tx][k] * tb[k][ty];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n && j < n) c[i * n + j] = sum;
}

// (d) with the other order of loading, which the document calls about twice as slow: neighbours
// read A and B n elements apart. NDRange and local memory: as (d).
kernel void ladder_blocked_slow(global const float* a, global const float* b, global float* c,
                                ulong n) {
  local float ta[BLOCK][BLOCK], tb[BLOCK][BLOCK];
  const ulong tx = get_local_id(1), ty = get_local_id(0);
  const ulong i0 = get_group_id(0) * BLOCK, j0 = get_group_id(1) * BLOCK;
  float sum = 0.0f;
  for (ulong z = 0; z < n; z += BLOCK) {
    ta[ty][tx] = element_or_zero(a, n, i0 + ty, z + tx);
    tb[ty][tx] = element_or_zero(b, n, z + ty, j0 + tx);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BLOCK; ++k) sum += ta[tx][k] * tb[k][ty];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i0 + tx < n && j0 + ty < n) c[(i0 + tx) * n + j0 + ty] = sum;
}

#if BLOCK % RESULTS == 0
#define ROWS_APART (BLOCK / RESULTS)

// (d) with RESULTS elements of C a work-item, ROWS_APART rows apart: whether more than the four of
// (e) gain. NDRange: ceil(n / BLOCK)^2 groups of BLOCK x ROWS_APART. Local memory: 8 BLOCK^2 bytes.
kernel void ladder_blocked_many(global const float* a, global const float* b, global float* c,
                                ulong n) {
  local float ta[BLOCK][BLOCK], tb[BLOCK][BLOCK];
  const ulong tx = get_local_id(1), ty = get_local_id(0);
  const ulong i = get_group_id(0) * BLOCK + tx, j = get_group_id(1) * BLOCK + ty;
  float sums[RESULTS];
#pragma unroll
  for (uint q = 0; q < RESULTS; ++q) sums[q] = 0.0f;
  for (ulong z = 0; z < n; z += BLOCK) {
#pragma unroll
    for (uint q = 0; q < RESULTS; ++q) {
      ta[tx + q * ROWS_APART][ty] = element_or_zero(a, n, i + q * ROWS_APART, z + ty);
      tb[tx + q * ROWS_APART][ty] = element_or_zero(b, n, z + tx + q * ROWS_APART, j);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BLOCK; ++k) {
      const float b_k = tb[k][ty];
#pragma unroll
      for (uint q = 0; q < RESULTS; ++q) sums[q] += ta[tx + q * ROWS_APART][k] * b_k;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint q = 0; q < RESULTS; ++q)
    if (j < n && i + q * ROWS_APART < n) c[(i + q * ROWS_APART) * n + j] = sums[q];
}
#endif

#if BLOCK % 4 == 0
#define QUARTER (BLOCK / 4)

// (e) The same with four elements of C a work-item, QUARTER rows apart. The printed kernel stores C
// inside the loop over z, once a tile; here the store is after the loop.
// NDRange: ceil(n / BLOCK)^2 groups of BLOCK x QUARTER. Local memory: 8 BLOCK^2 bytes.
kernel void ladder_blocked_4(global const float* a, global const float* b, global float* c,
                             ulong n) {
  local float ta[BLOCK][BLOCK], tb[BLOCK][BLOCK];
  const ulong tx = get_local_id(1), ty = get_local_id(0);
  const ulong i = get_group_id(0) * BLOCK + tx, j = get_group_id(1) * BLOCK + ty;
  float sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f, sum4 = 0.0f;
  for (ulong z = 0; z < n; z += BLOCK) {
    for (uint q = 0; q < 4; ++q) {
      ta[tx + q * QUARTER][ty] = element_or_zero(a, n, i + q * QUARTER, z + ty);
      tb[tx + q * QUARTER][ty] = element_or_zero(b, n, z + tx + q * QUARTER, j);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BLOCK; ++k) {
      const float b_k = tb[k][ty];
      sum1 += ta[tx][k] * b_k;
      sum2 += ta[tx + QUARTER][k] * b_k;
      sum3 += ta[tx + 2 * QUARTER][k] * b_k;
      sum4 += ta[tx + 3 * QUARTER][k] * b_k;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (j < n) {
    if (i < n) c[i * n + j] = sum1;
    if (i + QUARTER < n) c[(i + QUARTER) * n + j] = sum2;
    if (i + 2 * QUARTER < n) c[(i + 2 * QUARTER) * n + j] = sum3;
    if (i + 3 * QUARTER < n) c[(i + 3 * QUARTER) * n + j] = sum4;
  }
}

// (e) to the letter: places are int, and every tile stores C. NDRange and local memory: as (e);
// BLOCK divides n, and n^2 fits an int.
kernel void ladder_blocked_4_printed(global const float* a, global const float* b, global float* c,
                                     ulong size) {
  local float ta[BLOCK][BLOCK], tb[BLOCK][BLOCK];
  const int n = (int)size, tx = get_local_id(1), ty = get_local_id(0);
  const int x0 = get_group_id(0) * BLOCK, y0 = get_group_id(1) * BLOCK;
  int ia = (x0 + tx) * n + ty, ib = tx * n + (y0 + ty);
  float sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f, sum4 = 0.0f;
  for (int z = 0; z < n / BLOCK; z++, ia += BLOCK, ib += BLOCK * n) {
    ta[tx][ty] = a[ia];
    tb[tx][ty] = b[ib];
    ta[tx + QUARTER][ty] = a[ia + QUARTER * n];
    tb[tx + QUARTER][ty] = b[ib + QUARTER * n];
    ta[tx + 2 * QUARTER][ty] = a[ia + 2 * QUARTER * n];
    tb[tx + 2 * QUARTER][ty] = b[ib + 2 * QUARTER * n];
    ta[tx + 3 * QUARTER][ty] = a[ia + 3 * QUARTER * n];
    tb[tx + 3 * QUARTER][ty] = b[ib + 3 * QUARTER * n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < BLOCK; k++) {
      sum1 += ta[tx][k] * tb[k][ty];
      sum2 += ta[tx + QUARTER][k] * tb[k][ty];
      sum3 += ta[tx + 2 * QUARTER][k] * tb[k][ty];
      sum4 += ta[tx + 3 * QUARTER][k] * tb[k][ty];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    c[(x0 + tx) * n + (y0 + ty)] = sum1;
    c[(x0 + tx + QUARTER) * n + (y0 + ty)] = sum2;
    c[(x0 + tx + 2 * QUARTER) * n + (y0 + ty)] = sum3;
    c[(x0 + tx + 3 * QUARTER) * n + (y0 + ty)] = sum4;
  }
}
#endif
